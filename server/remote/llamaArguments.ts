// Builds the arguments that start llama-server for a model and its drafter, from the options that the installed program
// lists in its help.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { promisify } from 'node:util';
import { fromHome } from '../machine/folders';
import { quoted, UserError, WrongValue } from '../rules/userError';
import type { RemoteChoice } from './remoteEngine';

/** Time for a program to list its options on a busy machine. */
const HELP_MS = 60_000;
const MAX_HELP_BYTES = 4e6;
/** Maximum characters to quote of the reason why a program cannot be run. */
const MAX_REASON_LENGTH = 300;
/**
 * Options that are omitted if the program does not know them or their environment variable is set: no web page, no
 * images, and limits of context tokens and of the prompt cache in MiB, which take memory that the model can need.
 */
const OPTIONAL = [
  ['--no-webui'],
  ['--no-mmproj'],
  ['--ctx-size', '8192', 'LLAMA_ARG_CTX_SIZE'],
  ['--cache-ram', '1024', 'LLAMA_ARG_CACHE_RAM'],
];
/** File extension of models. */
const GGUF = /\.gguf$/i;

/**
 * Returns the arguments of llama-server. Throws UserError if the program cannot be run or lacks a required option, or
 * if `model` or `drafter` names nothing that it can load.
 */
export async function llamaArguments({ url: program, model, drafter = '' }: RemoteChoice): Promise<string[]> {
  const help = await helpOf(program);
  const args = [
    ...modelArguments(model, ['--model', '--hf-repo']),
    ...drafterArguments(drafter, help),
    '--alias',
    GGUF.test(model) ? basename(model).replace(GGUF, '') : model,
    '--host',
    '127.0.0.1',
  ];
  const unknown = args.find((argument) => argument.startsWith('--') && !help.includes(argument));
  if (unknown !== undefined)
    throw new UserError(`This llama-server is too old: it does not know ${unknown}. Update llama.cpp.`);
  const optional = OPTIONAL.map(([name = '', value, variable = '']) =>
    help.includes(name) && process.env[variable] === undefined ? [name, ...(value ? [value] : [])] : [],
  );
  return [...args, ...optional.flat()];
}

/** Returns the list of options that the program prints. Throws UserError if it cannot be run. */
async function helpOf(program: string): Promise<string> {
  try {
    const options = { timeout: HELP_MS, maxBuffer: MAX_HELP_BYTES };
    return (await promisify(execFile)(program, ['--help'], options)).stdout;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const place = program.includes('/') ? `at ${program}` : 'in the PATH';
    const problem = isMissing
      ? `There is no llama-server ${place}`
      : `The llama-server ${place} cannot be run (${(cause as Error).message.slice(0, MAX_REASON_LENGTH)})`;
    const remedy =
      'Install llama.cpp ("brew install llama.cpp" on macOS; on Linux the package llama.cpp or llama.cpp-tools of your ' +
      'distribution, or a release from https://github.com/ggml-org/llama.cpp/releases), or name the path of the program.';
    throw new UserError(`${problem}. ${remedy}`, { cause });
  }
}

/** Returns the arguments for a model, with the option for a file or the one for a repository on Hugging Face. */
function modelArguments(name: string, [file, repository]: readonly [string, string]): string[] {
  const path = fromHome(name);
  if (isAbsolute(path) && existsSync(path)) return [file, path];
  if (/^\w[\w.-]*\/\w[\w.-]*(:[\w.-]+)?$/.test(name) && !GGUF.test(name)) return [repository, name];
  const expected =
    'a GGUF file by its full path, or a name on Hugging Face such as ggml-org/Qwen2.5-Coder-7B-Q8_0-GGUF, for llama-server';
  const got = isAbsolute(path) ? `${name}, where there is none` : name && quoted(name);
  throw new WrongValue({ expected, got, remedy: 'name one as the remote model, or as the drafter' });
}

/** Returns the arguments for a drafter: `KIND`, `KIND:MODEL` or `MODEL`, where the program lists the possible kinds. */
function drafterArguments(drafter: string, help: string): string[] {
  if (drafter === '' || drafter === 'none') return [];
  const kinds = /--spec-type\s+\[?([\w,|-]+)/.exec(help)?.[1]?.split(/[,|]/) ?? [];
  const [named, model] = /^([a-z][a-z\d-]*)(?::(.+))?$/.exec(drafter)?.slice(1) ?? [undefined, drafter];
  if (named !== undefined && !kinds.includes(named))
    throw new WrongValue({
      expected: `a kind of drafts that this llama-server knows (${kinds.join(', ')})`,
      got: quoted(named),
      remedy: 'name one as the drafter, with ":" and a model where it needs one, or update llama.cpp',
    });
  // A drafter without a kind is a plain draft model; programs that list kinds call it `draft-simple`.
  const kind = named ?? (kinds.includes('draft-simple') ? 'draft-simple' : undefined);
  return [
    ...(kind === undefined ? [] : ['--spec-type', kind]),
    ...(model === undefined ? [] : modelArguments(model, ['--model-draft', '--hf-repo-draft'])),
  ];
}
