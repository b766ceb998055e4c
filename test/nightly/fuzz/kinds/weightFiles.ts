// Files of weights: forged headers, lengths and data, and the index of two valid files. MLX reads whatever passes the
// check of the header, and damaged data would crash the process.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { dispose, liveArrays, scope } from '../../../../server/models/mlx/memory';
import * as mx from '../../../../server/models/mlx/ops';
import { Shards } from '../../../../server/models/checkpoint/shards';
import { valuesOf } from '../../../support/arrayValues';
import { floatTensor } from '../../../support/fileTensor';
import { writeForged, writeSafetensors } from '../../../support/safetensorsFile';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { jsonText, mixed, oddText, spoiltJson, type Json } from '../oddValues';

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
const FLOATS = [0, 1, 2, 3, 4, 5];

interface Forged {
  readonly header: string;
  readonly dataBytes: number;
  /** Stated length instead of the real one. */
  readonly length: bigint | undefined;
}

const DTYPES = 'F32 F16 BF16 U32 I64 I32 I16 I8 U64 U16 U8 BOOL F8_E4M3 F64'.split(' ');
const size = fc.oneof(fc.nat(5), fc.constantFrom(2 ** 16, 2 ** 31, 2 ** 32, 2 ** 52));
/** Tensors that can overlap, leave holes, or have no bytes. */
const someTensor = fc
  .tuple(fc.constantFrom(...DTYPES), fc.array(size, { maxLength: 5 }), fc.nat(60), fc.nat(60))
  .map(([dtype, shape, from, bytes]) => tensor(dtype, shape, from, from + bytes));
const tensors = fc.dictionary(oddText, someTensor, { maxKeys: 4 });
const wrongLength = fc.oneof(
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.constantFrom(0n, 1n, 2n, 7n, 3_500_001n, 2n ** 63n),
);

const inputs: fc.Arbitrary<Forged> = fc.record({
  header: mixed([4, spoiltJson(HEADER)], [2, tensors.map(jsonText)]),
  dataBytes: mixed([3, fc.constant(BYTES)], [1, fc.nat(120)]),
  length: mixed<bigint | undefined>([9, fc.constant(undefined)], [1, wrongLength]),
});

export const safetensorsHeader = fuzzKind({
  name: 'safetensors',
  inputs,
  runs: 200,
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
        const arraysBefore = liveArrays();
        await valueUnlessRefused(() => readAll(folder));
        assert.equal(liveArrays(), arraysBefore);
      },
      checkValid: () => {
        const data = Buffer.alloc(BYTES, 1);
        for (const value of FLOATS) data.writeFloatLE(value, 4 * value);
        writeForged(join(folder, 'model.safetensors'), HEADER, { data });
        assert.deepEqual(readAll(folder).get('whole'), FLOATS);
      },
    };
  },
});

/** Returns the values of all tensors that MLX reads as weights. */
function readAll(folder: string): Map<string, number[]> {
  const shards = new Shards(folder);
  try {
    const readable = [...shards.tensors].filter(([, { dtype }]) => /^(F|BF|U32)/.test(dtype));
    return new Map(
      readable.map(([name, { dtype, shape }]) => {
        const array = shards.read(name, shape, dtype === 'U32' ? 'packed' : 'float');
        try {
          const elements = shape.reduce((product, length) => product * length, 1);
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

const FILES = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'] as const;
const [FIRST, SECOND] = FILES;
const INDEX = {
  metadata: { total_size: 32 },
  weight_map: { 'a.weight': FIRST, 'b.weight': FIRST, 'c.weight': SECOND, 'd.weight': SECOND },
};
const INDEX_FILE = 'model.safetensors.index.json';

export const weightIndex = fuzzKind({
  name: 'weight-index',
  inputs: spoiltJson(INDEX),
  runs: 200,
  open: () => {
    const folder = temporaryFolder();
    const two = floatTensor([2], [1, 2]);
    writeSafetensors(join(folder, FIRST), { 'a.weight': two, 'b.weight': two });
    writeSafetensors(join(folder, SECOND), { 'c.weight': two, 'd.weight': two });
    return {
      attempt: async (index) => {
        writeFileSync(join(folder, INDEX_FILE), index);
        const shards = await valueUnlessRefused(() => new Shards(folder));
        for (const { file } of shards?.tensors.values() ?? [])
          assert.ok(
            FILES.some((name) => file === join(folder, name)),
            file,
          );
      },
      checkValid: () => {
        writeFileSync(join(folder, INDEX_FILE), JSON.stringify(INDEX));
        assert.deepEqual([...new Shards(folder).tensors.keys()].sort(), Object.keys(INDEX.weight_map));
      },
    };
  },
});
