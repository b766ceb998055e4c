// Tests that cached prompts of visited files stay within the budget and nothing else stays in memory; arrays are
// counted exactly. Uses the tiny pair; at full size also the embedded one, where the memory of the process counts too.
import assert from 'node:assert/strict';
import { Engine, type EngineOptions } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { writeSmallTarget } from '../cli/smallTarget';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { DFLASH } from '../support/fixtures';
import { fullSize } from '../support/fullSize';
import { seededIntegers } from '../support/seededRandom';
import type { EditorClient } from './editorClient';
import { serverInMemory } from './serverInMemory';

const FILES = 10;
const VISITS = (fullSize ? 5 : 3) * FILES;
const CHARACTERS = 300;
const SETTINGS = {
  debounceMs: 0,
  maxSuggestionTokens: 4,
  prefetch: 'never',
  useOpenFiles: false,
  // Adaptive draft lengths depend on time.
  draftLength: 'full',
} as const;

interface Visit {
  readonly promptCacheBytes: number;
  readonly arrays: number;
  readonly reusedTokens: readonly number[];
}

/** Returns the text of a file. Its first line differs between files, so that none is a prefix of another. */
function text(file: number): string {
  const letters = seededIntegers(file, CHARACTERS, 97, 122);
  return `${String.fromCharCode(...letters).replace(/(.{30})/g, '$1\n')}const end = ║;\n`;
}

const small = (): EngineOptions => ({
  targetDirectory: writeSmallTarget(),
  drafterDirectory: DFLASH,
  device: 'cpu',
});

// Each budget has room for some of the files only, so each file is dropped before it is visited again.
for (const [name, pair, budgetMB] of [
  ['tiny', small, 8],
  ...(fullSize ? ([['embedded', () => EMBEDDED_PAIR, 16]] as const) : []),
] as const)
  describe(`visiting files with the ${name} pair`, () => {
    const budget = 1e6 * budgetMB;
    let client: EditorClient;
    let engine: Engine;
    let arraysBeforeLoad: number;
    /** Number of arrays of the loaded engine with an empty cache. */
    let idleArrays: number;
    const visits: Visit[] = [];
    const rssBytes: number[] = [];
    before(async () => {
      arraysBeforeLoad = liveArrays();
      engine = await Engine.load(pair());
      const names = { target: name, drafter: name, remember: () => undefined };
      client = serverInMemory(() => Promise.resolve({ engine, ...names }));
      await client.start({ ...SETTINGS, cacheMemoryMB: 0 });
      idleArrays = liveArrays();
      await client.settings({ ...SETTINGS, cacheMemoryMB: budgetMB });
      for (let i = 0; i < VISITS; i++) {
        visits.push(await visit(i % FILES));
        rssBytes.push(process.memoryUsage.rss());
      }
    });

    async function visit(file: number): Promise<Visit> {
      const place = await client.open(`file${String(file)}.ts`, text(file));
      await client.complete(place);
      await client.complete(await client.type(place, '1 + ', 2));
      await client.close(place.uri);
      await client.until(() => client.status?.state === 'ready');
      return {
        promptCacheBytes: engine.promptCacheBytes,
        arrays: liveArrays(),
        reusedTokens: client.rows.slice(-2).map(({ stats }) => stats.reusedTokens),
      };
    }

    it('keeps the prompt cache within its budget, and uses the budget', () => {
      const bytes = visits.map(({ promptCacheBytes }) => promptCacheBytes);
      assert.ok(Math.max(...bytes) <= budget, String(Math.max(...bytes)));
      assert.ok(Math.min(...bytes.slice(FILES)) > budget / 2, String(Math.min(...bytes.slice(FILES))));
    });

    it('reads a dropped file again, and reuses its prompt for the next request', () => {
      for (const { reusedTokens } of visits) {
        const [first = NaN, second = NaN] = reusedTokens;
        assert.equal(first, 0);
        assert.ok(second > 100, String(second));
      }
    });

    it('holds as many arrays and bytes as when the same file was visited before', () => {
      for (const [i, now] of visits.entries()) if (i >= 2 * FILES) assert.deepEqual(now, visits[i - FILES]);
      assert.ok(visits.every(({ arrays }) => arrays > idleArrays));
    });

    if (fullSize)
      it('grows the process by less than the budget once that is used', () => {
        const used = rssBytes[2 * FILES] ?? NaN;
        assert.ok(Math.max(...rssBytes.slice(2 * FILES)) - used < budget, rssBytes.join());
      });

    it('leaves no arrays when the prompt cache is turned off', async () => {
      await client.settings({ ...SETTINGS, cacheMemoryMB: 0 });
      await client.history();
      assert.equal(engine.promptCacheBytes, 0);
      assert.equal(liveArrays(), idleArrays);
      await client.connection.sendRequest('shutdown');
      assert.equal(liveArrays(), arraysBeforeLoad);
    });
  });
