// The remote engine against `flashline serve` in another process: the text is that of the engine in this one.
import assert from 'node:assert/strict';
import { Engine } from '../../server/engine/engine';
import { usableModel } from '../../server/hosting/usableModel';
import type { LoadedModel, UsableModel } from '../../server/hosting/loadedModel';
import { RemoteEngine } from '../../server/remote/remoteEngine';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { decoderContract } from './decoder.contract';
import { servedProcess, type ServedProcess } from './servedProcess';

const KEY = 'a-key-of-this-test';

describe('a decoder', () => {
  let local: LoadedModel;
  let server: ServedProcess;
  before(async () => {
    const engine = await Engine.load({ ...EMBEDDED_PAIR, cacheBytes: 64e6 });
    local = usableModel('local', { engine, target: 'embedded', drafter: 'embedded' });
    server = await servedProcess([], KEY);
  });
  after(async () => {
    await server.stop();
    await local.engine.dispose();
  });

  const reach = async (tokenizer: string): Promise<UsableModel> => {
    const engine = await RemoteEngine.load({ url: server.url, model: '', tokenizer, key: KEY });
    return usableModel('remote', { engine, target: engine.config.modelType, drafter: undefined });
  };

  describe('of this process', () => {
    decoderContract(
      () => local,
      () => local,
    );
  });

  describe('behind an address', () => {
    let remote: UsableModel;
    before(async () => {
      remote = await reach('built-in');
    });
    decoderContract(
      () => remote,
      () => local,
    );

    it('is prompted as the model here is', () => {
      assert.deepEqual([remote.info.infill, remote.layout], [local.info.infill, local.layout]);
    });

    it('tells it of an output that is not read to its end, too', async () => {
      const decode = remote.engine.decode([1, 2, 3], { maxTokens: 200 });
      for await (const { text } of decode) if (text !== '') break;
      const { promptTokens, emittedTokens, rounds } = decode.result.stats;
      assert.equal(promptTokens, 3);
      assert.ok(emittedTokens !== null && emittedTokens > 0 && emittedTokens < 200);
      assert.equal(typeof rounds, 'number');
    });

    it('tells what the server told', async () => {
      const decode = remote.engine.decode([1, 2, 3], { maxTokens: 8 });
      const { tokenIds, stats } = await decode.finish();
      const { promptTokens, emittedTokens, rounds, draftedTokens, acceptedTokens } = stats;
      assert.equal(tokenIds, null);
      assert.deepEqual([promptTokens, emittedTokens], [3, 8]);
      const { stats: own } = await local.engine
        .decode([1, 2, 3], { maxTokens: 8, draftLength: 'adaptive' })
        .finish();
      assert.equal(own.emittedTokens, emittedTokens);
      for (const count of [rounds, draftedTokens, acceptedTokens]) assert.equal(typeof count, 'number');
      assert.equal(stats.peakMemoryBytes, null);
    });
  });

  it('fills in before a suffix without a tokenizer', async () => {
    const { info, engine, layout } = await reach('');
    assert.deepEqual([info.infill, layout], ['fim', 'psm']);
    await engine.dispose();
  });

  it('is refused without the key', async () => {
    const choice = { url: server.url, model: '', tokenizer: '' };
    await assert.rejects(
      RemoteEngine.load(choice),
      /API key that 127\.0\.0\.1:\d+ accepts, got HTTP status 401 without a key/,
    );
    await assert.rejects(RemoteEngine.load({ ...choice, key: 'wrong' }), /got HTTP status 401;/);
  });
});
