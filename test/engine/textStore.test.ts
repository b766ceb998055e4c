// What an engine has read outlives the process: an engine that is loaded later decodes the same text as one that has seen
// nothing before, without reading it again, and never uses a file that is not as it was written.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Engine, type EngineOptions } from '../../server/engine/engine';
import type { DecodeResult } from '../../server/engine/decode';
import { liveArrays } from '../../server/models/memory';
import { EMBEDDED_PAIR, pairCases } from '../support/embeddedPair';
import { GEMMA3, GEMMA4, LLAMA, QWEN3_5, QWEN3_NEXT } from '../support/fixtures';
import { seededIntegers } from '../support/seededRandom';
import { temporaryFolder } from '../support/temporaryFolder';
import { TINY_PAIR } from '../support/tinyPair';

const BUDGET = { bytes: 1e9, diskBytes: 1e9 };
const LENGTH = 200;
const text = (seed: number, length = LENGTH): number[] => seededIntegers(seed, length, 3, 255);

async function loaded(folder: string | undefined, pair: EngineOptions = TINY_PAIR): Promise<Engine> {
  const engine = await Engine.load({
    ...pair,
    ...(folder !== undefined && { store: { folder, pair: 'tiny' } }),
  });
  engine.resizeCache(BUDGET);
  return engine;
}

async function decode(engine: Engine, promptIds: readonly number[], kind: 'inline' | 'generate' = 'inline') {
  return await engine.decode(promptIds, { maxTokens: 12, kind }).finish();
}

/** Has a new engine decode the prompts and store what it read. */
async function store(
  folder: string,
  prompts: readonly (readonly number[])[],
  pair?: EngineOptions,
): Promise<void> {
  const engine = await loaded(folder, pair);
  for (const prompt of prompts) await decode(engine, prompt);
  await engine.storeTexts();
  await engine.dispose();
}

/** Of a new engine. */
async function decoded(
  folder: string | undefined,
  prompt: readonly number[],
  pair?: EngineOptions,
): Promise<DecodeResult> {
  const engine = await loaded(folder, pair);
  const result = await decode(engine, prompt);
  await engine.dispose();
  return result;
}

/** Paths of what is stored. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

const textsIn = (folder: string): string[] => filesIn(folder).filter((path) => path.endsWith('text.json'));

describe('stored texts', () => {
  let folder: string;
  let live: number;
  beforeEach(() => {
    folder = temporaryFolder();
    live = liveArrays();
  });
  afterEach(() => assert.equal(liveArrays(), live, 'arrays left'));

  it('are what a later engine need not read', async () => {
    const [one, two] = [text(1), text(2)];
    await store(folder, [one, two]);
    for (const [prompt, reused] of [
      [[...one, 7, 9], LENGTH],
      [[...two, 5], LENGTH],
      [[...one.slice(0, 150), 8], 150],
      [text(3), 0],
    ] as const) {
      const { tokenIds, stats } = await decoded(folder, prompt);
      assert.deepEqual(tokenIds, (await decoded(undefined, prompt)).tokenIds);
      assert.equal(stats.reusedTokens, reused);
    }
  });

  for (const targetDirectory of [LLAMA, GEMMA3, GEMMA4, QWEN3_5, QWEN3_NEXT])
    it(`of ${targetDirectory} change no token`, async () => {
      const pair = { targetDirectory, device: 'cpu', strict: true } as const;
      await store(folder, [text(4)], pair);
      const prompt = [...text(4), 8];
      const { tokenIds, stats } = await decoded(folder, prompt, pair);
      assert.deepEqual(tokenIds, (await decoded(undefined, prompt, pair)).tokenIds);
      assert.equal(stats.reusedTokens, LENGTH);
    });

  it('of the built-in pair give its text, with as good drafts', async () => {
    const { prompt_ids: prompt = [], output_ids: output = [] } =
      pairCases.find(({ prompt_ids: ids }) => ids.length > 300) ?? {};
    await store(folder, [prompt], EMBEDDED_PAIR);
    const engine = await loaded(folder, EMBEDDED_PAIR);
    const wish = { maxTokens: output.length, kind: 'inline', draftLength: 'full' } as const;
    const result = await engine.decode(prompt, wish).finish();
    const again = await engine.decode(prompt, wish).finish();
    await engine.dispose();
    assert.equal(result.stats.reusedTokens, prompt.length - 1);
    assert.deepEqual(result.tokenIds, output);
    assert.deepEqual(result.acceptanceLengths, again.acceptanceLengths);
  });

  it('are not used, and go, if a byte or a length is another one', async () => {
    for (const [name, spoil] of Object.entries(SPOILT)) {
      await store(folder, [text(5)]);
      assert.equal(textsIn(folder).length, 1, name);
      for (const file of filesIn(folder))
        if (file.endsWith('.safetensors') === spoil.ofArrays) spoil.change(file);
      const { tokenIds, stats } = await decoded(folder, [...text(5), 8]);
      assert.equal(stats.reusedTokens, 0, name);
      assert.deepEqual(tokenIds, (await decoded(undefined, [...text(5), 8])).tokenIds);
      assert.deepEqual(textsIn(folder), [], name);
    }
  });

  it('are for one pair only, and can be opened by one person only', async () => {
    await store(folder, [text(6)]);
    const other = await Engine.load({ ...TINY_PAIR, store: { folder, pair: 'other' } });
    other.resizeCache(BUDGET);
    assert.equal((await decode(other, [...text(6), 8])).stats.reusedTokens, 0);
    await other.dispose();
    if (process.platform === 'win32') return;
    for (const file of filesIn(folder)) assert.equal(statSync(file).mode & 0o777, 0o600, file);
    for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o700);
  });

  it('are those of suggestions, and long enough to be worth it', async () => {
    const engine = await loaded(folder);
    await decode(engine, text(7), 'generate');
    await decode(engine, text(8, 40));
    await engine.storeTexts();
    await engine.dispose();
    assert.deepEqual(textsIn(folder), []);
  });

  it('are stored once, and replaced by longer ones', async () => {
    await store(folder, [text(9)]);
    const [first] = textsIn(folder);
    await store(folder, [text(9)]);
    assert.deepEqual(textsIn(folder), [first]);
    await store(folder, [[...text(9), ...text(10, 100)]]);
    assert.equal(textsIn(folder).length, 1);
    assert.notEqual(textsIn(folder)[0], first);
  });

  it('take no more than their limit, and nothing without one', async () => {
    const engine = await loaded(folder);
    for (const seed of [11, 12]) await decode(engine, text(seed));
    await engine.storeTexts();
    assert.equal(textsIn(folder).length, 2);
    const bytes = filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0);
    engine.resizeCache({ bytes: 1e9, diskBytes: 0.75 * bytes });
    await engine.storeTexts();
    assert.equal(textsIn(folder).length, 1);
    engine.resizeCache({ bytes: 1e9, diskBytes: 0 });
    await engine.storeTexts();
    assert.deepEqual(readdirSync(folder), []);
    await engine.dispose();
  });

  it('leave nothing half written when there is no time, and when a request takes the text', async () => {
    const engine = await loaded(folder);
    await decode(engine, text(13));
    await engine.storeTexts(0);
    assert.deepEqual(filesIn(folder), []);
    await engine.dispose();
    const busy = await loaded(folder);
    await decode(busy, text(14));
    const stored = busy.storeTexts();
    const { tokenIds } = await decode(busy, [...text(14), 9]);
    await stored;
    assert.deepEqual(tokenIds, (await decoded(undefined, [...text(14), 9])).tokenIds);
    await busy.dispose();
    for (const path of textsIn(folder)) assert.ok(existsSync(path));
    assert.equal((await decoded(folder, [...text(14), 9])).tokenIds.join(), tokenIds.join());
  });

  it('do no harm where nothing can be written', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await store(join(file, 'below'), [text(15)]);
    chmodSync(file, 0o600);
    assert.equal((await decoded(join(file, 'below'), [...text(15), 1])).stats.reusedTokens, 0);
  });
});

/** Changes of one kind of file. */
const SPOILT = {
  'a bit of an array': { ofArrays: true, change: flipMiddle },
  'the end of an array': {
    ofArrays: true,
    change: (file: string) => truncateSync(file, statSync(file).size - 1),
  },
  'a token': {
    ofArrays: false,
    change: (file: string) => {
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"tokens":\[\d+/, '"tokens":[1'));
    },
  },
  'no text': { ofArrays: false, change: (file: string) => truncateSync(file, 10) },
};

function flipMiddle(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
