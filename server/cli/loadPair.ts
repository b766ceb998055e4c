// Finds and loads the pair that the options name. The engine is imported here and not at the top of a command,
// so that help and argument errors work without the native addon.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Engine } from '../engine/engine';
import { InputError } from '../inputError';
import type { PairArguments } from './arguments';

export async function loadPair({ target, drafter, device }: PairArguments): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const targetDirectory = target === undefined ? media('model/target') : resolve(target);
  const defaultDrafter = target === undefined ? media('model/drafter') : undefined;
  const drafterDirectory =
    drafter === 'none' ? undefined : drafter === undefined ? defaultDrafter : resolve(drafter);
  return await Engine.load({ targetDirectory, drafterDirectory, device });
}

/** A path inside the media folder that is shipped beside the program. */
export function media(path: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'media', 'model'))) return join(folder, 'media', path);
  }
  throw new InputError({
    expected: `the media folder beside ${__dirname}`,
    got: 'none',
    remedy: 'install Flashline again',
  });
}
