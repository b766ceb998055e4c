// Markov tables that are packed, as those of the candidate selector may be: read like their expanded values, packed or
// not, and left as they are where the drafter is loaded in other bits.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { liveArrays } from '../../../server/models/mlx/memory';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { assertClose } from '../../support/arrayValues';
import { cpu, packedCpu } from '../../support/cpu';
import { draftsOfFiles, type DraftsOptions } from '../../support/draftsOfFiles';
import { floatTensor } from '../../support/fileTensor';
import { DSPARK, QWEN3, readCheckpoint } from '../../support/fixtures';
import { quantisedTensor } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';

const [VOCABULARY, HIDDEN] = [256, 64];
/** Of each head: what else it consists of. */
const HEADS: Readonly<Record<string, (rank: number) => Record<string, readonly number[]>>> = {
  vanilla: () => ({}),
  gated: (rank) => ({ gate_proj: [rank, HIDDEN + rank] }),
  rnn: (rank) => ({ joint_proj: [3 * rank, 2 * rank + HIDDEN] }),
};

interface Form {
  readonly rank?: number;
  readonly bits?: number;
  readonly groupSize?: number;
}

/** The fixture with other tables: packed ones, and the same expanded. */
function checkpoints(head: string, { rank = 64, bits = 4, groupSize = 64 }: Form = {}) {
  const tables = ['markov_w1', 'markov_w2'].map((name, i) => ({
    path: `markov_head.${name}`,
    table: quantisedTensor([VOCABULARY, rank], { bits, groupSize }, 10 * i + 1),
  }));
  const others = Object.entries(HEADS[head]?.(rank) ?? {}).flatMap(([name, shape]) => [
    [`markov_head.${name}.weight`, shape] as const,
    [`markov_head.${name}.bias`, shape.slice(0, 1)] as const,
  ]);
  const random = (shape: readonly number[], seed: number) => {
    const count = shape.reduce((product, n) => product * n, 1);
    return floatTensor(
      shape,
      seededIntegers(seed, count, -32, 32).map((k) => k / 128),
    );
  };
  const same = withConfig(
    withTensors(readCheckpoint(join(DSPARK, head)), {
      ...Object.fromEntries(others.map(([name, shape], i) => [name, random(shape, 100 + i)])),
      'confidence_head.proj.weight': random([1, HIDDEN + rank], 200),
    }),
    { markov_rank: rank },
  );
  const packed = tables.flatMap(({ path, table: { weight, scales, biases } }) => [
    [`${path}.weight`, weight] as const,
    [`${path}.scales`, scales] as const,
    [`${path}.biases`, biases] as const,
  ]);
  const expanded = tables.map(
    ({ path, table }) => [`${path}.weight`, floatTensor([VOCABULARY, rank], table.values)] as const,
  );
  return {
    packed: withConfig(withTensors(same, Object.fromEntries(packed)), {
      quantization: { group_size: groupSize, bits },
    }),
    expanded: withTensors(same, Object.fromEntries(expanded)),
  };
}

describe('packed Markov tables', () => {
  let target: TargetModel;
  let loaded: number;
  before(async () => (target = await loadTarget(QWEN3, cpu)));
  after(() => target.dispose());
  beforeEach(() => (loaded = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), loaded));

  async function draftsOf(written: Checkpoint, options: DraftsOptions = {}): Promise<number[]> {
    const { logits } = await draftsOfFiles(target, written, options);
    return logits.filter(Number.isFinite);
  }

  for (const head of Object.keys(HEADS))
    it(`of a ${head} head draft like their values, expanded or not`, async () => {
      for (const form of [{}, { bits: 8 }, { bits: 4, groupSize: 32 }]) {
        const { packed, expanded } = checkpoints(head, form);
        const expected = await draftsOf(expanded);
        for (const device of [cpu, packedCpu])
          assertClose(await draftsOf(packed, { device }), expected, 1e-4, 'logits');
      }
    });

  it('stay as they are in a drafter of other bits', async () => {
    const { packed } = checkpoints('vanilla', { rank: 256, bits: 8 });
    const silent = withTensors(packed, {
      'markov_head.markov_w2.weight': floatTensor([VOCABULARY, 256], Array<number>(VOCABULARY * 256).fill(0)),
      'markov_head.markov_w2.scales': undefined,
      'markov_head.markov_w2.biases': undefined,
    });
    // What the first row gains depends on the anchor and the tables alone.
    const gains = async (options: DraftsOptions) => {
      const [usual, without] = [await draftsOf(packed, options), await draftsOf(silent, options)];
      return usual.slice(0, VOCABULARY - 1).map((value, i) => value - (without[i] ?? NaN));
    };
    const stored = await gains({});
    for (const device of [cpu, packedCpu])
      for (const bits of [4, 8, 16] as const)
        assertClose(await gains({ device, bits }), stored, 1e-4, `gains at ${String(bits)} bits`);
  });

  it('are refused, by name, if a part of them is missing or config.json does not say how they are packed', async () => {
    const { packed } = checkpoints('vanilla');
    const load = (written: Checkpoint) => () => loadDrafter(writeCheckpoint(written), target.config, cpu);
    for (const table of ['markov_w1', 'markov_w2']) {
      const path = `markov_head.${table}`;
      for (const part of ['weight', 'scales', 'biases'])
        await assertRefused(load(withTensors(packed, { [`${path}.${part}`]: undefined })), path);
      const wrong = floatTensor([VOCABULARY, 2], Array<number>(2 * VOCABULARY).fill(0));
      await assertRefused(load(withTensors(packed, { [`${path}.scales`]: wrong })), `${path}.scales`);
    }
    await assertRefused(
      load(withConfig(packed, { quantization: undefined })),
      'markov_head.markov_w1',
      'no quantization entry',
    );
    await assertRefused(
      load(withConfig(packed, { quantization: { group_size: 128, bits: 4 } })),
      'markov_head.markov_w1',
      'group_size 128',
    );
  });
});
