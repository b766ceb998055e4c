// The source files that a trace types: three that are bundled, and those that a person names.
import { basename, extname } from 'node:path';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { readText } from '../../server/cli/sourceLocation';

export interface SourceText {
  readonly fileName: string;
  readonly languageId: string;
  /** With \n for line ends. */
  readonly text: string;
}

/** Whole programs, unlike the examples with something missing. */
const BUNDLED = ['inventory.ts', 'priorityQueue.py', 'textTable.js'];

const LANGUAGES: Readonly<Record<string, string>> = {
  '.c': 'c',
  '.cpp': 'cpp',
  '.cs': 'csharp',
  '.go': 'go',
  '.java': 'java',
  '.js': 'javascript',
  '.jsx': 'javascriptreact',
  '.kt': 'kotlin',
  '.lua': 'lua',
  '.mjs': 'javascript',
  '.php': 'php',
  '.py': 'python',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.swift': 'swift',
  '.ts': 'typescript',
  '.tsx': 'typescriptreact',
};

/** The bundled files, or `files` where some are named. Throws InputError for what cannot be typed. */
export function sources(files: readonly string[]): SourceText[] {
  const paths = files.length > 0 ? files : BUNDLED.map((name) => mediaPath(`examples/${name}`));
  return paths.map((path) => {
    const text = readText(path).replace(/\r\n?/g, '\n').trimEnd();
    if (text === '')
      throw new InputError({
        expected: `something to type in ${path}`,
        got: 'an empty file',
        remedy: 'choose another file',
      });
    return { fileName: basename(path), languageId: languageIdOf(path), text: `${text}\n` };
  });
}

/** What an editor takes a file for, by the end of its name. */
export function languageIdOf(path: string): string {
  return LANGUAGES[extname(path).toLowerCase()] ?? 'plaintext';
}
