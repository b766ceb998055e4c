// Tests messages of the client while the engine works, counted in passes of the target: each message takes effect at
// the end of the pass in which it was sent.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import type { LayerCache } from '../../server/models/decoder/layerCache';
import { embeddedBlock } from '../support/embeddedFacts';
import { isLossless } from '../support/lossless';
import { insertedText, type EditorClient, type Place } from './editorClient';
import type { RecordedServer } from './recordedServer';
import { recorded } from './serverInMemory';

const LIMITS = { maxSuggestionTokens: 16, maxGenerateTokens: 16 };
const SETTINGS = { ...LIMITS, prefetch: 'never', useOpenFiles: false } as const;
/** Hundreds of tokens, which a CPU reads in several passes. */
const LINES = Array.from(
  { length: 44 },
  (_, i) => `  total += values[${String(i)}] * ${String(i % 7)};`,
).join('\n');
const INVENTORY = `export class Inventory {
  private readonly items = new Map<string, number>();

  add(name: string, count: number): void {
    this.items.set(name, (this.items.get(name) ?? 0) + count);
  }

  ║
}
`;

describe('passes of the target', () => {
  let server: RecordedServer;
  let client: EditorClient;
  /** Decode of each pass, numbered in the order in which decodes began. */
  let passes: number[];
  /** Number of rows of each pass. */
  let rows: number[];
  let onPass: () => void;
  let files = 0;

  before(async () => {
    ({ server, client } = await recorded());
    await client.start({ ...SETTINGS, cacheMemoryMB: 0 });
  });
  after(() => client.connection.sendRequest('shutdown'));

  beforeEach(() => {
    passes = [];
    rows = [];
    onPass = () => undefined;
    // With no prompt cache, each decode has its own state.
    const caches: (LayerCache | undefined)[] = [];
    const { target } = server.engine;
    const forward = target.forward.bind(target);
    mock.method(target, 'forward', (...args: Parameters<typeof forward>) => {
      const [ids, [cache]] = args;
      rows.push(ids.shape.at(-1) ?? NaN);
      if (!caches.includes(cache)) caches.push(cache);
      passes.push(caches.indexOf(cache));
      onPass();
      return forward(...args);
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  function openLongFile(): Promise<Place> {
    return client.open(
      `long${String(++files)}.ts`,
      `let total = 0;\nfunction add() {\n${LINES}\n  total ║\n}\n`,
    );
  }

  /** Calls `send` in the first pass. Returns a function that waits for its result. */
  function inFirstPass<T>(send: () => Promise<T>): () => Promise<T | undefined> {
    let sent: Promise<T> | undefined;
    onPass = () => {
      if (passes.length === 1) sent = send();
    };
    return async () => {
      await client.until(() => sent !== undefined);
      return await sent;
    };
  }

  it('end with the first or the second pass when the request is cancelled during that pass', async () => {
    await client.complete(await openLongFile());
    assert.ok(passes.length > 2, String(passes.length));
    for (const pass of [1, 2]) {
      passes = [];
      const source = new CancellationTokenSource();
      onPass = () => {
        if (passes.length === pass) source.cancel();
      };
      assert.equal(await client.complete(await openLongFile(), { token: source.token }), null);
      await client.until(() => client.status?.state === 'ready');
      assert.equal(passes.length, pass);
    }
  });

  it('serve the newest request from the next pass on, without a cancellation by the client', async () => {
    const short = await client.open('short.ts', 'const add = (a: number, b: number) => a +║;\n');
    const newest = inFirstPass(() => client.text(short));
    assert.equal(await client.complete(await openLongFile()), null);
    assert.equal(await newest(), ' b');
    assert.equal(passes.filter((decode) => decode === 0).length, 1);
  });

  it('serve the suggestion for a new key from the next pass on, while code is generated', async () => {
    const place = await client.open('sum.ts', 'const sum = (first: number, last: number) => first║;\n');
    const { uri, offset } = await openLongFile();
    const suggested = inFirstPass(async () => client.text(await client.type(place, ' +', 2)));
    const generated = client.generate({ uri, instruction: 'more', start: offset, end: offset });
    assert.equal(await suggested(), ' last');
    await generated;
    assert.ok(client.rows.every(({ kind, outcome }) => kind !== 'generate' || outcome !== 'superseded'));
    assert.deepEqual(passes.slice(0, 2), [0, 1]);
  });

  it('read the prompt of alternatives once', async () => {
    await client.settings({ ...SETTINGS, debounceMs: 0 });
    const place = await client.open('inventory.ts', INVENTORY);
    const before = client.rows.length;
    const texts = ((await client.complete(place, { invoked: true })) ?? []).map(insertedText);
    assert.equal(new Set(texts).size, 3, texts.join('|'));
    const [best, ...drawn] = client.rows.slice(before);
    assert.equal(best?.kind, 'inline');
    assert.ok(drawn.length >= 2 && drawn.every(({ kind }) => kind === 'alternative'));
    const { promptTokens } = best.stats;
    assert.ok(promptTokens > 2 * embeddedBlock);
    for (const { stats } of drawn) {
      assert.deepEqual([stats.promptTokens, stats.reusedTokens], [promptTokens, promptTokens - 1]);
      assert.deepEqual([stats.prefillMs, stats.roundTokens], [0, stats.emittedTokens]);
    }
    const rounds = [best, ...drawn].reduce((sum, { stats }) => sum + stats.rounds, 0);
    assert.equal(passes.length, rounds + 1, 'one pass for the prompt');
    // No verification pass has more rows than a block.
    assert.deepEqual(
      rows.filter((count) => count > embeddedBlock),
      [promptTokens],
    );
  });

  it('give the text that the target gives alone', async () => {
    const found = await server.verify();
    assert.ok(found.requests >= 6 && isLossless(found), JSON.stringify(found));
  });
});
