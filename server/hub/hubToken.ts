// The access token of a person: given, in the environment, or in the file that other tools write at a login.
// No message has it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { InputError } from '../inputError';

/** `given` wins; undefined asks as nobody. Throws InputError for one that cannot be sent. */
export function hubToken(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const candidates = [given, env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN'], tokenFile(env)];
  const token = candidates.map((each) => each?.trim()).find((each) => each !== undefined && each !== '');
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new InputError({
    expected: 'an access token of printable characters',
    got: 'one with others',
    remedy: 'give the token as the hub shows it',
  });
}

function tokenFile(env: NodeJS.ProcessEnv): string | undefined {
  const { HF_TOKEN_PATH, HF_HOME, XDG_CACHE_HOME } = env;
  const home = HF_HOME ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface');
  try {
    return readFileSync(HF_TOKEN_PATH ?? join(home, 'token'), 'utf8');
  } catch {
    return undefined;
  }
}
