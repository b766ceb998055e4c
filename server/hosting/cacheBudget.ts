// Computes the limits of the prompt cache from the setting and the memory of the machine.
import type { CacheBudget } from '../engine/promptCache';
import { totalMemory } from '../machine/thisMachine';
import type { ServerSettings } from '../rules/serverSettings';

/** Default number of cached prompts: those of the files, places and clients that a user switches between. */
const WORKING_SET = 8;
const MACHINE_SHARE = 1 / 8;

/** Returns the budget of a setting. `share` limits an automatic one to that share of the loaded models' memory. */
export function cacheBudget(
  setting: ServerSettings['cacheMemoryMB'],
  memoryBytes = totalMemory(),
  share?: number,
): CacheBudget {
  if (setting !== 'auto') return { bytes: 1e6 * setting };
  const bytes = Math.floor(MACHINE_SHARE * memoryBytes);
  return { bytes, prompts: WORKING_SET, ...(share !== undefined && { share }) };
}

/** Multiplies all limits by `factor`. */
export function scaleBudget({ bytes, prompts, share }: CacheBudget, factor: number): CacheBudget {
  return {
    bytes: factor * bytes,
    ...(prompts !== undefined && { prompts: factor * prompts }),
    ...(share !== undefined && { share: factor * share }),
  };
}
