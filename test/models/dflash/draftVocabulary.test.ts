// The part of a large vocabulary that DFlash drafts from: frequent tokens, those of the text and those that end one; its
// logits are those of the whole. What a drafter must hold with any vocabulary is in the contract.
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/device';
import type { Drafter, DraftState } from '../../../server/models/drafter';
import { liveArrays, scope } from '../../../server/models/memory';
import * as mx from '../../../server/models/ops';
import { loadDrafter, loadTarget } from '../../../server/models/registry';
import type { TargetModel } from '../../../server/models/target';
import { arrayOf, assertClose, valuesOf } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { withHead } from '../../support/headRecorder';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { seededIntegers } from '../../support/seededRandom';
import { tinyDrafter, tinyTarget, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

const VOCABULARY = 8192;
const LIMIT = VOCABULARY / 4;
const MASK = 8190;
const ENDS = [8000, 2];
const ANCHOR = 7;

const SIZES = { vocab_size: VOCABULARY };
const MASKED = { ...SIZES, dflash_config: { mask_token_id: MASK, target_layer_ids: [1, 0] } };

interface Proposed {
  /** Of the columns behind the limit. */
  readonly others: readonly number[];
  /** By row and token; undefined for tokens that have no column. */
  readonly logit: (row: number, token: number) => number | undefined;
}

describe('the draft vocabulary of DFlash', () => {
  let loaded: number;
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  async function withPair(
    use: (target: TargetModel, drafter: Drafter) => void,
    {
      config = MASKED,
      tied = true,
      device = cpu,
      bits,
    }: {
      config?: Readonly<Record<string, unknown>>;
      tied?: boolean;
      device?: Device;
      bits?: number;
    } = {},
  ): Promise<void> {
    const pack = (checkpoint: Checkpoint): Checkpoint =>
      bits === undefined ? checkpoint : quantisedCheckpoint(checkpoint, { bits, groupSize: 64 }).quantised;
    const { vocab_size } = config;
    const plain = tinyTarget({ vocab_size, tie_word_embeddings: tied, eos_token_id: ENDS });
    const target = await loadTarget(writeCheckpoint(pack(plain)), device);
    const drafter = await loadDrafter(writeCheckpoint(tinyDrafter(config)), target.config, device);
    use(target, drafter);
    drafter.dispose();
    target.dispose();
  }

  /** Shows a state these tokens, with taps that depend on where they stand and on nothing else. */
  function commit(drafter: Drafter, target: TargetModel, state: DraftState, tokens: readonly number[]): void {
    const width = drafter.taps.length * target.config.hiddenSize;
    const rows = tokens.flatMap((_, i) =>
      seededIntegers(state.offset + i, width, -64, 64).map((k) => k / 32),
    );
    scope(() => {
      state.commit(tokens, arrayOf([1, tokens.length, width], rows));
      return undefined;
    });
  }

  function proposed(state: DraftState, anchor = ANCHOR, count = 3): Proposed {
    let result: Proposed | undefined;
    scope(() => {
      const proposal = state.propose(anchor, count);
      assert.ok('logits' in proposal);
      const { logits, columns } = proposal;
      const values = valuesOf(logits);
      const width = values.length / count;
      if (columns) {
        const tokens = valuesOf(columns.tokensAt(mx.arange(0, width)));
        assert.deepEqual(tokens, [...Array(columns.limit).keys(), ...columns.others]);
      }
      result = {
        others: columns?.others ?? [],
        logit: (row, token) => {
          const column = columns ? columns.columnOf(token) : token;
          return column === undefined ? undefined : values[row * width + column];
        },
      };
      return undefined;
    });
    assert.ok(result);
    return result;
  }

  const TEXT = [5, 3000, 17, 7999, 3000, 2048, 2047, 5];

  for (const [what, options] of [
    ['a tied head', {}],
    ['a head of its own', { tied: false }],
    ['a head of 8 bits', { bits: 8 }],
    ['a packed head of 4 bits', { bits: 4, device: packedCpu }],
    ['a packed head of 8 bits of its own', { bits: 8, device: packedCpu, tied: false }],
  ] as const)
    it(`has the logits of the whole one, for ${what}`, async () => {
      await withPair((target, drafter) => {
        const [part, whole] = [target, withHead(target)].map((seen) => {
          const state = drafter.newState(seen, 1);
          commit(drafter, target, state, TEXT);
          const result = proposed(state);
          state.dispose();
          return result;
        });
        assert.ok(part && whole);
        assert.deepEqual(part.others, [8000, 3000, 7999, 2048]);
        assert.equal(part.logit(0, 2049), undefined);
        const tokens = [...Array(LIMIT).keys(), ...part.others];
        for (const row of [0, 1, 2]) {
          const values = (from: Proposed) => tokens.map((token) => from.logit(row, token) ?? NaN);
          assertClose(values(part), values(whole), 1e-4, `logits of row ${row}`);
        }
      }, options);
    });

  it('has tokens from when they enter the text or stand before a draft, and until they are taken back', async () => {
    await withPair((target, drafter) => {
      const state = drafter.newState(target, 1);
      commit(drafter, target, state, [5, 3000]);
      assert.deepEqual(proposed(state).others, [8000, 3000]);
      assert.deepEqual(proposed(state, 4000).others, [8000, 3000, 4000]);
      assert.deepEqual(proposed(state).others, [8000, 3000], 'an anchor leaves nothing behind');
      commit(drafter, target, state, [4000, 3000, 8000, 6000]);
      assert.deepEqual(proposed(state, 6000).others, [8000, 3000, 4000, 6000]);
      const copy = state.fork(3, 20);
      state.trimTo(5);
      assert.deepEqual(proposed(state).others, [8000, 3000, 4000]);
      state.trimTo(1);
      assert.deepEqual(proposed(state).others, [8000], 'those that end a text stay');
      commit(drafter, target, state, [4000, 3000]);
      assert.deepEqual(proposed(state).others, [8000, 4000, 3000], 'in the order of the new text');
      state.dispose();
      assert.deepEqual(proposed(copy).others, [8000, 3000, 4000]);
      commit(drafter, target, copy, [5000]);
      assert.deepEqual(proposed(copy).others, [8000, 3000, 4000, 5000]);
      copy.dispose();
    });
  });

  it('has the same logits whatever was gathered before', async () => {
    await withPair((target, drafter) => {
      const [state, fresh] = [drafter.newState(target, 1), drafter.newState(target, 1)];
      commit(drafter, target, state, [5, 3000, 4000]);
      proposed(state);
      state.trimTo(1);
      // As many as before, in another order.
      commit(drafter, target, state, [4000, 3000]);
      commit(drafter, target, fresh, [5, 4000, 3000]);
      const [actual, expected] = [proposed(state), proposed(fresh)];
      assert.deepEqual(actual.others, expected.others);
      const values = ({ logit, others }: Proposed) => others.map((token) => logit(1, token) ?? NaN);
      assertClose(values(actual), values(expected), 1e-4, 'logits');
      state.dispose();
      fresh.dispose();
    });
  });

  it('never has the mask token, even if the text does', async () => {
    await withPair((target, drafter) => {
      const state = drafter.newState(target, 1);
      commit(drafter, target, state, [5, MASK, 3000]);
      const { others, logit } = proposed(state, MASK);
      assert.deepEqual(others, [8000, 3000]);
      assert.equal(logit(0, MASK), undefined);
      state.dispose();
    });
    await withPair(
      (target, drafter) => {
        const state = drafter.newState(target, 1);
        commit(drafter, target, state, [5, 3000]);
        const { logit } = proposed(state);
        for (const row of [0, 1, 2]) assert.equal(logit(row, 90), -Infinity);
        assert.ok(Number.isFinite(logit(0, 91)));
        state.dispose();
      },
      { config: SIZES },
    );
  });

  it('is the whole one where that is small', async () => {
    await withPair(
      (target, drafter) => {
        const state = drafter.newState(target, 1);
        commit(drafter, target, state, [5, 8100]);
        const { others, logit } = proposed(state);
        assert.deepEqual(others, []);
        assert.ok(Number.isFinite(logit(0, 8189)));
        state.dispose();
      },
      { config: { ...MASKED, vocab_size: VOCABULARY - 1 } },
    );
  });

  it('refuses to draft behind a token outside of the vocabulary', async () => {
    await withPair((target, drafter) => {
      const state = drafter.newState(target, 1);
      assert.throws(() => proposed(state, VOCABULARY), /token ids from 0 to 8191/);
      state.dispose();
    });
  });

  it('holds as many arrays after a thousand new tokens as after one', async () => {
    await withPair((target, drafter) => {
      const state = drafter.newState(target, 1);
      const counts = new Set<number>();
      for (let round = 0; round < 40; round++) {
        commit(
          drafter,
          target,
          state,
          Array.from({ length: 25 }, (_, i) => 2100 + 25 * round + i),
        );
        proposed(state, 2100 + 25 * (round + 1), 1);
        state.trimTo(state.offset);
        counts.add(liveArrays());
      }
      assert.equal(counts.size, 1);
      const bytes = (arrays: readonly mx.MxArray[]) => arrays.reduce((sum, { nbytes }) => sum + nbytes, 0);
      const gathered = state.arrays().filter(({ shape }) => shape.includes(target.config.hiddenSize));
      assert.equal(bytes(gathered), 1002 * target.config.hiddenSize * 4, 'rows of the head that are copied');
      state.dispose();
    });
  });
});
