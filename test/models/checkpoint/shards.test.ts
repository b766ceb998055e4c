// Tests the weight files of a folder, and the error when index and files disagree. safetensors.test.ts tests single
// files.
import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { dispose, liveArrays } from '../../../server/models/mlx/memory';
import { loadTarget } from '../../support/loadModels';
import { Shards } from '../../../server/models/checkpoint/shards';
import { valuesOf } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { floatTensor } from '../../support/fileTensor';
import { assertRefused } from '../../support/refusal';
import { writeSafetensors } from '../../support/safetensorsFile';
import { temporaryFolder } from '../../support/temporaryFolder';
import { tinyTarget, writeCheckpoint, writeJson } from '../../support/tinyCheckpoint';

const INDEX = 'model.safetensors.index.json';
const SECOND = 'model-00002-of-00003.safetensors';
const NORM = 'model.norm.weight';

interface Index {
  weight_map: Record<string, unknown>;
}

type Damage = (folder: string, index: Index) => unknown;

/** Asserts that the tiny target in three shards is rejected after `damage`. */
async function assertRefusedAfter(damage: Damage, ...mentions: string[]): Promise<void> {
  const folder = writeCheckpoint(tinyTarget(), 3);
  const index = JSON.parse(readFileSync(join(folder, INDEX), 'utf8')) as Index;
  damage(folder, index);
  await assertRefused(() => loadTarget(folder, testDevice), ...mentions);
}

/** Maps a tensor to another shard in the index. */
const mapTo =
  (tensor: string, shard: unknown): Damage =>
  (folder, index) => {
    index.weight_map[tensor] = shard;
    writeJson(folder, INDEX, index);
  };
const cutLastByte = (file: string) => {
  truncateSync(file, statSync(file).size - 1);
};

describe('shards', () => {
  let arraysBefore: number;
  beforeEach(() => (arraysBefore = liveArrays()));
  afterEach(() => assert.equal(liveArrays(), arraysBefore));

  it('reads all files named model*.safetensors without an index', () => {
    const folder = temporaryFolder();
    writeSafetensors(join(folder, 'model-1.safetensors'), { a: floatTensor([2], [1, 2]) });
    writeSafetensors(join(folder, 'model-2.safetensors'), { b: floatTensor([1], [3]) });
    writeSafetensors(join(folder, 'golden.safetensors'), { c: floatTensor([1], [4]) });
    const shards = new Shards(folder);
    assert.deepEqual([...shards.tensors.keys()], ['a', 'b']);
    const [a, b] = [shards.read('a', [2], 'float'), shards.read('b', [1], 'float')];
    assert.deepEqual([...valuesOf(a), ...valuesOf(b)], [1, 2, 3]);
    dispose(a, b);
    shards.close();
  });

  it('reads the files that the index names', () => {
    const folder = temporaryFolder();
    writeSafetensors(join(folder, 'model-1.safetensors'), {
      a: floatTensor([1], [1]),
      unlisted: floatTensor([1], [9]),
    });
    writeFileSync(join(folder, 'model-2.safetensors'), 'not listed, not read');
    writeJson(folder, INDEX, { weight_map: { a: 'model-1.safetensors' } });
    assert.deepEqual([...new Shards(folder).tensors.keys()], ['a']);
  });

  it('returns each tensor once, and frees unread ones when it is closed', () => {
    const folder = temporaryFolder();
    writeSafetensors(join(folder, 'model.safetensors'), {
      a: floatTensor([1], [1]),
      b: floatTensor([1], [2]),
    });
    const shards = new Shards(folder);
    assert.equal(liveArrays(), arraysBefore);
    const a = shards.read('a', [1], 'float');
    assert.throws(() => shards.read('a', [1], 'float'), RangeError);
    assert.throws(() => shards.read('absent', [1], 'float'), /no such tensor/);
    shards.close();
    assert.equal(liveArrays(), arraysBefore + 1);
    assert.deepEqual(valuesOf(a), [1]);
    dispose(a);
  });

  it('rejects a folder without weight files', async () => {
    const folder = temporaryFolder();
    writeJson(folder, 'config.json', tinyTarget().config);
    await assertRefused(
      () => loadTarget(folder, testDevice),
      join(folder, 'model.safetensors'),
      'no such file',
    );
  });

  const secondShard = (folder: string) => join(folder, SECOND);
  const replaceByFolder = (folder: string) => {
    rmSync(secondShard(folder));
    mkdirSync(secondShard(folder));
  };
  const writeIndexText = (text: string) => (folder: string) => {
    writeFileSync(join(folder, INDEX), text);
  };
  for (const [title, damage, ...mentions] of [
    ['one is missing', (folder) => rmSync(secondShard(folder)), SECOND, 'no such file'],
    ['one is cut off', (folder) => cutLastByte(secondShard(folder)), SECOND, 'truncated'],
    ['one is empty', (folder) => writeFileSync(secondShard(folder), ''), SECOND, '0 bytes'],
    ['one is a folder', replaceByFolder, SECOND],
    [
      'one lacks a tensor of the index',
      (folder) => copyFileSync(secondShard(folder).replace('2-of', '1-of'), secondShard(folder)),
      SECOND,
      'no such tensor',
      INDEX,
    ],
    ['the index lacks a tensor of the model', mapTo(NORM, undefined), `tensor ${NORM}`],
    ...[3, null].map(
      (shard) => [`the index gives a tensor the file ${shard}`, mapTo(NORM, shard), INDEX, NORM] as const,
    ),
    ...['', '[]', '{}', '{"weight_map": []}'].map(
      (text) => [`the index says ${JSON.stringify(text)}`, writeIndexText(text), INDEX] as const,
    ),
  ] as readonly (readonly [title: string, damage: Damage, ...mentions: string[]])[])
    it(`rejects weight files when ${title}`, () => assertRefusedAfter(damage, ...mentions));

  for (const [title, pathTo] of [
    ['a path upwards', (outside: string) => `../${outside.split('/').at(-1) ?? ''}/secret.safetensors`],
    ['an absolute path', (outside: string) => join(outside, 'secret.safetensors')],
    ['the folder itself', () => '.'],
  ] as const) {
    it(`never reads weight files outside the folder: ${title}`, async () => {
      const outside = temporaryFolder();
      const { tensors } = tinyTarget();
      writeSafetensors(join(outside, 'secret.safetensors'), tensors);
      await assertRefusedAfter((folder, index) => {
        assert.equal(dirname(folder), dirname(outside));
        mapTo(NORM, pathTo(outside))(folder, index);
      }, 'no such file');
    });
  }
});
