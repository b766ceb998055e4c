// The decoding speed of a request, where its output is long enough for one: with fewer tokens the figure is that of one
// pass, which a busy machine or the first compilation of a kernel can make a hundred times too low.
import type { StatsRow } from '../../server/protocol/messages';

/** Tokens after the first one, which prefill writes. */
const LEAST_TOKENS = 8;

/** Tokens per second; null where the output is too short or the engine does not report it. */
export function measuredRate({ stats, rates }: StatsRow): number | null {
  return (stats.emittedTokens ?? 0) > LEAST_TOKENS ? rates.decodeTokensPerSecond : null;
}
