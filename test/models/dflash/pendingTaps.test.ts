// Taps that wait until they are asked for: whatever was waiting when, a draft is that of a state that has absorbed
// everything at once.
import assert from 'node:assert/strict';
import type { Drafter, DraftState } from '../../../server/models/drafters/drafter';
import { liveArrays, scope } from '../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose, valuesOf } from '../../support/arrayValues';
import { cpu } from '../../support/cpu';
import { DFLASH, QWEN3 } from '../../support/fixtures';
import { ANCHOR, commitText } from '../../support/madeUpText';

/** Rows that wait at most, as the drafter has it. */
const MAX_PENDING = 64;
const TOLERANCE = 1e-4;

describe('the pending taps of DFlash', () => {
  let target: TargetModel;
  let drafter: Drafter;
  let contexts: number;
  before(async () => {
    target = await loadTarget(QWEN3, cpu);
    drafter = await loadDrafter(DFLASH, target.config, cpu);
    contexts = withState((state) => {
      commit(state, 0, MAX_PENDING);
      return state.arrays().length;
    });
  });
  after(() => {
    drafter.dispose();
    target.dispose();
  });

  let idle: number;
  beforeEach(() => (idle = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), idle, 'arrays left by a state'));

  function withState<T>(use: (state: DraftState) => T): T {
    const state = drafter.newState(target, 1);
    try {
      return use(state);
    } finally {
      state.dispose();
    }
  }

  function commit(state: DraftState, from: number, to: number, text = 1): void {
    commitText({ drafter, target, text }, state, from, to);
  }

  function propose(state: DraftState): number[] {
    return scope(() => {
      const proposal = state.propose(ANCHOR, drafter.maxDraftTokens);
      assert.ok('logits' in proposal);
      return valuesOf(proposal.logits);
    });
  }

  /** Requires the draft of a state that was shown `length` positions and asked at once. */
  function requireDraft(state: DraftState, length: number): void {
    assert.equal(state.offset, length);
    const expected = withState((fresh) => {
      commit(fresh, 0, length);
      return propose(fresh);
    });
    assertClose(propose(state), expected, TOLERANCE, `a draft after ${String(length)} positions`);
  }

  it('wait without being absorbed, and are absorbed by a draft', () => {
    withState((state) => {
      for (let at = 0; at < 10; at++) commit(state, at, at + 1);
      assert.equal(state.offset, 10);
      assert.equal(state.arrays().length, 10, 'one array per commit, and no context');
      requireDraft(state, 10);
      assert.equal(state.arrays().length, contexts, 'contexts, and nothing that waits');
    });
  });

  for (const size of [1, 7, 63, 64, 65, 200])
    it(`are as if absorbed at once, when they come in pieces of ${String(size)}`, () => {
      withState((state) => {
        for (let at = 0; at < 210; at += size) commit(state, at, Math.min(210, at + size));
        requireDraft(state, 210);
      });
    });

  it('are never more than a few rows, however long nobody asks', () => {
    withState((state) => {
      for (let at = 0; at < 500; at++) {
        commit(state, at, at + 1);
        assert.ok(state.arrays().length < contexts + MAX_PENDING);
      }
      requireDraft(state, 500);
    });
  });

  for (const [absorbed, waiting] of [
    [0, 20],
    [70, 20],
    [10, 0],
  ] as const)
    it(`are taken back with any number of positions: ${String(absorbed)} absorbed, ${String(waiting)} waiting`, () => {
      const whole = absorbed + waiting;
      for (const length of [0, 1, absorbed - 1, absorbed, absorbed + 1, whole - 1, whole]) {
        if (length < 0 || length > whole) continue;
        withState((state) => {
          if (absorbed > 0) commit(state, 0, absorbed);
          propose(state);
          for (let at = absorbed; at < whole; at += 5) commit(state, at, at + 5);
          state.trimTo(length);
          assert.equal(state.offset, length);
          // What comes next differs from what was taken back.
          commit(state, length, length + 4, 2);
          state.trimTo(length);
          commit(state, length, whole + 3);
          requireDraft(state, whole + 3);
        });
      }
    });

  it('are copied too, before and after they are absorbed, and belong to both', () => {
    for (const length of [0, 5, 70, 75, 80]) {
      withState((state) => {
        commit(state, 0, 70);
        for (let at = 70; at < 80; at++) commit(state, at, at + 1);
        const copy = state.fork(length, 100);
        for (let at = 80; at < 83; at++) commit(state, at, at + 1, 2);
        for (let at = length; at < 90; at++) commit(copy, at, at + 1);
        state.trimTo(75);
        state.dispose();
        requireDraft(copy, 90);
        copy.dispose();
      });
    }
  });

  it('are freed with the state that holds them', () => {
    const state = drafter.newState(target, 1);
    commit(state, 0, 3);
    assert.ok(liveArrays() > idle);
    state.dispose();
    assert.equal(liveArrays(), idle);
    assert.equal(state.offset, 0);
  });
});
