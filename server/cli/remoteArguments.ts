// The options that name a remote engine. Its key comes from the environment or a file, never from the command line,
// which other users of a machine can see.
import { readFileSync } from 'node:fs';
import { InputError } from '../rules/inputError';
import type { ServerParts } from '../lsp/server';
import type { RemoteChoice, RemoteEngine } from '../remote/remoteEngine';
import { NO_REMOTE } from '../rules/serverSettings';
import type { PairValues } from './arguments';

export const REMOTE_OPTIONS = {
  remote: { type: 'string' },
  'remote-model': { type: 'string' },
  'remote-tokenizer': { type: 'string' },
  'remote-key-file': { type: 'string' },
} as const;

export const REMOTE_HELP = `
  --remote URL          send the prompt to a server with OpenAI's API, such as http://127.0.0.1:8000, and load no pair;
                        drafts and the repetition guard are then up to the server
  --remote-model NAME   name of the model on that server (default: its only model)
  --remote-tokenizer DIR|NAME
                        tokenizer of the model: a folder, a downloaded model, a repository in the cache, or built-in
                        (default: none; the server fills in before a suffix)
  --remote-key-file FILE
                        file with the API key (default: FLASHLINE_REMOTE_API_KEY, if it is set)`;

type RemoteValues = Readonly<Partial<Record<keyof typeof REMOTE_OPTIONS, string | undefined>>>;

/** Undefined without --remote. */
export function remoteArguments(values: RemoteValues & PairValues): RemoteChoice | undefined {
  const { remote: url, 'remote-model': model = '', 'remote-tokenizer': tokenizer = '' } = values;
  const named = (['target', 'drafter', 'drafter-bits', 'device', 'strict'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (url !== undefined && named !== undefined)
    throw new InputError({
      expected: 'either --remote or a pair',
      got: `--${named} too`,
      remedy: 'leave one out',
    });
  const detail = (['remote-model', 'remote-tokenizer', 'remote-key-file'] as const).find(
    (name) => values[name],
  );
  if (url === undefined && detail !== undefined)
    throw new InputError({ expected: `--remote with --${detail}`, got: 'none', remedy: 'give the address' });
  return url === undefined ? undefined : { url, model, tokenizer, key: keyOf(values['remote-key-file']) };
}

export async function reachRemote(choice: RemoteChoice): Promise<RemoteEngine> {
  const { RemoteEngine: Remote } = await import('../remote/remoteEngine');
  return await Remote.load(choice);
}

/** What the language server gets: without --remote no remote engine, whatever its client's settings say. */
export function remoteSettings(choice: RemoteChoice | undefined): NonNullable<ServerParts['remote']> {
  if (choice === undefined) return { remote: NO_REMOTE };
  const { key, ...named } = choice;
  return { remote: { ...NO_REMOTE, ...named }, remoteKey: key };
}

function keyOf(file: string | undefined): string | undefined {
  if (file === undefined) return process.env['FLASHLINE_REMOTE_API_KEY'];
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new InputError({ expected: 'a file with the API key', got, remedy: 'check its name', cause });
  }
}
