// Tests that a checkpoint whose tensors do not fit its config.json is rejected before MLX sees a shape, and that all
// tensors read so far are freed.
import { statSync, truncateSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Device } from '../../../server/models/mlx/device';
import { loadTarget } from '../../support/loadModels';
import { formatSize } from '../../../server/rules/formatNumber';
import { testDevice, packedDevice } from '../../support/testDevice';
import { floatTensor } from '../../support/fileTensor';
import { quantisedCheckpoint } from '../../support/quantisedCheckpoint';
import { assertRefused } from '../../support/refusal';
import { writeForged } from '../../support/safetensorsFile';
import { temporaryFolder } from '../../support/temporaryFolder';
import {
  tinyTarget,
  withConfig,
  withTensors,
  writeCheckpoint,
  writeJson,
  type Checkpoint,
} from '../../support/tinyCheckpoint';

const plain = tinyTarget();
const { quantised } = quantisedCheckpoint(plain, { bits: 4, groupSize: 64 });

const Q_PROJ = 'model.layers.1.self_attn.q_proj';
const quantizationWith = (entry: unknown) => ({ bits: 4, group_size: 64, [Q_PROJ]: entry });
const zeros = (shape: readonly number[]) =>
  floatTensor(shape, Array<number>(shape.reduce((product, n) => product * n, 1)).fill(0));

type Row = readonly [title: string, checkpoint: Checkpoint, ...mentions: string[]];

const UNFIT: readonly Row[] = [
  [
    'integers',
    withTensors(plain, { [`${Q_PROJ}.weight`]: { ...zeros([128, 128]), dtype: 'I32' } }),
    `${Q_PROJ}.weight`,
    'got I32',
  ],
  [
    'several unexpected tensors',
    withTensors(plain, { a: zeros([1]), b: zeros([1]), c: zeros([1]) }),
    'unexpected tensor a and 2 more',
  ],
  [
    'an unexpected tensor named __proto__',
    withTensors(
      plain,
      JSON.parse('{"__proto__": 0}', (_, value: unknown) => (value === 0 ? zeros([1]) : value)) as Readonly<
        Record<string, ReturnType<typeof zeros>>
      >,
    ),
    'unexpected tensor __proto__',
  ],
  ['absurd sizes', withConfig(plain, { num_attention_heads: 2 ** 28 }), '[8589934592, 128]'],
  [
    'an untied output head that is missing',
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

describe('weights that do not fit', () => {
  for (const [title, checkpoint, ...mentions] of UNFIT) {
    it(`rejects weights: ${title}`, async () => {
      const folder = writeCheckpoint(checkpoint);
      for (const device of [testDevice, packedDevice])
        await assertRefused(() => loadTarget(folder, device), folder, ...mentions);
    });
  }

  for (const metadata of [5, { format: 5 }])
    it(`rejects weights when the native reader throws: metadata of ${JSON.stringify(metadata)}`, async () => {
      const folder = temporaryFolder();
      writeJson(folder, 'config.json', plain.config);
      const table = { dtype: 'F32', shape: [96, 128], data_offsets: [0, 96 * 128 * 4] };
      const header = { __metadata__: metadata, 'model.embed_tokens.weight': table };
      writeForged(join(folder, 'model.safetensors'), header, { data: Buffer.alloc(96 * 128 * 4) });
      await assertRefused(
        () => loadTarget(folder, testDevice),
        join(folder, 'model.safetensors'),
        'MLX can read',
      );
    });

  /** More memory than any machine has. */
  const HUGE_BYTES = 2 ** 42;
  const packed = (bits: number) => ({ quantization: { bits, group_size: 64 } });
  for (const [title, bytes, name, dtype, config, device = testDevice] of [
    ['for their bytes', HUGE_BYTES, 'model.layers.0.mlp.up_proj.weight', 'F32', {}],
    ['for 16-bit numbers in float32', 2 * HUGE_BYTES, 'model.norm.weight', 'BF16', {}],
    ['for weights that stay packed', HUGE_BYTES, 'm.weight', 'U32', packed(4), packedDevice],
    ['to expand packed weights', (32 / 6) * HUGE_BYTES * (1 + 2), 'm.weight', 'U32', packed(6), packedDevice],
    // Stacking the experts takes their bytes twice.
    ['to stack single experts', 2 * HUGE_BYTES, 'model.layers.0.mlp.experts.0.up_proj.weight', 'F32', {}],
    ['to expand packed weights to float32', (32 / 4) * HUGE_BYTES, 'm.weight', 'U32', packed(4)],
    // Expansion temporarily needs twice the expanded bytes again, for the unpacked codes.
    ['to expand a width without a kernel', (32 / 3) * HUGE_BYTES * (1 + 2), 'm.weight', 'U32', packed(3)],
  ] as readonly (readonly [string, number, string, string, object, Device?])[])
    it(`rejects weights without reading them if memory does not suffice ${title}`, async function () {
      const folder = temporaryFolder();
      writeJson(folder, 'config.json', { ...plain.config, ...config });
      const file = join(folder, 'model.safetensors');
      const shape = [HUGE_BYTES / (dtype === 'BF16' ? 2 : 4)];
      writeForged(file, { [name]: { dtype, shape, data_offsets: [0, HUGE_BYTES] } });
      try {
        // A sparse file takes no disk space.
        truncateSync(file, statSync(file).size + HUGE_BYTES);
      } catch {
        this.skip();
      }
      await assertRefused(
        () => loadTarget(folder, device),
        `Expected ${formatSize(bytes)} of free memory`,
        folder,
      );
    });

  it('rejects weights that exceed the memory of the container', async () => {
    const folder = writeCheckpoint(plain);
    const limit = mock.method(process, 'constrainedMemory', () => 1000);
    try {
      await assertRefused(
        () => loadTarget(folder, testDevice),
        'of free memory for the weights',
        'got 0.0 MB',
      );
    } finally {
      limit.mock.restore();
    }
  });

  // On macOS, the free memory is only that of untouched pages.
  it('rejects weights that exceed the free memory, except on macOS', async () => {
    const folder = writeCheckpoint(plain);
    const free = mock.method(os, 'freemem', () => 1000);
    const { platform } = process;
    try {
      Object.defineProperty(process, 'platform', { value: 'linux' });
      await assertRefused(
        () => loadTarget(folder, testDevice),
        'of free memory for the weights',
        'got 0.0 MB',
      );
      Object.defineProperty(process, 'platform', { value: 'darwin' });
      (await loadTarget(folder, testDevice)).dispose();
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
      free.mock.restore();
    }
  });
});
