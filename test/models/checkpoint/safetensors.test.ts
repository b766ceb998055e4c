// Tests that readSafetensors rejects every file with which the native reader would return zeros, crash or hang. The
// files are forged byte by byte.
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTarget } from '../../support/loadModels';
import { readSafetensors } from '../../../server/models/checkpoint/safetensors';
import { testDevice } from '../../support/testDevice';
import { floatTensor, wordTensor } from '../../support/fileTensor';
import { assertRefused } from '../../support/refusal';
import { writeForged, writeSafetensors } from '../../support/safetensorsFile';
import { temporaryFolder } from '../../support/temporaryFolder';
import { tinyTarget, writeJson } from '../../support/tinyCheckpoint';

const VALID = { dtype: 'F32', shape: [2, 3], data_offsets: [0, 24] };
const DATA = Buffer.alloc(24);

/** Creates a checkpoint folder whose weight file `write` makes. */
function folderWith(write: (file: string) => void): string {
  const folder = temporaryFolder();
  writeJson(folder, 'config.json', tinyTarget().config);
  write(join(folder, 'model.safetensors'));
  return folder;
}

/** Asserts that both the check and the loading of a model refuse the file. */
async function assertUnreadable(write: (file: string) => void, ...mentions: string[]): Promise<void> {
  const folder = folderWith(write);
  const file = join(folder, 'model.safetensors');
  await assertRefused(() => readSafetensors(file), file, ...mentions);
  await assertRefused(() => loadTarget(folder, testDevice), file, ...mentions);
}

const FILES: readonly (readonly [title: string, write: (file: string) => void, mention: string])[] = [
  ['an empty file', (file) => writeFileSync(file, ''), '0 bytes'],
  ['a file of 7 bytes', (file) => writeFileSync(file, 'seven b'), '7 bytes'],
  ['a page of HTML', (file) => writeFileSync(file, '<!DOCTYPE html><html></html>'), 'header'],
  ['a folder', (file) => mkdirSync(file), 'got a folder'],
  ['a missing file', () => undefined, 'no such file'],
  ['a link to itself', (file) => symlinkSync(file, file), 'got ELOOP'],
  ...[0n, 1n, 500n, 2n ** 31n, 2n ** 62n, 2n ** 63n, 2n ** 64n - 1n].map(
    (headerLength) =>
      [
        `a header length of ${headerLength}`,
        (file: string) => writeForged(file, { a: VALID }, { data: DATA, headerLength }),
        'header',
      ] as const,
  ),
  [
    'a header larger than the native stack',
    (file) => {
      writeForged(file, { a: VALID }, { headerLength: 8_900_000n });
      truncateSync(file, 9_000_000);
    },
    'header length of 8900000',
  ],
  ...['', '{', '{"a": }', 'null', '[]', '7', '"text"', '{}x'].map(
    (text) =>
      [
        `a header that says ${JSON.stringify(text)}`,
        (file: string) => writeForged(file, Buffer.from(text), { data: DATA }),
        'header',
      ] as const,
  ),
];

const ENTRIES: readonly (readonly [title: string, entry: unknown, mention: string])[] = [
  ['null as its entry', null, 'types'],
  ['a string as its entry', 'F32', 'types'],
  ['a list as its entry', [1], 'types'],
  ...[undefined, 'F64', 'F8_E4M3', 'F8_E5M2', 'f32', 'C64', 'toString', 4].map(
    (dtype) => [`type ${String(dtype)}`, { ...VALID, dtype }, 'types F32, F16, BF16'] as const,
  ),
  ...[undefined, null, 6, '6', [-2, -3], [2.5, 2.4], ['2', 3], [null], [[6]], [2 ** 60, 3]].map(
    (shape) => [`shape ${JSON.stringify(shape)}`, { ...VALID, shape }, 'shape and two data offsets'] as const,
  ),
  ...[undefined, null, 24, [], [24], [0, 24, 48], [-24, 0], [0, 24.5], ['0', '24'], [0, 1e300]].map(
    (data_offsets) =>
      [
        `data offsets ${JSON.stringify(data_offsets)}`,
        { ...VALID, data_offsets },
        'shape and two data offsets',
      ] as const,
  ),
  ['fewer bytes than its shape', { ...VALID, data_offsets: [0, 20] }, '24 bytes of data'],
  ['more bytes than its shape', { ...VALID, data_offsets: [0, 28] }, '24 bytes of data'],
  ['offsets in reverse', { ...VALID, data_offsets: [24, 0] }, '24 bytes of data'],
  ['a shape whose product is huge', { ...VALID, shape: [2 ** 30, 2 ** 30, 2 ** 30] }, 'bytes of data'],
  ['data beyond the end', { ...VALID, data_offsets: [1, 25] }, 'truncated file with 24 bytes'],
];

describe('readSafetensors', () => {
  it('lists the tensors of a valid file', () => {
    const folder = folderWith((file) => {
      writeSafetensors(file, {
        a: floatTensor([2, 3], [1, 2, 3, 4, 5, 6]),
        b: floatTensor([4], [1, 2, 3, 4], 'BF16'),
        c: wordTensor([], [7]),
        d: floatTensor([0, 5], []),
      });
    });
    const tensors = readSafetensors(join(folder, 'model.safetensors'));
    assert.deepEqual(
      tensors,
      new Map([
        ['a', { dtype: 'F32', shape: [2, 3], start: 0 }],
        ['b', { dtype: 'BF16', shape: [4], start: 24 }],
        ['c', { dtype: 'U32', shape: [], start: 32 }],
        ['d', { dtype: 'F32', shape: [0, 5], start: 36 }],
      ]),
    );
  });

  it('accepts a file without tensors, or without data', () => {
    for (const [header, count] of [
      [{}, 0],
      [{ __metadata__: { format: 'pt' } }, 0],
      [{ a: { dtype: 'F32', shape: [0], data_offsets: [0, 0] } }, 1],
    ] as const) {
      const folder = folderWith((file) => writeForged(file, header, { data: Buffer.alloc(0) }));
      assert.equal(readSafetensors(join(folder, 'model.safetensors')).size, count);
    }
  });

  it('accepts a header padded with spaces, as aligned files have', () => {
    const text = `${JSON.stringify({ a: VALID })}     `;
    const folder = folderWith((file) => writeForged(file, Buffer.from(text), { data: DATA }));
    assert.equal(readSafetensors(join(folder, 'model.safetensors')).size, 1);
  });

  for (const [title, write, mention] of FILES) {
    it(`rejects ${title}`, () => assertUnreadable(write, mention));
  }

  for (const [title, entry, mention] of ENTRIES) {
    it(`rejects a tensor with ${title}`, () => {
      const header = { fine: VALID, culprit: entry };
      return assertUnreadable((file) => writeForged(file, header, { data: DATA }), 'tensor culprit', mention);
    });
  }
});
