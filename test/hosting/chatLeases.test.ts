// Tests the models of a window's chats: which requests share a model, when it is freed, and that a failed remote engine
// is not replaced by a local model. Loads and engines are fakes; test/lsp/chat.test.ts tests whole chats.
import assert from 'node:assert/strict';
import { ChatLeases } from '../../server/hosting/chatLeases';
import { LoadCrash } from '../../server/hosting/loadMark';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { ClientSettings } from '../../server/protocol/messages';
import { RemoteError } from '../../server/remote/remoteError';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import { HostedModels } from '../lsp/hostedModels';
import { settled } from '../lsp/manualClock';

const remote = (url: string) => ({ remote: { ...NO_REMOTE, url, fallback: true } });

describe('ChatLeases', () => {
  let models: HostedModels;
  let chats: ChatLeases;
  /** Targets and remote addresses that are loaded, in order. */
  let loads: string[];
  /** Whether loaded models only complete text. */
  let isBase: boolean;
  beforeEach(() => {
    loads = [];
    isBase = false;
    models = new HostedModels('instant', {
      load: async (name, ...rest) => {
        const url = name.remote?.url ?? '';
        loads.push(url === '' ? name.target : url);
        if (name.target === 'crashing') throw new LoadCrash('Loading it has crashed. Choose another model.');
        if (url.includes('down')) throw new RemoteError('It sent nothing. Try again.');
        const loaded = await models.loads.load(name, ...rest);
        return { ...loaded, engine: Object.assign(loaded.engine, { hasChatTemplate: !isBase }) };
      },
    });
    chats = new ChatLeases(models.pool, () => undefined);
  });

  /** Makes one request to the model of the settings. */
  const request = async (settings: Partial<ClientSettings>): Promise<string> => {
    const answer = chats.use({ ...DEFAULT_SETTINGS, ...settings }, ({ info }) =>
      Promise.resolve(info.target),
    );
    await Promise.allSettled([answer, models.clock.pass(1000)]);
    return await answer;
  };
  const disposed = (): boolean[] => models.loads.engines.map((engine) => engine.disposed);

  it('keeps one model in memory between requests, even while suggestions are off', async () => {
    const settings = { target: 'a', enable: { '*': false } };
    assert.equal(await request(settings), 'a');
    assert.equal(await request(settings), 'a');
    await models.clock.pass(60_000);
    assert.deepEqual([loads, disposed()], [['a'], [false]]);
  });

  it('frees a model when another one is requested, also one with the same target or on another server', async () => {
    const settings = [
      { target: 'a' },
      { target: 'a', drafter: 'none' },
      remote('http://one:80'),
      remote('http://two:80'),
      { target: 'a' },
    ];
    for (const [i, change] of settings.entries()) {
      await request(change);
      assert.deepEqual(disposed(), [...Array<boolean>(i).fill(true), false]);
    }
    assert.deepEqual(loads, ['a', 'a', 'http://one:80', 'http://two:80', 'a']);
  });

  it('keeps a model while it answers, even if its target is requested with another drafter', async () => {
    let end = (): void => undefined;
    const answer = new Promise<void>((resolve) => (end = resolve));
    const running = chats.use({ ...DEFAULT_SETTINGS, target: 'a' }, () => answer);
    await settled();
    await request({ target: 'a', drafter: 'none' });
    assert.deepEqual(disposed(), [false, false]);
    end();
    await running;
    await settled();
    assert.deepEqual(disposed(), [true, false]);
  });

  it('refuses a model that only completes text, and frees it', async () => {
    isBase = true;
    await assert.rejects(request({ target: 'a' }), /only completes text\. Choose a chat model/);
    await settled();
    assert.deepEqual(disposed(), [true]);
  });

  it('reports a remote engine that fails, and sends nothing to the local model instead', async () => {
    await assert.rejects(request(remote('http://down:80')), /It sent nothing/);
    assert.deepEqual(loads, ['http://down:80']);
  });

  it('reports a model that has crashed before, and loads no other model instead', async () => {
    for (let i = 0; i < 2; i++)
      await assert.rejects(request({ target: 'crashing' }), /Loading it has crashed/);
    assert.deepEqual([...new Set(loads)], ['crashing']);
  });

  it('releases a remote engine, but no local model, once the settings name another engine or none', async () => {
    const configure = async (settings: Partial<ClientSettings>): Promise<void> => {
      chats.configure({ ...DEFAULT_SETTINGS, ...settings });
      await settled();
    };
    for (const next of [remote('http://two:80'), {}]) {
      await request(remote('http://one:80'));
      await configure(remote('http://one:80'));
      assert.equal(disposed().at(-1), false);
      await configure(next);
      assert.equal(disposed().at(-1), true);
    }
    await request({ target: 'a' });
    await configure({ target: 'b' });
    assert.equal(disposed().at(-1), false);
  });

  it('releases all models when the window closes', async () => {
    await request({ target: 'a' });
    await chats.dispose();
    assert.deepEqual(disposed(), [true]);
  });
});
