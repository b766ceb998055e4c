// Contract of every drafter: its state depends on the committed tokens and nothing else, however they arrived and
// whatever was drafted in between.
import assert from 'node:assert/strict';
import type { Drafter, DraftState, Proposal } from '../../../server/models/drafters/drafter';
import { liveArrays, scope } from '../../../server/models/mlx/memory';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose, valuesOf } from '../../support/arrayValues';
import { ANCHOR, commitText } from '../../support/madeUpText';
import { proposedLogits } from '../../support/proposedLogits';

export interface DrafterRow {
  readonly name: string;
  readonly open: () => Promise<{ readonly target: TargetModel; readonly drafter: Drafter }>;
}

/** Tolerance of differences: other numbers of rows use other kernels, which round differently. */
const TOLERANCE = 1e-4;

export function testDrafter({ name, open }: DrafterRow): void {
  describe(`the drafter contract of ${name}`, () => {
    let arraysBeforeLoad: number;
    let target: TargetModel;
    let drafter: Drafter;
    before(async () => {
      arraysBeforeLoad = liveArrays();
      ({ target, drafter } = await open());
    });
    after(() => {
      drafter.dispose();
      target.dispose();
      assert.equal(liveArrays(), arraysBeforeLoad, 'arrays left after dispose');
    });

    let arraysBefore: number;
    beforeEach(() => (arraysBefore = liveArrays()));
    afterEach(() => assert.equal(liveArrays(), arraysBefore, 'arrays left by a state'));

    /** Calls `use` with a new state and frees it. */
    const withState = <T>(use: (state: DraftState) => T): T => {
      const state = drafter.newState(target, 1);
      try {
        return use(state);
      } finally {
        state.dispose();
      }
    };

    const commit = (state: DraftState, from: number, to: number, text = 1): void => {
      commitText({ drafter, target, text }, state, from, to);
    };

    const propose = (state: DraftState, anchor = ANCHOR, count = drafter.maxDraftTokens): number[] =>
      scope(() => {
        const proposal = state.propose(anchor, count);
        return 'tokens' in proposal ? [...proposal.tokens] : valuesOf(proposedLogits(proposal));
      });

    /** Returns the proposal of a state that got positions [0, length) in one call. */
    const expected = (length: number, anchor = ANCHOR): number[] =>
      withState((state) => {
        commit(state, 0, length);
        return propose(state, anchor);
      });

    const assertNear = (actual: readonly number[], expectedDraft: readonly number[]): void => {
      if (expectedDraft.length === 0) assert.deepEqual(actual, []);
      else assertClose(actual, expectedDraft, TOLERANCE, 'proposals');
    };

    /** Asserts that a proposal has logits for `count` rows, or at most `count` tokens. */
    const assertProposal = (proposal: Proposal, count: number): undefined => {
      if (!('tokens' in proposal)) {
        assert.deepEqual(proposedLogits(proposal).shape, [1, count, target.config.vocabSize]);
        return;
      }
      const { tokens, confidence } = proposal;
      assert.ok(tokens.length <= count, `${String(tokens.length)} tokens, more than ${String(count)}`);
      if (confidence) assert.equal(confidence.length, tokens.length);
    };

    it('proposes at most the requested number of tokens', () => {
      for (let count = Math.min(1, drafter.maxDraftTokens); count <= drafter.maxDraftTokens; count++) {
        withState((state) => {
          commit(state, 0, 6);
          scope(() => assertProposal(state.propose(ANCHOR, count), count));
        });
      }
    });

    for (const sizes of [[11, 1], Array<number>(12).fill(1)]) {
      it(`commits 12 tokens in pieces of ${sizes.join(', ')} as in one call`, () => {
        const pieces = withState((state) => {
          let at = 0;
          for (const size of sizes) {
            commit(state, at, at + size);
            at += size;
          }
          return propose(state);
        });
        assertNear(pieces, expected(12));
      });
    }

    it('commits a long text in pieces as in one call', () => {
      const pieces = withState((state) => {
        for (let at = 0; at < 300; at += 3) {
          commit(state, at, at + 3);
          const { length } = state.arrays();
          assert.ok(length < 80, `${String(length)} arrays wait to be processed`);
        }
        return propose(state);
      });
      assertNear(pieces, expected(300));
    });

    it('forgets its drafts, however many were accepted', () => {
      const afterRounds = withState((state) => {
        let at = 0;
        for (const kept of [3, 1, 5, 2, 1]) {
          commit(state, at, at + kept);
          at += kept;
          propose(state, 11 + at);
          propose(state, ANCHOR, Math.min(2, drafter.maxDraftTokens));
        }
        return propose(state);
      });
      assertNear(afterRounds, expected(12));
    });

    it('forgets positions that are trimmed', () => {
      const trimmed = withState((state) => {
        commit(state, 0, 9);
        commit(state, 9, 15, 2);
        propose(state);
        state.trimTo(9);
        assert.equal(state.offset, 9);
        commit(state, 9, 12);
        return propose(state);
      });
      assertNear(trimmed, expected(12));
    });

    it('forks at any position, without effect on the original', () => {
      for (const length of [0, 1, 6, 9]) {
        withState((state) => {
          commit(state, 0, 9);
          const copy = state.fork(length, 20);
          assert.equal(copy.offset, length);
          commit(state, 9, 12);
          commit(copy, length, 10);
          propose(copy, 3);
          commit(copy, 10, 15, 2);
          assertNear(propose(state), expected(12));
          copy.trimTo(10);
          state.trimTo(2);
          commit(copy, 10, 12);
          assertNear(propose(copy), expected(12));
          copy.dispose();
          commit(state, 2, 12);
          assertNear(propose(state), expected(12));
        });
      }
    });

    it('keeps the states of two decodes separate', () => {
      const separate = withState((firstState) =>
        withState((secondState) => {
          commit(firstState, 0, 6);
          commit(secondState, 0, 10, 2);
          propose(secondState, 3);
          commit(firstState, 6, 12);
          return propose(firstState);
        }),
      );
      assertNear(separate, expected(12));
    });

    it('depends on the anchor and the text, if it drafts at all', () => {
      if (drafter.maxDraftTokens === 0) return;
      const usual = expected(9);
      assert.notEqual(usual.length, 0);
      assert.notDeepEqual(expected(9, ANCHOR + 1), usual);
      const afterOtherText = withState((state) => {
        commit(state, 0, 9, 2);
        return propose(state);
      });
      assert.notDeepEqual(afterOtherText, usual);
    });

    it('can draft before any commit', () => {
      withState((state) => assertNear(propose(state), propose(state)));
    });

    it('keeps the number of live arrays constant from round to round', () => {
      withState((state) => {
        const empty = liveArrays();
        commit(state, 0, 9);
        assert.equal(state.arrays().length, liveArrays() - empty);
        const counts = new Set<number>();
        for (let at = 9; at < 30; at += 3) {
          propose(state);
          commit(state, at, at + 3);
          counts.add(liveArrays());
          assert.equal(state.arrays().length, liveArrays() - empty);
        }
        assert.equal(counts.size, 1);
      });
    });
  });
}
