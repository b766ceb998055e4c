// Chooses the bits per weight in which a drafter is loaded. Every draft reads all weights of the drafter: next to a
// packed target, a 16-bit drafter takes a large part of a round, while fewer bits lose only a few accepted drafts.
import { parseQuantisation } from '../models/checkpoint/quantisation';
import type { ConfigFields } from '../models/checkpoint/configFields';
import { type RowFacts, UNPACKED_BITS } from '../rules/rowCost';
import type { DrafterBits } from '../rules/serverSettings';

/** Default bits for the drafter of a large packed target on a GPU. */
const PACKED_BITS = 4;

/**
 * Returns the bits to pack a drafter into, by the setting, the target and the drafter's config; undefined to load it as
 * its files store it. Throws UserError if that config is unsupported.
 */
export function bitsOfDrafter(
  setting: DrafterBits,
  { processor, bits, isSmall }: RowFacts,
  drafter: ConfigFields,
): number | undefined {
  if (setting !== 'auto') return setting === 'stored' ? undefined : setting;
  if (processor !== 'gpu' || bits === UNPACKED_BITS || isSmall) return undefined;
  return isPacked(drafter) ? undefined : PACKED_BITS;
}

/** Returns the line about a drafter that was packed by default, for the editor's log and for the terminal. */
export function packedNote(bits: number): string {
  const reason = `the drafter is packed into ${String(bits)} bits, as its target is packed`;
  return `${reason}; flashline.drafterBits or --drafter-bits changes that`;
}

/** Returns whether the files pack the model as a whole, whose module path is ''. */
function isPacked(fields: ConfigFields): boolean {
  return parseQuantisation(fields)('') !== undefined;
}
