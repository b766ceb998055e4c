// Compares typed text with proposed text, and tolerates a few typing mistakes.
import { smallestOf } from '../../server/rules/extremes';

/** Maximum number of characters that are wrong, missing or too many. */
const MAX_SLIPS = 5;

/**
 * Returns whether `typed` is a beginning of `proposed`, apart from a few slips. At least as many characters must agree
 * as differ. Returns false for a text that resembles the whole proposal more than any beginning of it: that is the
 * user's own version.
 */
export function isTypedAlong(typed: string, proposed: string): boolean {
  const slips = slipsByLength(typed, proposed);
  const fewest = smallestOf(slips);
  const isWhole = slips.indexOf(fewest) === proposed.length;
  return fewest <= MAX_SLIPS && 2 * fewest <= typed.length && !isWhole;
}

/** Counts, by length, the slips that turn a beginning of `proposed` into `typed`. Stops when all are too many. */
function slipsByLength(typed: string, proposed: string): readonly number[] {
  const longest = Math.min(proposed.length, typed.length + MAX_SLIPS);
  let slips = Array.from({ length: longest + 1 }, (_, length) => length);
  for (let count = 1; count <= typed.length && smallestOf(slips) <= MAX_SLIPS; count += 1) {
    const next = [count];
    for (let length = 1; length <= longest; length += 1) {
      const isSame = typed[count - 1] === proposed[length - 1];
      const before = slips[length - 1] ?? 0;
      const extra = slips[length] ?? 0;
      const missing = next[length - 1] ?? 0;
      next.push(isSame ? before : 1 + Math.min(before, extra, missing));
    }
    slips = next;
  }
  return slips;
}
