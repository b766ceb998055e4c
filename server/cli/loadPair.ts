// Loads the pair that the options name. The engine is imported here and not at the top of a command, so that help
// and argument errors work without the native addon.
import type { Engine } from '../engine/engine';
import { pairDirectories } from '../pairDirectories';
import { ProfileStore } from '../profileStore';
import type { PairArguments } from './arguments';

export async function loadPair({ target, drafter, device }: PairArguments): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const directories = pairDirectories(target, drafter);
  const profile = new ProfileStore(directories, device ?? 'auto').read();
  return await Engine.load({ ...directories, device, profile });
}
