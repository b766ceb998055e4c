// Parses options for a remote engine. Its key comes from the environment or a file, never from the command line, which
// other users of the machine can see.
import type { RemoteChoice } from '../remote/remoteEngine';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../rules/userError';
import { isProgram } from '../rules/remoteAddress';
import { keyFrom } from './apiKey';
import type { RemoteOverride } from '../lsp/languageServer';
import { NO_REMOTE } from '../rules/serverSettings';
import type { PairValues } from './pairArguments';

export const REMOTE_OPTIONS = {
  remote: { type: 'string' },
  'remote-model': { type: 'string' },
  'remote-tokenizer': { type: 'string' },
  'remote-key-file': { type: 'string' },
  'remote-drafter': { type: 'string' },
} as const;

export const REMOTE_HELP = `
  --remote URL          send the prompt to a server with OpenAI's API, such as http://127.0.0.1:8000, and load no pair;
                        drafts, penalty window and repetition guard are then up to the server, which gets no forbidden
                        tokens and no request for log probabilities; llama-server, or its path, starts llama.cpp's
                        server on this machine
  --remote-model NAME   name of the model on that server (default: its only model); for llama-server a GGUF file, or a
                        name on Hugging Face, which it downloads
  --remote-tokenizer DIR|NAME
                        tokenizer of the model: a folder, a downloaded model, a repository in the cache, or built-in
                        (default: none; text is sent, and the server fills in the middle)
  --remote-key-file FILE
                        file with the API key (default: FLASHLINE_REMOTE_API_KEY, if it is set)
  --remote-drafter KIND|KIND:FILE|KIND:NAME
                        llama-server's kind of drafts, such as ngram-mod or draft-dflash, and its drafter (default: none)`;

type RemoteValues = Readonly<Partial<Record<keyof typeof REMOTE_OPTIONS, string | undefined>>>;

/** Returns the chosen remote engine; undefined without --remote. */
export function remoteArguments(values: RemoteValues & PairValues): RemoteChoice | undefined {
  const { remote, 'remote-tokenizer': tokenizer = '', 'remote-drafter': drafter } = values;
  if (remote === undefined) {
    requireNoDetails(values);
    return undefined;
  }
  const local = (['target', 'drafter', 'drafter-bits', 'device', 'strict'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (local !== undefined) throw new UserError(`--remote contradicts --${local}. Leave one out.`);
  // A plain name means the program in the PATH: a project must not be able to substitute its own.
  const url = isProgram(remote) ? remote : resolvedFile(remote);
  if (drafter !== undefined && !isProgram(url))
    throw new UserError(
      '--remote-drafter needs --remote llama-server. Leave it out, as other servers choose their own drafts.',
    );
  const named = values['remote-model'] ?? '';
  // A server knows its models by names, which are not paths even if files here have the same names.
  const model = isProgram(url) ? resolvedFile(named) : named;
  const key = keyFrom(values['remote-key-file'], 'FLASHLINE_REMOTE_API_KEY');
  return { url, model, tokenizer, ...(drafter !== undefined && { drafter }), key };
}

/** Throws UserError for an option that only makes sense with --remote. */
function requireNoDetails(values: RemoteValues): void {
  const detail = (['remote-model', 'remote-tokenizer', 'remote-key-file', 'remote-drafter'] as const).find(
    (name) => values[name],
  );
  if (detail !== undefined)
    throw new UserError(`--${detail} needs --remote. Give the server's address, or leave it out.`);
}

/**
 * Resolves the name of an existing program or file against the current folder; returns other names unchanged, including
 * those of folders.
 */
function resolvedFile(name: string): string {
  return existsSync(name) && statSync(name).isFile() ? resolve(name) : name;
}

/** Returns the settings for the language server. Without --remote they disable remote engines of its clients. */
export function remoteSettings(choice: RemoteChoice | undefined): RemoteOverride {
  if (choice === undefined) return { remote: NO_REMOTE };
  const { key, drafter = '', ...named } = choice;
  const programChoice = isProgram(choice.url) && { drafter };
  return { remote: { ...NO_REMOTE, ...named }, remoteKey: key, ...programChoice };
}
