// Limits of the prompt cache, from the setting and the memory of the machine.
import type { CacheBudget } from '../engine/promptCache';
import { totalMemory } from '../machine/thisMachine';
import type { ServerSettings } from '../rules/serverSettings';

/** Prompts for the files, places and clients that a user switches between. */
const WORKING_SET = 8;
const MACHINE_SHARE = 1 / 8;

/** `share` limits an automatic budget to that share of the memory of the loaded models. */
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
