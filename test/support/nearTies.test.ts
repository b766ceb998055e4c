// The gaps that excuse a draft: between the best two tokens by what the drafter goes by, its selector included.
import assert from 'node:assert/strict';
import type { ProposedLogits } from '../../server/models/drafters/drafter';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import { arrayOf, assertClose, rowsOf, valuesOf } from './arrayValues';
import { cpu } from './cpu';
import { gapsAfter } from './nearTies';
import { tinyDrafter, tinyTarget, withSelector, writeCheckpoint } from './tinyCheckpoint';
import { runWhole } from './tokenRun';
import { topTwoGaps } from './topTwoGaps';

const TOP_K = 8;
const COMMITTED = [1, 2, 3, 4, 5];

describe('near ties of drafts', () => {
  for (const [what, checkpoint] of [
    ['without a selector', tinyDrafter()],
    ['with one', withSelector(tinyDrafter(), TOP_K)],
  ] as const)
    it(`go by what decides ${what}`, async () => {
      const before = liveArrays();
      const target = await loadTarget(writeCheckpoint(tinyTarget()), cpu);
      const drafter = await loadDrafter(writeCheckpoint(checkpoint), target.config, cpu);
      const { vocabSize } = target.config;
      const { logits, taps } = runWhole(target, COMMITTED, drafter.taps);
      const rows = COMMITTED.length - 1;
      const state = drafter.newState(target, rows);
      const scores = scope(() => {
        const width = taps.length / COMMITTED.length;
        state.commit(COMMITTED.slice(0, -1), arrayOf([1, rows, width], rowsOf(taps, width, 0, rows)));
        const proposal = state.propose(COMMITTED[rows] ?? 0, drafter.maxDraftTokens);
        assert.ok('logits' in proposal);
        return scoresOf(proposal, vocabSize);
      });
      // The draft before each is the second best, so that a gain is not taken from the drafter's own choice.
      const gaps = await gapsAfter(target, drafter, COMMITTED, scores.following);
      assertClose(
        [gaps.target],
        topTwoGaps(rowsOf(logits, vocabSize, rows, rows + 1), vocabSize),
        1e-4,
        'target',
      );
      assertClose(gaps.drafts, scores.gaps, 1e-4, 'drafts');
      state.dispose();
      drafter.dispose();
      target.dispose();
      assert.equal(liveArrays(), before);
    });
});

/** Row by row behind the second most probable token of the row before, by plain JavaScript. */
function scoresOf({ logits, selector }: ProposedLogits, vocabSize: number) {
  const values = valuesOf(logits);
  const rows = Array.from({ length: values.length / vocabSize }, (_, row) =>
    rowsOf(values, vocabSize, row, row + 1),
  );
  const ids = rows.map((row) =>
    [...row.keys()].sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0)).slice(0, TOP_K),
  );
  const gains = selector && valuesOf(selector.gains(mx.constant(ids, mx.int32)));
  const gaps = ids.flatMap((tokens, row) => {
    const start = (row * TOP_K + 1) * TOP_K;
    const scores = tokens.map((token, i) => (rows[row]?.[token] ?? NaN) + (gains?.[start + i] ?? 0));
    return topTwoGaps(scores, TOP_K);
  });
  return { gaps, following: ids.map(([, second = 0]) => second) };
}
