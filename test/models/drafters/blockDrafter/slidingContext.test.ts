// Tests that the contexts of a drafter with sliding layers hold little more than their windows, and that its drafts
// equal those of a drafter that drops nothing.
import assert from 'node:assert/strict';
import type { Drafter, DraftState } from '../../../../server/models/drafters/drafter';
import { liveArrays, scope } from '../../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose, valuesOf } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import { ANCHOR, commitText } from '../../../support/madeUpText';
import { tinyDrafter, tinyTarget, writeCheckpoint } from '../../../support/tinyCheckpoint';

const WINDOW = 5;
/** More than a context holds before it drops rows for the first time. */
const LONG = 1400;

for (const causal of [true, false])
  describe(`a drafter of ${causal ? 'causal' : 'two-way'} sliding layers`, () => {
    let target: TargetModel;
    let drafter: Drafter;
    let arraysBefore: number;
    before(async () => {
      const tied = { tie_word_embeddings: true, max_position_embeddings: 4096 };
      target = await loadTarget(writeCheckpoint(tinyTarget(tied)), testDevice);
      const sliding = {
        layer_types: ['sliding_attention', 'sliding_attention'],
        sliding_window: WINDOW,
        max_position_embeddings: 4096,
        is_causal: causal,
      };
      drafter = await loadDrafter(writeCheckpoint(tinyDrafter(sliding)), target.config, testDevice);
    });
    after(() => {
      drafter.dispose();
      target.dispose();
    });
    beforeEach(() => (arraysBefore = liveArrays()));
    afterEach(() => assert.equal(liveArrays(), arraysBefore, 'arrays left by a state'));

    function withState<T>(use: (state: DraftState) => T): T {
      const state = drafter.newState(target, 1);
      try {
        return use(state);
      } finally {
        state.dispose();
      }
    }

    const commit = (state: DraftState, from: number, to: number) => {
      commitText({ drafter, target, text: 1 }, state, from, to);
    };

    const propose = (state: DraftState): number[] =>
      scope(() => {
        const proposal = state.propose(ANCHOR, drafter.maxDraftTokens);
        assert.ok('logits' in proposal);
        return valuesOf(proposal.logits);
      });

    /** Returns the draft of a state that got all rows at once and therefore dropped none. */
    const atOnce = (length: number): number[] =>
      withState((state) => {
        commit(state, 0, length);
        return propose(state);
      });

    it('reports the positions that it was trained for', () => {
      assert.equal(drafter.maxPositions, 4096);
    });

    it('drafts the same after it dropped rows of its context, also after trimming', () => {
      withState((state) => {
        for (let at = 0; at < LONG; at += 100) commit(state, at, at + 100);
        assertClose(propose(state), atOnce(LONG), 1e-4, 'a draft');
        for (const { shape } of state.arrays()) assert.ok((shape[2] ?? 0) < LONG, `rows of ${String(shape)}`);
        assert.equal(state.reachable(LONG - 300), LONG - 300);
        assert.equal(state.reachable(10), 0);
        state.trimTo(LONG - 300);
        assertClose(propose(state), atOnce(LONG - 300), 1e-4, 'a draft after a cut');
      });
    });
  });
