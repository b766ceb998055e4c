// Reads the source files that a trace types: three bundled ones, or the given ones.
import { basename, extname } from 'node:path';
import { WrongValue } from '../../server/rules/userError';
import { mediaPath } from '../../server/machine/folders';
import { readSource } from '../../server/cli/sourceLocation';

export interface SourceText {
  readonly fileName: string;
  readonly languageId: string;
  /** Text with \n as line ends. */
  readonly text: string;
}

/** Complete programs, unlike the other examples, from which code is missing. */
const BUNDLED = ['inventory.ts', 'priorityQueue.py', 'textTable.js'];

/** Languages whose id is their file extension. */
const EXTENSION_IDS = 'c cpp css go html java json lua php scss sql svelte swift toml vue yaml'.split(' ');
/** Ids of the other languages, by file extension. */
const LANGUAGES: Readonly<Record<string, string>> = {
  cc: 'cpp',
  cs: 'csharp',
  h: 'c',
  hpp: 'cpp',
  js: 'javascript',
  jsx: 'javascriptreact',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
};

/** Reads the bundled files, or `files` if given. Throws UserError for files that cannot be typed. */
export function sources(files: readonly string[]): SourceText[] {
  const paths = files.length > 0 ? files : BUNDLED.map((name) => mediaPath(`examples/${name}`));
  return paths.map((path) => {
    const text = readSource(path).replace(/\r\n?/g, '\n').trimEnd();
    if (text === '')
      throw new WrongValue({
        expected: `something to type in ${path}`,
        got: 'an empty file',
        remedy: 'choose another file',
      });
    return { fileName: basename(path), languageId: languageIdOf(path), text: `${text}\n` };
  });
}

/** Returns the language that an editor assumes from the file extension. */
export function languageIdOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase();
  return EXTENSION_IDS.includes(extension) ? extension : (LANGUAGES[extension] ?? 'plaintext');
}
