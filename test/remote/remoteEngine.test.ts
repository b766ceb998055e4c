// Tests that a remote engine, connected to `flashline serve` in another process, gives the text of the local engine.
import assert from 'node:assert/strict';
import { fimEndTokenIds } from '../../server/completion/prompt/fimForm';
import { Engine } from '../../server/engine/engine';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { type LocalModel, type Model, createModel } from '../../server/hosting/model';
import { RecordingDecoder } from '../../server/hosting/recordingDecoder';
import { RemoteEngine } from '../../server/remote/remoteEngine';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { fimPrompt } from '../support/fimPrompt';
import { servedProcess, type ServedProcess } from './servedProcess';

const KEY = 'a-key-of-this-test';
const HOLE = {
  fileName: 'stack.ts',
  prefix: 'class Stack {\n  items: number[] = [];\n  push(item: number) {\n',
  suffix: '\n  }\n}\n',
};

interface DecodeOptions {
  readonly maxTokens?: number;
  readonly stopStrings?: readonly string[];
  readonly sampling?: SamplingOptions;
  readonly signal?: AbortSignal;
  /** Returns whether to continue reading. */
  readonly onPiece?: () => boolean;
}

/** Returns the text of a model for the hole, and its finish reason. */
async function decoded(model: Model, { onPiece = () => true, ...request }: DecodeOptions = {}) {
  const decoder = new RecordingDecoder(model, { kind: 'inline', draftLength: 'full' });
  const ids = fimPrompt(HOLE, decoder.tokenizer, 512) ?? assert.fail();
  const stopTokenIds = fimEndTokenIds(decoder.tokenizer);
  const defaults = { maxTokens: 24, stopStrings: [], stopTokenIds, signal: new AbortController().signal };
  let text = '';
  for await (const piece of decoder.decode(ids, { ...defaults, ...request })) {
    assert.notEqual(piece.text, '');
    text += piece.text;
    if (!onPiece()) break;
  }
  return { text, finishReason: decoder.decodes[0]?.finishReason };
}

describe('a remote engine with the model of a local engine', () => {
  let local: LocalModel;
  let remote: Model;
  let server: ServedProcess;
  const reach = async (tokenizer: string): Promise<Model> => {
    const engine = await RemoteEngine.load({ url: server.url, model: '', tokenizer, key: KEY });
    return createModel('remote', { engine, target: engine.config.modelType, drafter: undefined });
  };
  before(async () => {
    const engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: 64e6 });
    local = createModel('local', { engine, target: 'embedded', drafter: 'embedded' });
    server = await servedProcess([], KEY);
    remote = await reach('built-in');
  });
  after(async () => {
    await server.stop();
    await local.engine.dispose();
  });

  it('has the same infill form as the local engine', () => {
    assert.equal(remote.info.infill, local.info.infill);
  });

  it('gives the text and finish reason of the local engine for the same request and seed', async () => {
    const decodedByBoth = async (request?: DecodeOptions) => {
      const remotely = await decoded(remote, request);
      assert.deepEqual(remotely, await decoded(local, request));
      return remotely;
    };
    const { text } = await decodedByBoth();
    assert.notEqual(text.trim(), '');
    assert.equal((await decodedByBoth({ maxTokens: 3 })).finishReason, 'length');
    const middle = text
      .slice(text.length >> 1)
      .trim()
      .slice(0, 4);
    assert.deepEqual(await decodedByBoth({ stopStrings: [middle] }), {
      text: text.slice(0, text.indexOf(middle)),
      finishReason: 'stop',
    });
    await decodedByBoth({ sampling: { temperature: 0.8, topP: 0.95, seed: 7 } });
  });

  it('stops when its text is no longer read', async () => {
    const { finishReason } = await decoded(remote, { onPiece: () => false });
    assert.equal(finishReason, 'abandoned');
    assert.deepEqual(await decoded(remote), await decoded(local));
  });

  for (const reason of ['cancelled', 'superseded'] as const)
    it(`ends as ${reason} without an error`, async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const onPiece = (): boolean => {
        controller.abort(reason);
        return true;
      };
      assert.equal((await decoded(remote, { signal, onPiece })).finishReason, reason);
      assert.deepEqual(await decoded(remote, { signal }), { text: '', finishReason: reason });
    });

  it('reports statistics of an output that is not read to its end', async () => {
    const decode = remote.engine.decode([1, 2, 3], { maxTokens: 200 });
    for await (const { text } of decode) if (text !== '') break;
    const { promptTokens, emittedTokens, rounds } = decode.result.stats;
    assert.equal(promptTokens, 3);
    assert.ok(emittedTokens !== null && emittedTokens > 0 && emittedTokens < 200);
    assert.equal(typeof rounds, 'number');
  });

  it('reports the statistics of the server', async () => {
    const decode = remote.engine.decode([1, 2, 3], { maxTokens: 8 });
    const { tokenIds, stats } = await decode.finish();
    const { promptTokens, emittedTokens, rounds, draftedTokens, acceptedTokens } = stats;
    assert.equal(tokenIds, null);
    assert.deepEqual([promptTokens, emittedTokens], [3, 8]);
    for (const count of [rounds, draftedTokens, acceptedTokens]) assert.equal(typeof count, 'number');
    assert.equal(stats.peakMemoryBytes, null);
  });

  it('reports that it can infill without a tokenizer', async () => {
    const { info, engine } = await reach('');
    assert.equal(info.infill, 'fim');
    await engine.dispose();
  });

  it('refuses to load without the key of the server', async () => {
    const choice = { url: server.url, model: '', tokenizer: '' };
    await assert.rejects(
      RemoteEngine.load(choice),
      /127\.0\.0\.1:\d+ requires an API key \(HTTP status 401\)/,
    );
    await assert.rejects(
      RemoteEngine.load({ ...choice, key: 'wrong' }),
      / rejected the API key \(HTTP status 401\)/,
    );
  });
});
