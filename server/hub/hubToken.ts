// Finds the user's Hugging Face token.
import { join } from 'node:path';
import { fromHome, huggingFaceHome } from '../machine/folders';
import { readRegularFile } from '../machine/regularFile';
import { WrongValue } from '../rules/userError';
import { firstText } from '../rules/firstText';

/** Maximum bytes of the file with the token. */
const MAX_FILE_BYTES = 10_000;

/**
 * Returns the given token, or else one from the environment, or else from the file that other tools write at login.
 * Throws UserError for an invalid token, without repeating it.
 */
export function hubToken(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const token = firstText([given, env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN'], tokenFile(env)]);
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new WrongValue({
    expected: 'a Hugging Face token of printable ASCII characters',
    got: 'one with other characters',
    remedy: 'copy the token exactly as the Hub shows it',
  });
}

function tokenFile(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readRegularFile(
      fromHome(firstText([env['HF_TOKEN_PATH']]) ?? join(huggingFaceHome(env), 'token')),
      MAX_FILE_BYTES,
    ).toString();
  } catch {
    return undefined;
  }
}
