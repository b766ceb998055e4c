// A checkpoint whose tensors do not fit its config.json is refused tensor by tensor, before MLX sees a shape,
// and whatever was read by then is freed.
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Device } from '../../server/models/mlx/device';
import { loadTarget } from '../../server/models/families/registry';
import { formatSize } from '../../server/rules/numbers';
import { cpu, packedCpu } from '../support/cpu';
import { floatTensor, type FileTensor } from '../support/fileTensor';
import { quantisedCheckpoint } from '../support/quantisedCheckpoint';
import { assertRefused } from '../support/refusal';
import { writeForged } from '../support/safetensorsFile';
import { temporaryFolder } from '../support/temporaryFolder';
import {
  tinyTarget,
  withConfig,
  withTensors,
  writeCheckpoint,
  writeJson,
  type Checkpoint,
} from '../support/tinyCheckpoint';

const plain = tinyTarget();
const { quantised } = quantisedCheckpoint(plain, { bits: 4, groupSize: 64 });

const Q_PROJ = 'model.layers.1.self_attn.q_proj';
const quantizationWith = (entry: unknown) => ({ bits: 4, group_size: 64, [Q_PROJ]: entry });
const zeros = (shape: readonly number[]) =>
  floatTensor(shape, Array<number>(shape.reduce((product, n) => product * n, 1)).fill(0));
const integers = (shape: readonly number[]): FileTensor => ({
  ...zeros(shape),
  dtype: 'I32',
});

async function assertUnfit(checkpoint: Checkpoint, ...mentions: string[]): Promise<void> {
  const folder = writeCheckpoint(checkpoint);
  for (const device of [cpu, packedCpu] satisfies Device[]) {
    await assertRefused(() => loadTarget(folder, device), folder, ...mentions);
  }
}

type Row = readonly [title: string, checkpoint: Checkpoint, ...mentions: string[]];

const UNFIT: readonly Row[] = [
  ...['model.embed_tokens.weight', `${Q_PROJ}.weight`, 'model.norm.weight'].flatMap((name): Row[] => [
    [`no ${name}`, withTensors(plain, { [name]: undefined }), `tensor ${name}`, 'no such tensor'],
    [`${name} of integers`, withTensors(plain, { [name]: integersLike(name) }), name, 'got I32'],
  ]),
  ['a matrix that lies on its side', withTensors(plain, { 'lm_head.weight': zeros([128, 96]) }), '[128, 96]'],
  [
    'several tensors that nobody asked for',
    withTensors(plain, { a: zeros([1]), b: zeros([1]), c: zeros([1]) }),
    'unexpected tensor a and 2 more',
  ],
  ['more layers than the file', withConfig(plain, { num_hidden_layers: 4 }), 'model.layers.3.', 'no such'],
  ['absurd sizes', withConfig(plain, { num_attention_heads: 2 ** 28 }), '[8589934592, 128]'],
  ['biases that it does not have', withConfig(plain, { attention_bias: true }), 'q_proj.bias'],
  [
    'a head of its own that is missing',
    withConfig(tinyTarget({ tie_word_embeddings: true }), { tie_word_embeddings: false }),
    'lm_head.weight',
  ],

  [
    'scales without a quantization entry',
    withConfig(quantised, { quantization: undefined }),
    'model.embed_tokens is quantised',
    'no quantization entry',
  ],
  [
    'scales of a module that is to be dense',
    withConfig(quantised, { quantization: quantizationWith(false) }),
    Q_PROJ,
    'no quantization entry',
  ],
  [
    'packed weights for other bits',
    withConfig(quantised, { quantization: quantizationWith({ bits: 8, group_size: 64 }) }),
    `${Q_PROJ}.weight [128, 32]`,
    'got shape [128, 16]',
  ],
  [
    'scales for other groups',
    withConfig(quantised, { quantization: quantizationWith({ bits: 4, group_size: 32 }) }),
    `${Q_PROJ}.scales [128, 4]`,
    'got shape [128, 2]',
  ],
  [
    'floats where packed weights belong',
    withTensors(quantised, { [`${Q_PROJ}.weight`]: zeros([128, 16]) }),
    `${Q_PROJ}.weight`,
    'U32',
    'got F32',
  ],
  ['scales without biases', withTensors(quantised, { [`${Q_PROJ}.biases`]: undefined }), `${Q_PROJ}.biases`],
  [
    'groups that do not divide the inputs',
    withConfig(quantisedCheckpoint(plain, { bits: 4, groupSize: 32 }).quantised, {
      hidden_size: 96,
      quantization: { bits: 4, group_size: 64 },
    }),
    'divide 96 inputs',
    'group_size 64',
  ],
];

function integersLike(name: string): FileTensor {
  return integers(plain.tensors[name]?.shape ?? []);
}

describe('weights that do not fit', () => {
  for (const [title, checkpoint, ...mentions] of UNFIT) {
    it(`are refused: ${title}`, () => assertUnfit(checkpoint, ...mentions));
  }

  for (const [title, metadata] of [
    ['a number', 5],
    ['a number in it', { format: 5 }],
  ] as const) {
    it(`are refused when the native reader throws: metadata that is ${title}`, async () => {
      const folder = temporaryFolder();
      writeJson(folder, 'config.json', plain.config);
      const table = { dtype: 'F32', shape: [96, 128], data_offsets: [0, 96 * 128 * 4] };
      const header = { __metadata__: metadata, 'model.embed_tokens.weight': table };
      writeForged(join(folder, 'model.safetensors'), header, { data: Buffer.alloc(96 * 128 * 4) });
      await assertRefused(() => loadTarget(folder, cpu), join(folder, 'model.safetensors'), 'MLX can read');
    });
  }

  const WORD_BYTES = 4;
  /** More than any machine has. */
  const HUGE_BYTES = 2 ** 42;
  /** Of a single huge tensor: before anything is read, the refusal tells of the memory that it needs. */
  async function assertNeeds(
    test: Mocha.Context,
    bytes: number,
    config: object,
    name: string,
    dtype: string,
  ): Promise<void> {
    const folder = temporaryFolder();
    writeJson(folder, 'config.json', config);
    const file = join(folder, 'model.safetensors');
    const shape = [HUGE_BYTES / WORD_BYTES];
    writeForged(file, { [name]: { dtype, shape, data_offsets: [0, HUGE_BYTES] } });
    try {
      // A file of holes takes no space.
      truncateSync(file, statSync(file).size + HUGE_BYTES);
    } catch {
      test.skip();
    }
    await assertRefused(
      () => loadTarget(folder, cpu),
      `Expected ${formatSize(bytes)} of free memory`,
      folder,
    );
  }

  it('are refused when they do not fit into the memory', async function () {
    await assertNeeds(this, HUGE_BYTES, plain.config, 'huge', 'F32');
  });

  it('are refused when they do not fit into the memory of the container', async () => {
    const folder = writeCheckpoint(plain);
    const limit = mock.method(process, 'constrainedMemory', () => 1000);
    try {
      await assertRefused(() => loadTarget(folder, cpu), 'of free memory for the weights', 'got 0.0 MB');
    } finally {
      limit.mock.restore();
    }
  });

  it('need more memory while they are expanded without a kernel', async function () {
    const packed = (bits: number) => ({ ...plain.config, quantization: { bits, group_size: 64 } });
    // As float32, and for a while their codes as words beside them, twice.
    await assertNeeds(this, (32 / 4) * HUGE_BYTES, packed(4), 'm.weight', 'U32');
    await assertNeeds(this, (32 / 3) * HUGE_BYTES * (1 + 2), packed(3), 'm.weight', 'U32');
  });

  it('need twice the memory of single experts, as stacking them takes', async function () {
    await assertNeeds(this, HUGE_BYTES, plain.config, 'model.layers.0.mlp.up_proj.weight', 'F32');
    await assertNeeds(
      this,
      2 * HUGE_BYTES,
      plain.config,
      'model.layers.0.mlp.experts.0.up_proj.weight',
      'F32',
    );
  });
});
