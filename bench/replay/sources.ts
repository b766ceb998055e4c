// The source files that a trace types: three bundled ones, or those that are named.
import { basename, extname } from 'node:path';
import { InputError } from '../../server/rules/inputError';
import { mediaPath } from '../../server/machine/folders';
import { readSource } from '../../server/cli/sourceLocation';

export interface SourceText {
  readonly fileName: string;
  readonly languageId: string;
  /** With \n as line ends. */
  readonly text: string;
}

/** Whole programs, unlike the examples, in which something is missing. */
const BUNDLED = ['inventory.ts', 'priorityQueue.py', 'textTable.js'];

const LANGUAGES: Readonly<Record<string, string>> = {
  '.c': 'c',
  '.cpp': 'cpp',
  '.cs': 'csharp',
  '.css': 'css',
  '.go': 'go',
  '.hpp': 'cpp',
  '.html': 'html',
  '.java': 'java',
  '.js': 'javascript',
  '.json': 'json',
  '.jsx': 'javascriptreact',
  '.kt': 'kotlin',
  '.lua': 'lua',
  '.md': 'markdown',
  '.mjs': 'javascript',
  '.php': 'php',
  '.py': 'python',
  '.rb': 'ruby',
  '.rs': 'rust',
  '.scss': 'scss',
  '.sh': 'shellscript',
  '.sql': 'sql',
  '.svelte': 'svelte',
  '.swift': 'swift',
  '.toml': 'toml',
  '.ts': 'typescript',
  '.tsx': 'typescriptreact',
  '.vue': 'vue',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

/** The bundled files, or `files` if any are named. Throws InputError for what cannot be typed. */
export function sources(files: readonly string[]): SourceText[] {
  const paths = files.length > 0 ? files : BUNDLED.map((name) => mediaPath(`examples/${name}`));
  return paths.map((path) => {
    const text = readSource(path).replace(/\r\n?/g, '\n').trimEnd();
    if (text === '')
      throw new InputError({
        expected: `something to type in ${path}`,
        got: 'an empty file',
        remedy: 'choose another file',
      });
    return { fileName: basename(path), languageId: languageIdOf(path), text: `${text}\n` };
  });
}

/** The language that an editor assumes, by the end of the file name. */
export function languageIdOf(path: string): string {
  return LANGUAGES[extname(path).toLowerCase()] ?? 'plaintext';
}
