// Files of weights: forged headers, lengths and data. Whatever passes the check of the header is read by MLX, which
// would end the process for what is damaged.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { dispose, liveArrays, scope } from '../../../../server/models/mlx/memory';
import * as mx from '../../../../server/models/mlx/ops';
import { Shards } from '../../../../server/models/checkpoint/shards';
import { valuesOf } from '../../../support/arrayValues';
import { writeForged } from '../../../support/safetensorsFile';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { oddText, spoiltJson, jsonText, type Json } from '../oddValues';

const tensor = (dtype: string, shape: number[], from: number, to: number): Json => ({
  dtype,
  shape,
  data_offsets: [from, to],
});
const HEADER = {
  __metadata__: { format: 'pt' },
  whole: tensor('F32', [2, 3], 0, 24),
  half: tensor('BF16', [4], 24, 32),
  packed: tensor('U32', [2], 32, 40),
  scalar: tensor('F16', [], 40, 42),
  nothing: tensor('F32', [0, 4], 42, 42),
  ids: tensor('I64', [1], 42, 50),
};
const BYTES = 50;
const SOUND = [0, 1, 2, 3, 4, 5];

interface Forged {
  readonly header: string;
  readonly dataBytes: number;
  /** What the file says instead of the truth. */
  readonly length: bigint | undefined;
}

const dtypes = fc.constantFrom(
  'F32',
  'F16',
  'BF16',
  'U32',
  'I64',
  'I32',
  'I16',
  'I8',
  'U64',
  'U16',
  'U8',
  'BOOL',
  'F8_E4M3',
  'F64',
);
const size = fc.oneof(fc.nat(5), fc.constantFrom(2 ** 16, 2 ** 31, 2 ** 32, 2 ** 52));
/** Tensors that may lie over each other, leave holes, or have no bytes at all. */
const tensors = fc
  .dictionary(
    oddText,
    fc.record({
      dtype: dtypes,
      shape: fc.array(size, { maxLength: 5 }),
      from: fc.nat(60),
      bytes: fc.nat(60),
    }),
    {
      maxKeys: 4,
    },
  )
  .map((named) =>
    Object.fromEntries(
      Object.entries(named).map(([name, { dtype, shape, from, bytes }]) => [
        name,
        tensor(dtype, shape, from, from + bytes),
      ]),
    ),
  );

const inputs: fc.Arbitrary<Forged> = fc.record({
  header: fc.oneof(
    { weight: 4, arbitrary: spoiltJson(HEADER) },
    { weight: 2, arbitrary: tensors.map(jsonText) },
  ),
  dataBytes: fc.oneof({ weight: 3, arbitrary: fc.constant(BYTES) }, { weight: 1, arbitrary: fc.nat(120) }),
  length: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.constantFrom(0n, 1n, 2n, 7n, 3_500_001n, 2n ** 63n),
      ),
    },
  ),
});

export const safetensorsHeader = fuzzKind({
  name: 'safetensors',
  inputs,
  counts: { test: 400, million: 140_000 },
  open: () => {
    const folder = temporaryFolder();
    const write = ({ header, dataBytes, length }: Forged): void => {
      const options = {
        data: Buffer.alloc(dataBytes, 1),
        ...(length !== undefined && { headerLength: length }),
      };
      writeForged(join(folder, 'model.safetensors'), Buffer.from(header), options);
    };
    return {
      attempt: async (input) => {
        write(input);
        const before = liveArrays();
        await valueUnlessRefused(() => readAll(folder));
        assert.equal(liveArrays(), before);
      },
      sound: () => {
        const data = Buffer.alloc(BYTES, 1);
        for (const value of SOUND) data.writeFloatLE(value, 4 * value);
        writeForged(join(folder, 'model.safetensors'), HEADER, { data });
        assert.deepEqual(readAll(folder).get('whole'), SOUND);
      },
    };
  },
});

/** The values of all tensors that MLX reads as weights. */
function readAll(folder: string): Map<string, number[]> {
  const shards = new Shards(folder);
  try {
    const read = [...shards.tensors].filter(([, { dtype }]) => /^(F|BF|U32)/.test(dtype));
    return new Map(
      read.map(([name, { dtype, shape }]) => {
        const array = shards.read(name, shape, dtype === 'U32' ? 'packed' : 'float');
        try {
          const elements = shape.reduce((product, each) => product * each, 1);
          const values = elements === 0 ? [] : scope(() => valuesOf(mx.astype(array, mx.float32)));
          assert.equal(values.length, elements);
          return [name, values];
        } finally {
          dispose(array);
        }
      }),
    );
  } finally {
    shards.close();
  }
}
