// Decoding speed of a request whose output is long enough to measure it. A shorter output can take a single pass, whose
// speed a busy machine or the compilation of a kernel can make a hundred times too low.
import type { StatsRow } from '../../server/protocol/messages';

/** Minimum number of tokens after the first one, which prefill emits. */
const MIN_TOKENS = 8;

/** Returns the speed in tokens/s; null where the output is too short or the engine does not report it. */
export function measuredRate({ stats, rates }: StatsRow): number | null {
  return (stats.emittedTokens ?? 0) > MIN_TOKENS ? rates.decodeTokensPerSecond : null;
}
