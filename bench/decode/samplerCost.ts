// What drawing tokens adds to a pass, compared with the same pass that takes the most probable ones: to a plain step,
// and to rounds in which every draft is accepted, so that every row has to be processed.
import { distribution } from '../../server/engine/sampling/distribution';
import { greedySampler } from '../../server/engine/sampling/greedySampler';
import type { Drafted, Sampler } from '../../server/engine/sampling/sampler';
import { samplerOf } from '../../server/engine/sampling/samplerOf';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { median } from '../../server/rules/median';
import { MAX_WIDTH, VerifySteps } from './verifySteps';

/** Rows of the target's pass. */
const ROWS = [1, 4, 8, 16];
/** Many, because a small difference is measured. */
const PAIRS_PER_REPEAT = 20;
/** Tokens that a draft is drawn from, as many as with a real drafter. */
const DRAFTED_FROM = 16;

export interface SamplerCost {
  readonly rows: number;
  /** Median milliseconds of a pass with sampling, and of its part in JavaScript after the evaluation. */
  readonly ms: number;
  readonly hostMs: number;
  /** The extra time over the pass without sampling, as a share of the whole pass; of two passes side by side. */
  readonly share: number;
}

export async function samplerCost(
  target: TargetModel,
  prompt: readonly number[],
  sampling: SamplingOptions,
  repeats: number,
): Promise<SamplerCost[]> {
  const steps = await VerifySteps.prepare(target, prompt);
  const drafted = await acceptedDrafts(steps, sampling, MAX_WIDTH - 1);
  const sampled = wholeRound(samplerOf(samplingOf(sampling)));
  const greedy = wholeRound(greedySampler);
  const pairs = ROWS.map((): Omit<SamplerCost, 'rows'>[] => []);
  // The first pass warms up.
  for (let repeat = -1; repeat < repeats * PAIRS_PER_REPEAT; repeat++) {
    for (const [i, rows] of ROWS.entries()) {
      const drafts = firstDrafts(drafted, rows - 1);
      const plain = await steps.verify(drafts, greedy);
      const { ms } = await steps.verify(drafts, sampled);
      if (repeat >= 0) pairs[i]?.push({ ms, hostMs: sampled.hostMs, share: 1 - plain.ms / ms });
    }
  }
  steps.dispose();
  const middle = (i: number, figure: keyof Omit<SamplerCost, 'rows'>): number =>
    median((pairs[i] ?? []).map((pair) => pair[figure]));
  return ROWS.map((rows, i) => ({
    rows,
    ms: middle(i, 'ms'),
    hostMs: middle(i, 'hostMs'),
    share: middle(i, 'share'),
  }));
}

/** Drafts that stay in either mode: the target's own draws, with a lower probability as drafts than the target's. */
async function acceptedDrafts(
  steps: VerifySteps,
  sampling: SamplingOptions,
  count: number,
): Promise<Drafted> {
  const own = samplerOf(samplingOf({ ...sampling, acceptance: 'match' }));
  let tokens: readonly number[] = [];
  while (tokens.length < count) ({ tokens } = await steps.verify({ tokens }, own));
  const distributions = tokens.map((token) => {
    const listed = [...new Set([token, ...Array(DRAFTED_FROM).keys()])].slice(0, DRAFTED_FROM);
    const weights = listed.map((each) => (each === token ? 1e-12 : 1));
    return distribution(listed, weights);
  });
  return { tokens, distributions };
}

function firstDrafts({ tokens, distributions = [] }: Drafted, count: number): Drafted {
  return { tokens: tokens.slice(0, count), distributions: distributions.slice(0, count) };
}

/** Everything a sampler does for a round: it judges, and picks as many drafts from logits of the same size. */
function wholeRound(sampler: Sampler): Sampler & { readonly hostMs: number } {
  let hostMs = 0;
  return {
    drawsDrafts: sampler.drawsDrafts,
    sample: (proposed, at) => sampler.sample(proposed, at),
    verify: (logits, drafted, at) => {
      const judged = sampler.verify(logits, drafted, at);
      const count = drafted.tokens.length;
      const picked = count > 0 ? sampler.sample({ logits: mx.slice(logits, 1, 0, count) }, at) : undefined;
      const picks = Object.values(picked?.arrays ?? {}).flatMap((arrays) => arrays ?? []);
      return {
        arrays: { ...judged.arrays, picks },
        read: () => {
          const startedAt = performance.now();
          picked?.read();
          const { tokenAt } = judged.read();
          hostMs = performance.now() - startedAt;
          return {
            tokenAt: (row) => {
              const askedAt = performance.now();
              const token = tokenAt(row);
              hostMs += performance.now() - askedAt;
              return token;
            },
          };
        },
      };
    },
    get hostMs() {
      return hostMs;
    },
  };
}
