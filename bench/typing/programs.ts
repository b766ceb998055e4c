// Reads the programs to type. Those in a folder belong to a small project, whose other files exist before typing
// begins. programs.json has three sets: tune, and held and unseen for judging.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { languageIdOf } from '../replay/sources';
import { parseChoice } from '../../server/cli/arguments';
import { UserError, WrongValue } from '../../server/rules/userError';
import { mediaPath } from '../../server/machine/folders';

export interface Program {
  readonly set: string;
  /** Path LANGUAGE/NAME, or LANGUAGE/PROJECT/..., in the folder of the programs. */
  readonly path: string;
  readonly language: string;
  /** Path of the file on disk. */
  readonly file: string;
  /** Folder of its project, if any, and its path in that folder. */
  readonly project?: { readonly folder: string; readonly path: string };
  /** Text without white space at the end. */
  readonly text: string;
}

interface Selection {
  readonly set?: string | undefined;
  readonly only?: string | undefined;
  /** Folder that contains a folder of files for each set. */
  readonly files?: string | undefined;
}

/**
 * Returns the programs whose path contains `only`, from `set` (default: all sets) in the folder `files` (default: the
 * programs of this repository). Throws UserError if there are none.
 */
export function readPrograms({ set, only = '', files }: Selection): Program[] {
  const all = files === undefined ? bundledPrograms(set) : programsIn(files, set);
  const programs = all.filter(({ path }) => path.includes(only));
  if (programs.length > 0) return programs;
  if (files !== undefined)
    throw new UserError(
      `No program in ${files} fits the options. Put programs into FOLDER/SET/..., or change the options.`,
    );
  throw new WrongValue({
    expected: '--only to be part of a path',
    got: `"${only}"`,
    remedy: 'see bench/typing/programs.json',
  });
}

function bundledPrograms(set: string | undefined): Program[] {
  const sets = JSON.parse(readFileSync(mediaPath('../bench/typing/programs.json'), 'utf8')) as Record<
    string,
    string[]
  >;
  const names = Object.keys(sets);
  const chosen = set === undefined ? names : [parseChoice('--set', set, names)];
  return chosen.flatMap((name) => (sets[name] ?? []).map((path) => programAt(name, path)));
}

function programsIn(folder: string, onlySet: string | undefined): Program[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return paths.flatMap((path) => {
    const [set = ''] = path.split(/[\\/]/);
    const file = join(folder, path);
    if ((onlySet !== undefined && set !== onlySet) || !statSync(file).isFile()) return [];
    const text = readFileSync(file, 'utf8').replace(/\r\n?/g, '\n').trimEnd();
    return [{ set, path, language: languageIdOf(path), file, text }];
  });
}

function programAt(set: string, path: string): Program {
  const folder = mediaPath('../bench/typing/programs');
  const [language = '', project = '', ...rest] = path.split('/');
  const file = join(folder, path);
  return {
    set,
    path,
    language,
    file,
    ...(rest.length > 0 && { project: { folder: join(folder, language, project), path: rest.join('/') } }),
    text: readFileSync(file, 'utf8').trimEnd(),
  };
}
