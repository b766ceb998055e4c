// How much of what the models have read is kept, by the setting and the machine. Knows no models: what a text of theirs
// takes is measured where it is kept.
import { totalmem } from 'node:os';
import type { CacheBudget } from '../engine/promptCache';
import type { ServerSettings } from '../rules/serverSettings';

/** Files and places that somebody goes back and forth between. */
const WORKING_SET = 8;
/** Of the machine's memory, or of the container's. */
const MACHINE_SHARE = 1 / 8;

export function cacheBudget(
  setting: ServerSettings['cacheMemoryMB'],
  texts = WORKING_SET,
  memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity),
): CacheBudget {
  if (setting !== 'auto') return { bytes: 1e6 * setting };
  return { bytes: Math.floor(MACHINE_SHARE * memoryBytes), texts };
}

/** A share of both limits of memory. */
export function shareOf({ texts, ...others }: CacheBudget, share: number): CacheBudget {
  return { ...others, bytes: share * others.bytes, ...(texts !== undefined && { texts: share * texts }) };
}
