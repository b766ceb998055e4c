// Runs a drafter round by round on a growing context, and returns the rows that reach the target's head, their logits,
// and the drafts that a greedy request picks. The caller knows the expected values.
import assert from 'node:assert/strict';
import { GreedySampler } from '../../server/engine/sampling/greedySampler';
import type { DraftedTokens, Sampler } from '../../server/engine/sampling/sampler';
import type { Drafter, DraftState, Proposal, ProposedChain } from '../../server/models/drafters/drafter';
import { scope, type Tree } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import type { TargetModel } from '../../server/models/decoder/target';
import { arrayOf, rowsOf, valuesOf } from './arrayValues';
import { withHead } from './headRecorder';
import { proposedLogits } from './proposedLogits';
import { runWhole } from './tokenRun';

export interface DraftRound {
  /** [drafts, hiddenSize] */
  readonly hidden: readonly number[];
  /** Logits of the target's head for these rows, [drafts, vocabSize]. */
  readonly base: readonly number[];
  /** [drafts, vocabSize] */
  readonly logits: readonly number[];
  /** Drafts; picked by the drafter's selector if it has one. */
  readonly tokens: readonly number[];
  /** Distribution that each draft was drawn from; undefined if none was drawn at random. */
  readonly distributions: DraftedTokens['distributions'];
  /** Natural logarithm of the confidence in each draft; undefined unless the drafter has a chain or a selector. */
  readonly confidence: readonly number[] | undefined;
}

export interface RoundOptions {
  readonly count?: number;
  readonly sampler?: Sampler;
}

/** Drafts `count` tokens, a full block by default, after `ids[start]` for each of the ascending starts. */
export function draftRounds(
  target: TargetModel,
  drafter: Drafter,
  ids: readonly number[],
  starts: readonly number[],
  { count = drafter.maxDraftTokens, sampler = new GreedySampler() }: RoundOptions = {},
): DraftRound[] {
  const { taps } = runWhole(target, ids, drafter.taps);
  const width = drafter.taps.length * target.config.hiddenSize;
  let head: Pick<DraftRound, 'hidden' | 'base'> = { hidden: [], base: [] };
  const recordedTarget = withHead(target, (rows, logits) => {
    head = { hidden: valuesOf(rows), base: valuesOf(logits) };
    return logits;
  });
  const state = drafter.newState(recordedTarget, ids.length);
  const rounds = starts.map((start, round) => {
    const from = starts[round - 1] ?? 0;
    commitTaps(state, ids.slice(from, start), rowsOf(taps, width, from, start));
    let drawnDistributions: DraftedTokens['distributions'];
    const drafts = proposed(state, ids[start] ?? 0, count, (proposal) => {
      const rows: mx.MxArray[] = [];
      const recorded = 'draft' in proposal ? recording(proposal, rows) : proposal;
      const { distributions, tokens, logConfidence } = sampler
        .sample(recorded, { history: ids, position: 0 })
        .read();
      drawnDistributions = distributions;
      const logits = 'draft' in proposal ? mx.concatenate(rows, 1) : proposal.logits;
      return { logits: valuesOf(logits), tokens, confidence: logConfidence };
    });
    return { ...head, ...drafts, distributions: drawnDistributions };
  });
  state.dispose();
  return rounds;
}

/** Returns the same chain, which adds the logits of its rows to `rows`. */
function recording({ draft }: ProposedChain, rows: mx.MxArray[]): ProposedChain {
  return {
    draft: (choose) =>
      draft((logits, row) => {
        rows.push(logits);
        return choose(logits, row);
      }),
  };
}

export function draftLogits(state: DraftState, anchor: number, count: number): number[] {
  return proposed(state, anchor, count, (proposal) => valuesOf(proposedLogits(proposal)));
}

function proposed<T extends Tree>(
  state: DraftState,
  anchor: number,
  count: number,
  read: (proposal: Exclude<Proposal, { tokens: unknown }>) => T,
): T {
  return scope(() => {
    const proposal = state.propose(anchor, count);
    assert.ok(!('tokens' in proposal));
    return read(proposal);
  });
}

export function commitTaps(state: DraftState, tokens: readonly number[], taps: readonly number[]): void {
  scope(() => {
    state.commit(tokens, arrayOf([1, tokens.length, taps.length / tokens.length], taps));
    return undefined;
  });
}
