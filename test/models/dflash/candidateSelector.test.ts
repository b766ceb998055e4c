// The candidate selector of a DFlash drafter: what it says of tokens that follow each other, against plain JavaScript
// on the same file, and the drafts that are made with it.
import assert from 'node:assert/strict';
import { greedySampler } from '../../../server/engine/sampling/greedySampler';
import type { Device } from '../../../server/models/mlx/device';
import type { Drafter, Selector } from '../../../server/models/drafters/drafter';
import { liveArrays, scope, type Tree } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose, rowsOf, valuesOf } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { commitTaps } from '../../support/draftRounds';
import { tensorValues } from '../../support/fileTensor';
import { withHead } from '../../support/headRecorder';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { seededIntegers } from '../../support/seededRandom';
import {
  tinyDrafter,
  tinyTarget,
  withSelector,
  withTensors,
  writeCheckpoint,
  type Checkpoint,
} from '../../support/tinyCheckpoint';

const TOP_K = 8;
const ANCHOR = 9;
const TOKENS = [1, 2, 3, 4, 5, 6, 7, 8];

describe('a candidate selector', () => {
  const plain = tinyDrafter();
  const selecting = withSelector(plain, TOP_K);
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(writeCheckpoint(tinyTarget()), cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  /** What `use` makes of a full proposal of that drafter, and the states that reached the head. */
  async function proposing<T extends Tree>(
    checkpoint: Checkpoint,
    use: (proposal: { logits: mx.MxArray; selector?: Selector | undefined }) => T,
    device: Device = cpu,
  ): Promise<{ result: T; states: readonly number[] }> {
    const drafter = await loadDrafter(writeCheckpoint(checkpoint), target.config, device);
    let states: number[] = [];
    const seen = withHead(target, (rows, logits) => {
      states = valuesOf(rows);
      return logits;
    });
    const state = drafter.newState(seen, 1);
    commitTaps(state, TOKENS, tapsOf(drafter));
    const result = scope(() => {
      const proposal = state.propose(ANCHOR, drafter.maxDraftTokens);
      assert.ok('logits' in proposal);
      return use(proposal);
    });
    state.dispose();
    drafter.dispose();
    return { result, states };
  }

  function tapsOf(drafter: Drafter): number[] {
    const width = drafter.taps.length * target.config.hiddenSize;
    return seededIntegers(3, TOKENS.length * width, -64, 64).map((k) => k / 32);
  }

  const gainsOf = (ids: readonly number[][]) => (proposal: { selector?: Selector | undefined }) => {
    assert.ok(proposal.selector);
    assert.equal(proposal.selector.candidates, TOP_K);
    return valuesOf(proposal.selector.gains(mx.constant(ids, mx.int32)));
  };

  /** <predecessor[before] · (W state), successor[token]> from the values of the file. */
  function gain(states: readonly number[], row: number, before: number, token: number): number {
    const table = (name: string) => {
      const tensor = selecting.tensors[`candidate_selector.${name}`];
      assert.ok(tensor);
      return tensorValues(tensor);
    };
    const { hiddenSize } = target.config;
    const [asked, offered] = ['predecessor_codebook', 'successor_codebook'].map(table);
    const rank = (asked?.length ?? 0) / target.config.vocabSize;
    const state = rowsOf(states, hiddenSize, row, row + 1);
    const projection = table('hidden_projection.weight');
    const dot = (r: number) =>
      state.reduce((sum, value, i) => sum + value * (projection[r * hiddenSize + i] ?? NaN), 0);
    return Array.from(
      { length: rank },
      (_, r) => (asked?.[before * rank + r] ?? NaN) * dot(r) * (offered?.[token * rank + r] ?? NaN),
    ).reduce((sum, part) => sum + part, 0);
  }

  const ids = [
    [3, 50, 7],
    [95, 0, 3],
    [12, 13, 50],
    [1, 2, 3],
    [40, 41, 42],
  ];

  function expected(states: readonly number[]): number[] {
    return ids.flatMap((tokens, row) =>
      tokens.flatMap((_, i) =>
        tokens.map((token) => gain(states, row, row === 0 ? ANCHOR : (ids[row - 1]?.[i] ?? NaN), token)),
      ),
    );
  }

  it('knows what each candidate gains behind each of the row before, and behind the anchor', async () => {
    const { result, states } = await proposing(selecting, gainsOf(ids));
    assert.equal(result.length, 5 * 3 * 3);
    assertClose(result, expected(states), 1e-4, 'gains');
  });

  /** With the names that tables have as modules, which packed ones always are. */
  const asModules: Checkpoint = {
    ...selecting,
    tensors: Object.fromEntries(
      Object.entries(selecting.tensors).map(([name, tensor]) => [
        name.replace(/codebook$/, '$&.weight'),
        tensor,
      ]),
    ),
  };

  it('may have tables that are named as modules, and packed ones', async () => {
    const { result: whole } = await proposing(selecting, gainsOf(ids));
    assert.deepEqual((await proposing(asModules, gainsOf(ids))).result, whole);
    for (const bits of [4, 8]) {
      const { quantised, expanded } = quantisedCheckpoint(asModules, { bits, groupSize: 64 });
      const { result: exact } = await proposing(expanded, gainsOf(ids));
      assertClose((await proposing(quantised, gainsOf(ids))).result, exact, 1e-4, 'expanded');
      assertClose((await proposing(quantised, gainsOf(ids), packedCpu)).result, exact, 1e-3, 'packed');
    }
  });

  it('leaves the logits as they are', async () => {
    const of = async (checkpoint: Checkpoint) =>
      (await proposing(checkpoint, ({ logits }) => valuesOf(logits))).result;
    assert.deepEqual(await of(selecting), await of(plain));
  });

  it('makes each draft the best of the most probable tokens of its row behind the draft before it', async () => {
    const { result, states } = await proposing(selecting, ({ logits, selector }) => {
      const picked = greedySampler.sample({ logits, selector }, { history: [], position: 0 });
      return { values: valuesOf(logits), tokens: picked.read().tokens };
    });
    const { vocabSize } = target.config;
    let before = ANCHOR;
    for (const [row, token] of result.tokens.entries()) {
      const logits = rowsOf(result.values, vocabSize, row, row + 1);
      const candidates = [...logits.keys()]
        .sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0))
        .slice(0, TOP_K);
      const score = (id: number, anchor: number) => (logits[id] ?? 0) + gain(states, row, anchor, id);
      const from = before;
      const best = candidates.reduce((a, b) => (score(b, from) > score(a, from) ? b : a));
      assert.equal(token, best);
      before = token;
    }
    const plainBest = result.tokens.map((_, row) => {
      const logits = rowsOf(result.values, vocabSize, row, row + 1);
      return logits.indexOf(Math.max(...logits));
    });
    assert.notDeepEqual(result.tokens, plainBest);
  });

  it('is refused when a table is missing or of another size', async () => {
    for (const name of ['predecessor_codebook', 'successor_codebook', 'hidden_projection.weight']) {
      const path = `candidate_selector.${name}`;
      for (const tensor of [undefined, selecting.tensors['norm.weight']]) {
        const folder = writeCheckpoint(withTensors(selecting, { [path]: tensor }));
        await assert.rejects(loadDrafter(folder, target.config, cpu), new RegExp(name.split('.')[0] ?? ''));
      }
    }
  });

  it('is not left out silently when only the tables are there', async () => {
    const folder = writeCheckpoint({ ...selecting, config: plain.config });
    await assert.rejects(loadDrafter(folder, target.config, cpu), /candidate_selector/);
  });
});
