// The drafter that a person has named, or why there is none. Knows neither requests nor how it is used.
import { InputError } from '../inputError';
import type { Device } from '../models/device';
import type { Drafter } from '../models/drafter';
import { noDrafter } from '../models/noDrafter';
import { loadDrafter } from '../models/registry';
import { requireTargetHash } from '../models/targetHash';
import type { TargetConfig } from '../models/target';
import type { SpeculationOff } from './stats';

export interface DrafterWish {
  readonly targetDirectory: string;
  /** Undefined wants none. */
  readonly drafterDirectory?: string | undefined;
  /** Called with what is wrong with the drafter, and then there is none; without it that is an error. */
  readonly onDrafterMismatch?: ((error: InputError) => void) | undefined;
}

export interface MatchingDrafter {
  readonly drafter: Drafter;
  /** Why it never drafts; undefined when it does. */
  readonly missing: SpeculationOff | undefined;
}

/** Throws InputError for a drafter that cannot be loaded or does not fit `target`, unless somebody hears of it. */
export async function matchingDrafter(
  { targetDirectory, drafterDirectory, onDrafterMismatch }: DrafterWish,
  target: TargetConfig,
  device: Device,
): Promise<MatchingDrafter> {
  if (drafterDirectory === undefined) return { drafter: noDrafter, missing: 'no_drafter' };
  try {
    requireTargetHash(targetDirectory, drafterDirectory);
    return { drafter: await loadDrafter(drafterDirectory, target, device), missing: undefined };
  } catch (error) {
    if (onDrafterMismatch === undefined || !(error instanceof InputError)) throw error;
    onDrafterMismatch(error);
    return { drafter: noDrafter, missing: 'drafter_mismatch' };
  }
}
