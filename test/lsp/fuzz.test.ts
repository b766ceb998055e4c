// A person who does anything at any time, with everything on: whatever a decode has reused, and whoever has drafted
// for it, it gives what a cold and plain decode gives. Nothing is left behind.
import assert from 'node:assert/strict';
import { settle } from '../../server/completion/settle';
import { liveArrays } from '../../server/models/memory';
import { EditorClient } from './editorClient';
import type { FuzzedFile } from './fuzzedDocument';
import { FuzzedEditor } from './fuzzedEditor';
import { RecordedServer } from './recordedServer';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 60;
const CHECK_EVERY = 5;
/** Divides the pause before a prefetch. */
const HASTE = 15;
const FIXED = { debounceMs: 0, maxSuggestionTokens: 10, maxGenerateTokens: 10 };
const SETTINGS = {
  fixed: FIXED,
  cacheMemoryMB: [64, 3, 0, 1, 12],
  draftLength: ['adaptive', 'adaptive', 'full', 0, 1, 5],
  prefetch: ['always', 'pluggedIn', 'never'],
} as const;
/** It takes a minute on two cores that have nothing else to do. */
const LIMIT_MS = 600_000;

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
  before(async () => {
    server = await RecordedServer.start((milliseconds, signal) => settle(milliseconds / HASTE, signal));
    idle = liveArrays();
    client = new EditorClient(server.reader, server.writer);
    await client.start({ ...FIXED, cacheMemoryMB: 64, prefetch: 'always' });
  });
  after(() => client.connection.sendRequest('shutdown'));

  for (const seed of SEEDS)
    it(`gets an answer to everything, within the budget (seed ${String(seed)})`, async function () {
      this.timeout(LIMIT_MS);
      const editor = new FuzzedEditor(client, FILES, SETTINGS, seed);
      await editor.start();
      for (let step = 1; step <= STEPS; step++) {
        await editor.step();
        if (step % CHECK_EVERY > 0) continue;
        // The server has read all messages before it answers this.
        await client.history();
        assert.ok(server.engine.residentBytes <= 1e6 * editor.cacheMemoryMB, `step ${String(step)}`);
      }
      await editor.end();
      await client.until(() => client.status?.state === 'ready');
      const place = await client.open(
        `last${String(seed)}.ts`,
        'const add = (a: number, b: number) => a +║;\n',
      );
      assert.equal(await client.text(place), ' b');
      for (const [what, times] of editor.done) done.set(what, (done.get(what) ?? 0) + times);
    });

  it('gets what the target alone gives', async function () {
    this.timeout(LIMIT_MS);
    const { requests, different } = await server.verify();
    assert.ok(requests >= 100, `${String(requests)} decodes`);
    assert.equal(different, 0);
  });

  it('has done everything there is to do', () => {
    assert.ok([...done.values()].every((times) => times > 2) && done.size >= 13, JSON.stringify([...done]));
    const kinds = new Set(client.rows.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ['alternative', 'generate', 'inline', 'prefetch']);
    const endings = new Set(client.rows.map(({ stats }) => stats.finishReason));
    for (const ending of ['stop', 'length', 'cancelled', 'superseded'] as const)
      assert.ok(endings.has(ending), ending);
    assert.ok(client.rows.some(({ stats }) => stats.reusedTokens > 0));
    assert.deepEqual(
      client.logs.filter((line) => line.includes('failed')),
      [],
    );
  });

  it('leaves nothing behind when nothing may be kept', async () => {
    await client.settings({ ...FIXED, cacheMemoryMB: 0, prefetch: 'never' });
    await client.history();
    await client.until(() => liveArrays() === idle);
    assert.equal(server.engine.residentBytes, 0);
  });
});
