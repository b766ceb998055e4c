// Rows of statistics as the server sends them, for tests of the panel and the status bar. Their counters agree; some
// that no test reads are left out.
import type { LocalRow } from '../../../bench/localRow';
import type { ModelInfo, TokenPiece } from '../../../server/protocol/messages';

export interface Sample {
  readonly id?: number;
  readonly kind?: LocalRow['kind'];
  readonly at?: number;
  readonly model?: LocalRow['model'];
  readonly file?: string;
  readonly outcome?: LocalRow['outcome'];
  readonly prompt?: LocalRow['prompt'];
  /** Verified and accepted drafts of each round; each round adds a token of the target. */
  readonly rounds?: readonly (readonly [drafted: number, accepted: number])[];
  /** Drafts by source; all of one drafter by default. */
  readonly sources?: LocalRow['stats']['sources'];
  readonly decodeMs?: number;
}

export const SAMPLE_MODEL: ModelInfo = {
  target: 'qwen3-tiny',
  drafter: 'dflash-tiny',
  device: 'cpu',
  infill: 'fim',
  maxDraftTokens: 15,
};

export function sampleRow(sample: Sample = {}): LocalRow {
  const { id = 1, kind = 'inline', at = 1000 * id, file = 'stack.js', outcome = 'shown' } = sample;
  const rounds = sample.rounds ?? [
    [3, 3],
    [3, 1],
  ];
  const { decodeMs = 100 } = sample;
  const drafted = sum(rounds.map(([count]) => count));
  const accepted = sum(rounds.map(([, count]) => count));
  const sources =
    sample.sources ?? (drafted > 0 ? [{ name: 'dflash', rounds: rounds.length, drafted, accepted }] : []);
  const emitted = 1 + accepted + rounds.length;
  const piece = (source: TokenPiece['source']): TokenPiece => ({ source, text: ` ${source}` });
  return {
    id,
    kind,
    at,
    model: sample.model ?? SAMPLE_MODEL,
    file,
    outcome,
    ...(sample.prompt && { prompt: sample.prompt }),
    stats: {
      promptTokens: 64,
      reusedTokens: 16,
      emittedTokens: emitted,
      rounds: rounds.length,
      roundTokens: emitted - 1,
      draftedTokens: drafted,
      acceptedTokens: accepted,
      acceptedByPosition: [],
      peakMemoryBytes: 0,
      draftedByPosition: [rounds.filter(([count]) => count > 0).length],
      wholeRounds: rounds.filter(([count, acceptedCount]) => count > 0 && acceptedCount === count).length,
      mismatchesByPosition: [0, 1, 2].map(
        (at) => rounds.filter(([count, acceptedCount]) => acceptedCount === at && count > at).length,
      ),
      sources,
      timeToFirstTokenMs: 40,
      queuedMs: 5,
      prefillMs: 30,
      draftMs: decodeMs / 4,
      verifyMs: decodeMs / 2,
      buildMs: decodeMs / 10,
      decodeMs,
      finishReason: 'stop',
      speculationOff: undefined,
    },
    rates: {
      tokensPerRound: rounds.length > 0 ? (emitted - 1) / rounds.length : 0,
      acceptanceRate: drafted > 0 ? accepted / drafted : 0,
      decodeTokensPerSecond: rounds.length > 0 ? (1000 * (emitted - 1)) / decodeMs : 0,
      endToEndTokensPerSecond: 1,
    },
    acceptanceLengths: rounds.map(([, count]) => count + 1),
    rounds: [
      [piece('prefill')],
      ...rounds.map(([, count]) => [...Array.from({ length: count }, () => piece('draft')), piece('target')]),
    ],
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
