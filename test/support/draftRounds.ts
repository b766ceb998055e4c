// What a drafter makes of a text, round by round on a context that grows: the rows that reach the target's head, and
// their logits. Knows nothing about what is to be expected.
import assert from 'node:assert/strict';
import type { Drafter, DraftState } from '../../server/models/drafter';
import { scope } from '../../server/models/memory';
import type { TargetModel } from '../../server/models/target';
import { arrayOf, rowsOf, valuesOf } from './arrayValues';
import { withHead } from './headRecorder';
import { runWhole } from './tokenRun';

export interface DraftRound {
  /** [drafts, hiddenSize] */
  readonly hidden: readonly number[];
  /** [drafts, vocabSize] */
  readonly logits: readonly number[];
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
    const logits = draftLogits(state, ids[start] ?? 0, drafter.maxDraftTokens);
    return { hidden, logits };
  });
  state.dispose();
  return rounds;
}

export function draftLogits(state: DraftState, anchor: number, count: number): number[] {
  return scope(() => {
    const proposal = state.propose(anchor, count);
    assert.ok('logits' in proposal);
    return valuesOf(proposal.logits);
  });
}

export function commitTaps(state: DraftState, tokens: readonly number[], taps: readonly number[]): void {
  scope(() => {
    state.commit(tokens, arrayOf([1, tokens.length, taps.length / tokens.length], taps));
    return undefined;
  });
}

/** The most probable token of each row. */
export function bestTokens(logits: readonly number[], vocabSize: number): number[] {
  return Array.from({ length: logits.length / vocabSize }, (_, row) => {
    const values = rowsOf(logits, vocabSize, row, row + 1);
    return values.indexOf(Math.max(...values));
  });
}
