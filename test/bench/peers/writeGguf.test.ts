// The container: what is written can be read by another implementation, and lies where llama.cpp looks for it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ggufValue } from '../../../bench/peers/ggufValue';
import { quantiseQ8 } from '../../../bench/peers/quantiseQ8';
import { GGUF_ALIGNMENT, writeGguf, type GgufTensor } from '../../../bench/peers/writeGguf';
import { temporaryFolder } from '../../support/temporaryFolder';
import { floatsOf, readGguf } from './ggufFile';

const ramp = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => (i - 5) / 8);

const tensor = (name: string, shape: readonly number[], type: GgufTensor['type']): GgufTensor => ({
  name,
  shape,
  type,
  values: () => ramp(shape.reduce((product, size) => product * size, 1)),
});

const TENSORS = [
  tensor('odd', [3], 'f32'),
  tensor('quantised', [5, 64], 'q8_0'),
  tensor('matrix', [7, 9], 'f32'),
];

describe('writeGguf', () => {
  it('writes metadata of every type', () => {
    const file = join(temporaryFolder(), 'a.gguf');
    const { u32, f32, flag, text, texts, i32s } = ggufValue;
    const metadata = {
      count: u32(2 ** 32 - 1),
      epsilon: f32(0.5),
      yes: flag('yes'),
      no: flag('no'),
      name: text('größe 😀'),
      none: text(''),
      words: texts(['Ġ', '', 'a b']),
      kinds: i32s([1, -3]),
    };
    writeGguf(file, { metadata, tensors: [] });
    assert.deepEqual(Object.fromEntries(readGguf(file).metadata), {
      count: 2 ** 32 - 1,
      epsilon: 0.5,
      yes: true,
      no: false,
      name: 'größe 😀',
      none: '',
      words: ['Ġ', '', 'a b'],
      kinds: [1, -3],
    });
  });

  it('puts each tensor at an aligned place, its sizes innermost first and its values as they are', () => {
    const file = join(temporaryFolder(), 'a.gguf');
    writeGguf(file, {
      metadata: { key: ggufValue.text('of a length that aligns nothing') },
      tensors: TENSORS,
    });
    const found = readGguf(file);
    const list = [...found.tensors].map(([name, { sizes, type }]) => [name, sizes, type]);
    assert.deepEqual(list, [
      ['odd', [3], 0],
      ['quantised', [64, 5], 8],
      ['matrix', [9, 7], 0],
    ]);
    for (const { at } of found.tensors.values()) assert.equal(at % GGUF_ALIGNMENT, 0);
    assert.equal(found.bytes.length % GGUF_ALIGNMENT, 0);
    assert.deepEqual(floatsOf(found, 'odd'), [...ramp(3)]);
    assert.deepEqual(floatsOf(found, 'matrix'), [...ramp(63)]);
    const at = found.tensors.get('quantised')?.at ?? NaN;
    const expected = quantiseQ8(ramp(320));
    assert.deepEqual(new Uint8Array(found.bytes.subarray(at, at + expected.length)), expected);
  });

  it('refuses a tensor without the values that its shape promises', () => {
    const file = join(temporaryFolder(), 'a.gguf');
    const short = { ...tensor('short', [4], 'f32'), values: () => ramp(3) };
    assert.throws(() => writeGguf(file, { metadata: {}, tensors: [short] }), /4 values of short, got 3/);
  });
});
