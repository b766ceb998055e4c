// Compares forty published configurations, scaled down, with the independent reference of test/reference: the same
// log-probabilities in float32 from weights that both sides make from the names of tensors. The nightly run computes
// the reference again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ConfigFields } from '../../../server/models/checkpoint/configFields';
import { BYTES_BF16, sizesOfConfig } from '../../../server/models/checkpoint/modelSizes';
import { KVCache, type KVCacheShape } from '../../../server/models/decoder/kvCache';
import { loadTarget } from '../../support/loadModels';
import { assertClose } from '../../support/arrayValues';
import { testDevice } from '../../support/testDevice';
import { floatTensor, type FileTensor } from '../../support/fileTensor';
import { fullSize } from '../../support/fullSize';
import { writeCheckpoint } from '../../support/tinyCheckpoint';
import { runInChunks } from '../../support/tokenRun';

type Fields = Readonly<Record<string, unknown>>;

interface Expected {
  /** Shape, and the value around which the numbers lie, by name. */
  readonly tensors: Readonly<Record<string, string>>;
  readonly logProbabilities: readonly number[];
}

const CONFIGS = read<Fields>('configs');
const EXPECTED = read<Expected>('logProbabilities');
/** Token ids of the text that the reference reads. */
const IDS = [7, 3, 80, 41, 5, 66, 12, 12, 90, 31, 2, 58, 7, 3, 80, 44, 21, 9, 63, 70];
const TOLERANCE = 2e-4;

function read<T>(name: string): Readonly<Record<string, T>> {
  return JSON.parse(readFileSync(`test/fixtures/forms/${name}.json`, 'utf8')) as Record<string, T>;
}

/** Returns multiples of 1/512 from -1/4 to below 1/4, by a hash of the name and the index, as the reference does. */
function hashedNumbers(name: string, count: number): number[] {
  let seed = 2166136261;
  for (const byte of Buffer.from(name)) seed = Math.imul(seed ^ byte, 16777619);
  return Array.from({ length: count }, (_, i) => {
    let x = (Math.imul(i, 0x9e3779b9) + seed) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    x = (x ^ (x >>> 15)) >>> 0;
    return ((x >>> 24) - 128) / 512;
  });
}

/** Creates a tensor of the shape and around the value of a text such as "96x32" or "32+1". */
function tensor(name: string, text: string): FileTensor {
  const [sizes = '', centre = '0'] = text.split('+');
  const shape = sizes.split('x').map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  return floatTensor(
    shape,
    hashedNumbers(name, count).map((value) => Number(centre) + value),
  );
}

/** Returns all names of a pattern: "#" is each layer, or each layer listed after the name; "*" is each expert. */
function namesOf(pattern: string, layers: number, experts: number): string[] {
  const [name = '', listed] = pattern.split(' ');
  const indices = listed?.split(',') ?? Array.from({ length: layers }, (_, i) => String(i));
  const byLayer = name.includes('#') ? indices.map((layer) => name.replace('#', layer)) : [name];
  const byExpert = (path: string) => Array.from({ length: experts }, (_, i) => path.replace('*', String(i)));
  return name.includes('*') ? byLayer.flatMap(byExpert) : byLayer;
}

function checkpointOf(config: Fields, expected: Expected) {
  const text = (config['text_config'] ?? config) as Fields;
  const [layers, experts] = [Number(text['num_hidden_layers']), Number(text['num_experts'] ?? 0)];
  const tensors = Object.entries(expected.tensors).flatMap(([pattern, shape]) =>
    namesOf(pattern, layers, experts).map((name) => [name, tensor(name, shape)] as const),
  );
  return { config, tensors: Object.fromEntries(tensors) };
}

function logSoftmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const log = largest + Math.log(logits.reduce((sum, value) => sum + Math.exp(value - largest), 0));
  return logits.map((value) => value - log);
}

describe('published forms of models', () => {
  it('has forty published forms, each with log-probabilities of the reference', () => {
    assert.equal(Object.keys(CONFIGS).length, 40);
    assert.deepEqual(Object.keys(EXPECTED), Object.keys(CONFIGS));
  });

  for (const [repository, config] of Object.entries(CONFIGS))
    it(`computes the log-probabilities of the reference: ${repository}`, async () => {
      const expected = EXPECTED[repository] ?? assert.fail();
      const target = await loadTarget(writeCheckpoint(checkpointOf(config, expected)), testDevice);
      const { vocabSize } = target.config;
      for (const sizes of [[20], [13, 1, 6]]) {
        const { logits } = runInChunks(target, IDS, sizes);
        assertClose(
          logSoftmax(logits.slice(-vocabSize)),
          expected.logProbabilities,
          TOLERANCE,
          'log-probabilities',
        );
      }
      target.dispose();
    });

  it('allocates caches of the sizes that are computed from the config', async () => {
    for (const [repository, config] of Object.entries(CONFIGS)) {
      const expected = EXPECTED[repository] ?? assert.fail();
      const target = await loadTarget(writeCheckpoint(checkpointOf(config, expected)), testDevice);
      const shapes = target.newCaches(1).flatMap((cache) => (cache instanceof KVCache ? [cache.shape] : []));
      target.dispose();
      const bytesOf = (some: readonly KVCacheShape[]): number =>
        some.reduce((sum, { heads, headDim }) => sum + 2 * BYTES_BF16 * heads * headDim, 0);
      const windowed = shapes.filter(({ window }) => window !== undefined);
      const tokens = windowed[0]?.window;
      const sizes = sizesOfConfig(new ConfigFields(repository, config), [{ name: 'a.safetensors', size: 1 }]);
      assert.equal(sizes?.cacheBytesPerToken, bytesOf(shapes), repository);
      const window = tokens && { tokens, cacheBytesPerToken: bytesOf(windowed) };
      assert.deepEqual(sizes.window, window, repository);
    }
  });

  // Needs Python and NumPy.
  if (fullSize)
    it('stores the numbers that the reference computes', () => {
      const python = process.env['FLASHLINE_PYTHON'] ?? 'python3';
      const printed = execFileSync(python, ['-B', 'test/reference/forms.py'], { encoding: 'utf8' });
      assert.equal(printed, '40 forms\n');
    });
});
