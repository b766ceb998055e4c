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

/** Languages that are named like the ends of their files, and the others by these. */
const NAMED_ALIKE = 'c cpp css go html java json lua php scss sql svelte swift toml vue yaml'.split(' ');
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
  const ending = extname(path).slice(1).toLowerCase();
  return NAMED_ALIKE.includes(ending) ? ending : (LANGUAGES[ending] ?? 'plaintext');
}
