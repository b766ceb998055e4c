// Tables of a candidate selector as files have them: named as modules, packed, or refused where one is missing or of
// another size. What a selector says of tokens is in the goldens (dflash.test.ts).
import assert from 'node:assert/strict';
import type { Device } from '../../../server/models/mlx/device';
import type { Drafter, Selector } from '../../../server/models/drafters/drafter';
import { liveArrays, scope, type Tree } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose, valuesOf } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { commitTaps } from '../../support/draftRounds';
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

  const ids = [
    [3, 50, 7],
    [95, 0, 3],
    [12, 13, 50],
    [1, 2, 3],
    [40, 41, 42],
  ];

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

  it('is refused when a table is missing or of another size', async () => {
    for (const name of ['predecessor_codebook', 'successor_codebook', 'hidden_projection.weight']) {
      const path = `candidate_selector.${name}`;
      for (const tensor of [undefined, selecting.tensors['norm.weight']]) {
        const folder = writeCheckpoint(withTensors(selecting, { [path]: tensor }));
        await assert.rejects(loadDrafter(folder, target.config, cpu), new RegExp(name.split('.')[0] ?? ''));
      }
    }
  });
});
