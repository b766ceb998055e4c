// Types, accepts, mistypes, moves and generates code at random while the settings of the prompt cache, of drafts and of
// prefetching change. Each decode must give the text that the target alone gives, with any cached prompt and any draft,
// and leave nothing in memory. Random other messages are in test/nightly/fuzz/kinds/editorMessages.ts.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CancellationTokenSource, type DataCallback } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ReplayClient } from '../../bench/replay/replayClient';
import { sources } from '../../bench/replay/sources';
import { newTrace } from '../../bench/replay/trace';
import { Typist } from '../../bench/replay/typist';
import { Rng } from '../../bench/rng';
import { settle } from '../../server/completion/session/settle';
import { Engine } from '../../server/engine/engine';
import type { CacheBudget } from '../../server/engine/engine';
import { liveArrays } from '../../server/models/mlx/memory';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { fullSize } from '../support/fullSize';
import { isLossless } from '../support/lossless';
import { RecordedServer } from './recordedServer';

const SEEDS = fullSize ? 6 : 1;
/** Maximum runs until all events of `missing` have happened; how soon they do depends on the machine's speed. */
const MAX_SEEDS = fullSize ? 12 : 30;
const KEYS = fullSize ? 150 : 60;
const CHECK_EVERY = 5;
/** Maximum characters of each file: prefill takes time. */
const MAX_FILE_CHARACTERS = 900;
/** Cache memory of the longest of these files: the newest prompt is cached even above the budget, unless that is 0. */
const ONE_TEXT_BYTES = 17e6;
/** Factor by which the typist's pauses are shorter than usual. */
const SPEED = 5;
/** Factor by which the pause before a prefetch is shorter than usual. */
const HASTE = 15;
const FIXED = { debounceMs: 0, maxSuggestionTokens: 10, maxGenerateTokens: 10, useOpenFiles: false };
const CACHE_MB = [64, 3, 0, 1, 12];
const DRAFT_LENGTHS = ['adaptive', 'adaptive', 'full', 0, 1, 5] as const;
const PREFETCH = ['always', 'pluggedIn', 'never'] as const;
/** Time limit: many times the usual duration on two idle cores. */
const LIMIT_MS = 1_800_000;

/** Kinds of decodes and finish reasons that must have occurred. */
const KINDS = ['generate', 'inline', 'prefetch'] as const;
const ENDINGS = ['stop', 'length', 'cancelled', 'superseded'] as const;

describe('typing while settings change', () => {
  let server: RecordedServer;
  let client: ReplayClient;
  let idleArrays: number;
  let accepts = 0;
  /** Current budget of the engine's cache, and all budgets so far. */
  let budget = 0;
  const budgets = new Set<number>();
  const sentMessages: string[] = [];
  before(async function () {
    this.timeout(LIMIT_MS);
    const hastySettle = (milliseconds: number, signal: AbortSignal) => settle(milliseconds / HASTE, signal);
    server = new RecordedServer(await Engine.load(EMBEDDED_PAIR), hastySettle);
    idleArrays = liveArrays();
    const resize = server.engine.resizeCache.bind(server.engine);
    mock.method(server.engine, 'resizeCache', (cacheBudget: CacheBudget) => {
      budget = cacheBudget.bytes;
      budgets.add(budget);
      resize(cacheBudget);
    });
    const listen = server.reader.listen.bind(server.reader);
    mock.method(server.reader, 'listen', (callback: DataCallback) =>
      listen((message) => {
        sentMessages.push(JSON.stringify(message));
        callback(message);
      }),
    );
    client = new ReplayClient(server.reader, server.writer);
    await client.start({ ...FIXED, cacheMemoryMB: 64, prefetch: 'always' });
  });
  after(() => client.shutdown());

  /** Returns the events that have not happened often enough yet. */
  function missing(): readonly string[] {
    const kinds = new Set(client.rows.map(({ kind }) => kind));
    const endings = new Set(client.rows.map(({ stats }) => stats.finishReason));
    return [
      ...(accepts > 2 ? [] : ['accepts']),
      ...CACHE_MB.filter((megabytes) => !budgets.has(1e6 * megabytes)).map((size) => `${String(size)} MB`),
      ...KINDS.filter((kind) => !kinds.has(kind)),
      ...ENDINGS.filter((ending) => !endings.has(ending)),
      ...(client.rows.some(({ stats }) => (stats.reusedTokens ?? 0) > 0) ? [] : ['reuse']),
    ];
  }

  it('has every request answered, and the prompt cache within its budget', async function () {
    this.timeout(LIMIT_MS);
    const { signal } = new AbortController();
    for (let seed = 1; seed <= SEEDS || (missing().length > 0 && seed <= MAX_SEEDS); seed++) {
      const rng = new Rng(seed);
      const files = sources([]).map(({ fileName, languageId, text }) => ({
        fileName: `${String(seed)}${fileName}`,
        languageId,
        text: text.slice(0, MAX_FILE_CHARACTERS),
      }));
      const onProgress = (keys: number): void => {
        if (keys % CHECK_EVERY > 0) return;
        const maxBytes = budget === 0 ? 0 : Math.max(budget, ONE_TEXT_BYTES);
        assert.ok(server.engine.promptCacheBytes <= maxBytes, `seed ${String(seed)}, key ${String(keys)}`);
        const [cacheMemoryMB, draftLength] = [rng.pick(CACHE_MB), rng.pick(DRAFT_LENGTHS)];
        client.configure({ ...FIXED, cacheMemoryMB, draftLength, prefetch: rng.pick(PREFETCH) });
      };
      const trace = newTrace(files, { seed, keys: KEYS, generate: true });
      const played = await new Typist(client, trace, { speed: SPEED, signal, onProgress }).play();
      accepts += played.accepts;
      const text = 'const add = (a: number, b: number) => a +;\n';
      const document = TextDocument.create(`file:///last${String(seed)}.ts`, 'typescript', 1, text);
      client.open(document);
      const { token } = new CancellationTokenSource();
      const [item] = (await client.complete(document, { line: 0, character: 41 }, token)) ?? [];
      assert.equal(item?.insertText, ' b', `seed ${String(seed)}`);
    }
    assert.deepEqual(budgets, new Set(CACHE_MB.map((megabytes) => 1e6 * megabytes)));
    assert.deepEqual(missing(), []);
  });

  it('gives the text that the target gives alone', async function () {
    this.timeout(LIMIT_MS);
    const { decodes } = server;
    const found = await server.verify();
    assert.ok(found.requests === decodes && decodes >= 10 * SEEDS, `${String(found.requests)} decodes`);
    assert.ok(isLossless(found), JSON.stringify(found));
  });

  it('logs no failure', () => {
    assert.ok(sentMessages.some((message) => message.includes('window/logMessage')));
    assert.deepEqual(
      sentMessages.filter((message) => /logMessage.*failed/.test(message)),
      [],
    );
  });

  it('leaves no arrays when the prompt cache is turned off', async function () {
    this.timeout(LIMIT_MS);
    client.configure({ ...FIXED, cacheMemoryMB: 0, prefetch: 'never' });
    while (liveArrays() > idleArrays) await settle(10, new AbortController().signal);
    assert.equal(liveArrays(), idleArrays);
    assert.equal(server.engine.promptCacheBytes, 0);
  });
});
