// Whether decodes gave what the target alone gives: each is done once more, cold and plainly, and compared token by
// token. Knows neither documents nor the server.
import type { DecodeOptions } from '../../engine/decodeOptions';
import type { Engine } from '../../engine/engine';
import type { DecodeResult } from '../../engine/decodeResult';
import type { SamplingOptions } from '../../engine/sampling/sampling';
import { NEAR_TIE, topTwoGap } from './topTwoGap';

export interface RecordedRun {
  readonly promptIds: readonly number[];
  readonly stopStrings: readonly string[];
  readonly stopTokenIds?: readonly number[] | undefined;
  /** With the seed where tokens were drawn, which gives the same text again unless drafts were drawn too. */
  readonly sampling?: SamplingOptions | undefined;
  /** What was given out, also when it was broken off early. */
  readonly tokenIds: readonly number[];
}

export interface Reference {
  /** The first `maxTokens` tokens that the target gives by itself. */
  readonly decode: (run: RecordedRun, maxTokens: number) => Promise<readonly number[]>;
  /** Between its two best logits after these tokens. */
  readonly gapAfter: (tokenIds: readonly number[]) => Promise<number>;
}

export interface Losslessness {
  /** Decodes that gave out at least one token. */
  readonly requests: number;
  readonly equal: number;
  /** Different from a token on where the two best ones were nearly equal. */
  readonly nearTies: number;
  readonly different: number;
}

/** Nothing is reused and nothing is drafted. */
const PLAIN = { draftLength: 0, fresh: true, kind: 'generate' } as const satisfies Partial<DecodeOptions>;

/** Stops early when the signal aborts, with the counts so far. */
export async function losslessness(
  runs: readonly RecordedRun[],
  reference: Reference,
  signal: AbortSignal,
  onProgress: (checked: number) => void = () => undefined,
): Promise<Losslessness> {
  const counts = { requests: 0, equal: 0, nearTies: 0, different: 0 };
  for (const run of runs) {
    if (signal.aborted) break;
    if (run.tokenIds.length === 0) continue;
    counts[await verdict(run, reference)] += 1;
    onProgress((counts.requests += 1));
  }
  return counts;
}

export function plainReference(engine: Engine): Reference {
  return {
    decode: async ({ promptIds, stopStrings, stopTokenIds, sampling }, maxTokens) => {
      const { tokenIds }: DecodeResult = await engine
        .decode(promptIds, { ...PLAIN, stopStrings, stopTokenIds, sampling, maxTokens })
        .finish();
      return tokenIds;
    },
    gapAfter: (tokenIds) => topTwoGap(engine.target, tokenIds),
  };
}

async function verdict(
  run: RecordedRun,
  { decode, gapAfter }: Reference,
): Promise<'equal' | 'nearTies' | 'different'> {
  const { promptIds, tokenIds } = run;
  const plain = await decode(run, tokenIds.length);
  const at = tokenIds.findIndex((token, i) => token !== plain[i]);
  if (at < 0) return 'equal';
  return (await gapAfter([...promptIds, ...plain.slice(0, at)])) < NEAR_TIE ? 'nearTies' : 'different';
}
