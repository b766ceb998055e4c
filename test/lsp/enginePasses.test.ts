// A message of the client and the engine that works meanwhile, counted in passes of the target: whatever the message
// asks for takes effect when the pass ends in which it was sent.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { settle } from '../../server/completion/session/suggest';
import type { LayerCache } from '../../server/models/decoder/kvCache';
import { EditorClient, type Place } from './editorClient';
import type { RecordedServer } from '../../bench/replay/recordedServer';
import { recordedServer } from './recordedServer';

/** Hundreds of tokens, which are read in several passes. */
const LINES = Array.from(
  { length: 44 },
  (_, i) => `  total += values[${String(i)}] * ${String(i % 7)};`,
).join('\n');

describe('passes of the target for a client', () => {
  let server: RecordedServer;
  let client: EditorClient;
  /** The decode of each pass, by the order in which they began. */
  let passes: number[];
  let onPass: () => void;
  let files = 0;

  before(async () => {
    server = await recordedServer(settle);
    client = new EditorClient(server.reader, server.writer);
    await client.start({
      cacheMemoryMB: 0,
      prefetch: 'never',
      maxSuggestionTokens: 16,
      maxGenerateTokens: 16,
      useOpenFiles: false,
    });
  });
  after(() => client.connection.sendRequest('shutdown'));

  beforeEach(() => {
    passes = [];
    onPass = () => undefined;
    // Nothing is kept here, so each decode has caches of its own.
    const caches: (LayerCache | undefined)[] = [];
    const { target } = server.engine;
    const forward = target.forward.bind(target);
    mock.method(target, 'forward', (...given: Parameters<typeof forward>) => {
      const [, [cache]] = given;
      if (!caches.includes(cache)) caches.push(cache);
      passes.push(caches.indexOf(cache));
      onPass();
      return forward(...given);
    });
  });
  afterEach(() => {
    mock.restoreAll();
  });

  function long(): Promise<Place> {
    return client.open(
      `long${String(++files)}.ts`,
      `let total = 0;\nfunction add() {\n${LINES}\n  total ║\n}\n`,
    );
  }

  /** What `send` gives, which is called in the first pass. */
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

  it('are many for a long file', async () => {
    await client.complete(await long());
    assert.ok(passes.length > 2, String(passes.length));
  });

  for (const pass of [1, 2])
    it(`end when the request is cancelled (in pass ${String(pass)})`, async () => {
      const source = new CancellationTokenSource();
      onPass = () => {
        if (passes.length === pass) source.cancel();
      };
      assert.equal(await client.complete(await long(), { token: source.token }), null);
      await client.until(() => client.status?.state === 'ready');
      assert.equal(passes.length, pass);
    });

  it('are for the newest request from the next one on, though the client cancels nothing', async () => {
    const short = await client.open('short.ts', 'const add = (a: number, b: number) => a +║;\n');
    const newest = inFirstPass(() => client.text(short));
    assert.equal(await client.complete(await long()), null);
    assert.equal(await newest(), ' b');
    assert.equal(passes.filter((decode) => decode === 0).length, 1);
  });

  it('are for a suggestion after a key from the next one on, though code is generated', async () => {
    const place = await client.open('sum.ts', 'const sum = (first: number, last: number) => first║;\n');
    const { uri, offset } = await long();
    const suggested = inFirstPass(async () => client.text(await client.type(place, ' +', 2)));
    const generated = client.generate({ uri, instruction: 'more', start: offset, end: offset });
    assert.equal(await suggested(), ' last');
    await generated;
    assert.deepEqual(passes.slice(0, 2), [0, 1]);
  });

  it('go by no second one before an answer that needs none', async () => {
    const place = await client.open('known.ts', 'const sub = (a: number, b: number) => a -║;\n');
    const text = await client.text(place);
    assert.notEqual(text, undefined);
    const { uri, offset } = await long();
    passes = [];
    let passesBefore: number | undefined;
    const again = inFirstPass(async () => {
      const found = await client.text(place);
      passesBefore = passes.length;
      return found;
    });
    const generated = client.generate({ uri, instruction: 'more', start: offset, end: offset });
    assert.equal(await again(), text);
    await generated;
    assert.equal(passesBefore, 1);
  });
});
