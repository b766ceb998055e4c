// Computes the limits of the prompt cache from the setting `cacheMemoryMB` and the memory of the machine.
import type { CacheBudget } from '../engine/engine';
import { totalMemory } from '../machine/thisMachine';
import type { ServerSettings } from '../rules/serverSettings';

/** Default number of cached prompts: enough for the files, places and clients that a user switches between. */
const WORKING_SET = 8;
/** Share of the machine's memory for cached prompts by default. */
const MACHINE_SHARE = 1 / 8;

/** Returns the budget for a setting. For `auto`, `modelShare` is a further limit. */
export function cacheBudget(
  setting: ServerSettings['cacheMemoryMB'],
  memoryBytes = totalMemory(),
  modelShare?: number,
): CacheBudget {
  if (setting !== 'auto') return { bytes: 1e6 * setting };
  const bytes = Math.floor(MACHINE_SHARE * memoryBytes);
  return { bytes, prompts: WORKING_SET, ...(modelShare !== undefined && { modelShare }) };
}

/** Multiplies all limits by `factor`. */
export function scaleBudget({ bytes, prompts, modelShare }: CacheBudget, factor: number): CacheBudget {
  return {
    bytes: factor * bytes,
    ...(prompts !== undefined && { prompts: factor * prompts }),
    ...(modelShare !== undefined && { modelShare: factor * modelShare }),
  };
}
