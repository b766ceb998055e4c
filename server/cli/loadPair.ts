// Loads the pair that the options name. The engine is imported here and not at the top of a command, so that help
// and argument errors work without the native addon.
import type { Engine } from '../engine/engine';
import { pairDirectories } from '../hub/pairDirectories';
import { ProfileStore } from '../profileStore';
import type { PairArguments } from './arguments';

/** `cacheBytes` are for what decodes have read, as in EngineOptions. */
export async function loadPair(
  { target, drafter, device }: PairArguments,
  cacheBytes?: number,
): Promise<Engine> {
  const { Engine } = await import('../engine/engine');
  const directories = pairDirectories(target, drafter);
  const profile = new ProfileStore(directories, device ?? 'auto').read();
  return await Engine.load({ ...directories, device, profile, cacheBytes });
}
