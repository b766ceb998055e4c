// What a drafter makes of a text, round by round on a context that grows: the rows that reach the target's head, their
// logits, and the drafts that a greedy request picks. Knows nothing about what is to be expected.
import assert from 'node:assert/strict';
import { greedySampler } from '../../server/engine/sampling/greedySampler';
import type { Drafter, DraftState, ProposedLogits } from '../../server/models/drafter';
import { scope, type Tree } from '../../server/models/memory';
import type { TargetModel } from '../../server/models/target';
import { arrayOf, rowsOf, valuesOf } from './arrayValues';
import { withHead } from './headRecorder';
import { runWhole } from './tokenRun';

export interface DraftRound {
  /** [drafts, hiddenSize] */
  readonly hidden: readonly number[];
  /** [drafts, vocabSize] */
  readonly logits: readonly number[];
  /** By the drafter's selector, if it has one. */
  readonly tokens: readonly number[];
}

/** One full block behind `ids[start]` for each start; starts grow. */
export function draftRounds(
  target: TargetModel,
  drafter: Drafter,
  ids: readonly number[],
  starts: readonly number[],
): DraftRound[] {
  const { taps } = runWhole(target, ids, drafter.taps);
  const width = drafter.taps.length * target.config.hiddenSize;
  let hidden: number[] = [];
  const seen = withHead(target, (rows, logits) => {
    hidden = valuesOf(rows);
    return logits;
  });
  const state = drafter.newState(seen, ids.length);
  const rounds = starts.map((start, round) => {
    const from = starts[round - 1] ?? 0;
    commitTaps(state, ids.slice(from, start), rowsOf(taps, width, from, start));
    const drafts = proposed(state, ids[start] ?? 0, drafter.maxDraftTokens, (proposal) => {
      const { tokens } = greedySampler.pick(proposal, { history: ids, position: 0 }).read();
      return { logits: valuesOf(proposal.logits), tokens };
    });
    return { hidden, ...drafts };
  });
  state.dispose();
  return rounds;
}

export function draftLogits(state: DraftState, anchor: number, count: number): number[] {
  return proposed(state, anchor, count, ({ logits }) => valuesOf(logits));
}

function proposed<T extends Tree>(
  state: DraftState,
  anchor: number,
  count: number,
  read: (proposal: ProposedLogits) => T,
): T {
  return scope(() => {
    const proposal = state.propose(anchor, count);
    assert.ok('logits' in proposal);
    return read(proposal);
  });
}

export function commitTaps(state: DraftState, tokens: readonly number[], taps: readonly number[]): void {
  scope(() => {
    state.commit(tokens, arrayOf([1, tokens.length, taps.length / tokens.length], taps));
    return undefined;
  });
}
