// One request as the panel and the status bar show it: counters, rates, and the output token by token.
import type { TokenLogprobs } from '../engine/sampling/sampler';
import type { RequestStats, Round } from '../engine/stats';
import type { StatsRates, StatsRow, TokenPiece } from '../protocol';

export interface RecordedDecode {
  /** Of models, whose tokens these are. */
  readonly pair: string;
  readonly promptIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly rounds: readonly Round[];
  readonly stats: RequestStats;
  readonly rates: StatsRates;
  /** One for each token, when they were asked for. */
  readonly logprobs: readonly TokenLogprobs[] | undefined;
  /** Whether its tokens were drawn to go beside a more probable text. */
  readonly isDrawn: boolean;
}

export interface RowLabel {
  readonly id: number;
  readonly kind: StatsRow['kind'];
  readonly at: number;
  readonly file: string;
  readonly outcome: StatsRow['outcome'];
}

/** `textOf` gives the text of a single token. */
export function statsRow(
  label: RowLabel,
  decode: RecordedDecode,
  textOf: (token: number) => string,
): StatsRow {
  const { tokenIds, rounds, stats, rates } = decode;
  const inRounds = rounds.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const fromPrefill = tokenIds.slice(0, tokenIds.length - inRounds);
  const prefill = fromPrefill.map((token): TokenPiece => ({ text: textOf(token), source: 'prefill' }));
  return {
    ...label,
    stats,
    rates,
    acceptanceLengths: rounds.map(({ tokens }) => tokens.length),
    rounds: [...(prefill.length > 0 ? [prefill] : []), ...rounds.map((round) => pieces(round, textOf))],
  };
}

function pieces({ tokens, accepted }: Round, textOf: (token: number) => string): TokenPiece[] {
  return tokens.map((token, i) => ({ text: textOf(token), source: i < accepted ? 'draft' : 'target' }));
}
