// A person who does anything at any time, with everything on: whatever a decode has reused, and whoever has drafted
// for it, it gives what the target alone gives. Nothing is left behind.
import assert from 'node:assert/strict';
import { isLossless } from '../../bench/replay/lossless';
import { settle } from '../../server/completion/session/suggest';
import { liveArrays } from '../../server/models/mlx/memory';
import { fullSize } from '../support/fullSize';
import { EditorClient } from './editorClient';
import type { FuzzedFile } from './fuzzedDocument';
import { ACTIONS, FuzzedEditor } from './fuzzedEditor';
import type { RecordedServer } from '../../bench/replay/recordedServer';
import { recordedServer, verified } from './recordedServer';

const SEEDS = fullSize ? 6 : 2;
/** When something has not come about by then, on a machine that is slow or fast. */
const MOST_SEEDS = 12;
/** All actions twice. */
const STEPS = 2 * ACTIONS.length;
const CHECK_EVERY = 5;
/** What the longest text of these small files takes: the newest one is kept in any case. */
const ONE_TEXT_BYTES = 17e6;
/** Divides the pause before a prefetch. */
const HASTE = 15;
const FIXED = { debounceMs: 0, maxSuggestionTokens: 10, maxGenerateTokens: 10 };
const SETTINGS = {
  fixed: FIXED,
  cacheMemoryMB: [64, 3, 0, 1, 12],
  draftLength: ['adaptive', 'adaptive', 'full', 0, 1, 5],
  prefetch: ['always', 'pluggedIn', 'never'],
} as const;
/** Many times what it takes on two cores that have nothing else to do. */
const LIMIT_MS = 1_800_000;

/** What decodes are to be for, and how they are to end. */
const KINDS = ['alternative', 'generate', 'inline', 'prefetch'] as const;
const ENDINGS = ['stop', 'length', 'cancelled', 'superseded'] as const;

const FILES: readonly FuzzedFile[] = [
  {
    name: 'list.ts',
    languageId: 'typescript',
    text: 'export function longest(names: string[]): string {\n  let best = "";\n  for (const name of names) {\n    \n  }\n  return best;\n}\n',
  },
  {
    name: 'count.py',
    languageId: 'python',
    text: 'def count(words):\r\n    found = {}\r\n    for word in words:\r\n        \r\n    return found\r\n',
  },
  { name: 'main.go', languageId: 'go', text: 'func main() {\n\tfor i := 0; i < 3; i++ {\n\t\t\n\t}\n}\n' },
];

describe('a person who does anything', () => {
  let server: RecordedServer;
  let client: EditorClient;
  let idle: number;
  const done = new Map<string, number>();
  before(async function () {
    this.timeout(LIMIT_MS);
    server = await recordedServer((milliseconds, signal) => settle(milliseconds / HASTE, signal));
    idle = liveArrays();
    client = new EditorClient(server.reader, server.writer);
    await client.start({ ...FIXED, cacheMemoryMB: 64, prefetch: 'always' });
  });
  after(() => client.connection.sendRequest('shutdown'));

  /** What nobody has done often, or no decode has come to. */
  function missing(): readonly string[] {
    const kinds = new Set(client.rows.map(({ kind }) => kind));
    const endings = new Set(client.rows.map(({ stats }) => stats.finishReason));
    const reuses = client.rows.some(({ stats }) => stats.reusedTokens > 0);
    return [
      ...['accepted', ...ACTIONS].filter((what) => (done.get(what) ?? 0) <= 2),
      ...KINDS.filter((kind) => !kinds.has(kind)),
      ...ENDINGS.filter((ending) => !endings.has(ending)),
      ...(reuses ? [] : ['reuse']),
    ];
  }

  it('gets an answer to everything, within the budget', async function () {
    this.timeout(LIMIT_MS);
    for (let seed = 1; seed <= SEEDS || (missing().length > 0 && seed <= MOST_SEEDS); seed++) {
      const editor = new FuzzedEditor(client, FILES, SETTINGS, seed);
      await editor.start();
      for (let step = 1; step <= STEPS; step++) {
        await editor.step();
        if (step % CHECK_EVERY > 0) continue;
        // The server has read all messages before it answers this.
        await client.history();
        const where = `seed ${String(seed)}, step ${String(step)}`;
        const budget = 1e6 * editor.cacheMemoryMB;
        const most = budget === 0 ? 0 : Math.max(budget, ONE_TEXT_BYTES);
        assert.ok(server.engine.promptCacheBytes <= most, where);
      }
      await editor.end();
      await client.until(() => client.status?.state === 'ready');
      const place = await client.open(
        `last${String(seed)}.ts`,
        'const add = (a: number, b: number) => a +║;\n',
      );
      assert.equal(await client.text(place), ' b', `seed ${String(seed)}`);
      for (const [what, times] of editor.done) done.set(what, (done.get(what) ?? 0) + times);
    }
    assert.deepEqual(missing(), []);
  });

  it('gets what the target alone gives', async function () {
    this.timeout(LIMIT_MS);
    const found = await verified(server);
    assert.ok(found.requests >= 15 * SEEDS, `${String(found.requests)} decodes`);
    assert.ok(isLossless(found), JSON.stringify(found));
  });

  it('is told of no failure', () => {
    assert.deepEqual(
      client.logs.filter((line) => line.includes('failed')),
      [],
    );
  });

  it('leaves nothing behind when nothing may be kept', async function () {
    this.timeout(LIMIT_MS);
    await client.settings({ ...FIXED, cacheMemoryMB: 0, prefetch: 'never' });
    await client.history();
    await client.until(() => liveArrays() === idle);
    assert.equal(server.engine.promptCacheBytes, 0);
  });
});
