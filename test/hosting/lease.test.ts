// Tests the lease of a loaded model: measurements are stored for the next process, a remote engine is used again, and
// the prompt cache follows the settings. Models are fakes.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { cacheBudget } from '../../server/hosting/cacheBudget';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { PairName } from '../../server/hosting/pairName';
import { RemoteError } from '../../server/remote/remoteError';
import { HostedModels } from '../lsp/hostedModels';
import { settled } from '../lsp/manualClock';

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Creates a lease and records the engines that it loads. */
function hosted() {
  const models = new HostedModels();
  const { lease } = models.window();
  const { remembered } = models.loads;
  /** Makes a request and waits until the lease is idle. */
  const useAndRest = async (): Promise<void> => {
    await lease.use(() => Promise.resolve());
    await models.clock.pass(10_000);
  };
  return { lease, engines: () => models.loads.engines, remembered, useAndRest, models };
}

describe('Lease', () => {
  it('stores measurements of a request once it is idle', async () => {
    const { lease, engines, remembered, useAndRest, models } = hosted();
    await lease.configure(DEFAULT_SETTINGS);
    const [engine = assert.fail()] = engines();
    await models.clock.pass(600_000);
    const before = remembered.length;
    for (let key = 0; key < 10; key++) {
      await lease.use(() => Promise.resolve());
      await models.clock.pass(500);
    }
    assert.equal(remembered.length, before, 'measurements are stored while requests go on');
    for (let rest = 1; rest <= 2; rest++) {
      await useAndRest();
      assert.deepEqual(remembered.slice(before), Array(rest).fill({ engine, profile: engine.profile }));
    }
  });

  it('returns to a remote engine between two requests, never during one', async () => {
    const isRemote = (choice: PairName): boolean => (choice.remote?.url ?? '') !== '';
    let isDown = true;
    /** Functions that let the checks of the remote engine succeed. */
    const reached: (() => void)[] = [];
    const models: HostedModels = new HostedModels('instant', {
      identify: (choice) => (isRemote(choice) ? 'remote' : 'local'),
      load: (choice, ...watching) => {
        if (isRemote(choice) && isDown) throw new RemoteError('It sent nothing. Try again.');
        return models.loads.load({ ...choice, target: isRemote(choice) ? 'remote' : 'local' }, ...watching);
      },
      reach: () => new Promise((resolve) => void reached.push(resolve)),
    });
    const window = models.window();
    const remote = { ...DEFAULT_SETTINGS.remote, url: 'http://a:80', fallback: true };
    await window.configure({ remote });
    assert.equal(await window.requestedTarget(), 'local');
    await models.clock.pass(600_000);
    await window.requestedTarget();
    await settled();
    assert.equal(reached.length, 1, 'the remote engine is not tried once');
    isDown = false;
    const { promise, resolve } = deferred();
    const use = window.lease.use(() => promise);
    await settled();
    // The engine answers during a request, which keeps the local model.
    reached[0]?.();
    await settled();
    assert.equal(models.loads.engines[0]?.disposed, false);
    resolve();
    await use;
    await settled();
    reached[1]?.();
    await settled();
    assert.equal(models.loads.engines[0]?.disposed, true);
    assert.equal(await window.requestedTarget(), 'remote');
  });

  it('keeps its pair when the remote engine of earlier settings answers again', async () => {
    const isRemote = (choice: PairName): boolean => (choice.remote?.url ?? '') !== '';
    /** Functions that let the checks of the remote engine succeed. */
    const reached: (() => void)[] = [];
    const models: HostedModels = new HostedModels('instant', {
      identify: (choice) => (isRemote(choice) ? 'remote' : 'local'),
      load: (choice, ...watching) => {
        if (isRemote(choice)) throw new RemoteError('It sent nothing. Try again.');
        return models.loads.load(choice, ...watching);
      },
      reach: () => new Promise((resolve) => void reached.push(resolve)),
    });
    const window = models.window();
    await window.configure({ remote: { ...DEFAULT_SETTINGS.remote, url: 'http://a:80', fallback: true } });
    await window.requestedTarget();
    await models.clock.pass(600_000);
    await window.requestedTarget();
    await settled();
    assert.equal(reached.length, 1, 'the remote engine is not tried once');
    await window.configure({});
    reached[0]?.();
    await settled();
    await models.clock.pass(1000);
    await window.requestedTarget();
    assert.deepEqual(
      models.loads.engines.map(({ disposed }) => disposed),
      [false],
    );
  });

  it('stores measurements before it frees a model', async () => {
    const { lease, engines, remembered } = hosted();
    await lease.configure(DEFAULT_SETTINGS);
    const learned = { verifyMs: [[1, 3]], draftMs: {}, rates: {} };
    Object.assign(engines()[0] ?? {}, { profile: learned });
    await lease.configure({ ...DEFAULT_SETTINGS, target: 'other' });
    const last = remembered.findLast(({ engine }) => engine === engines()[0]);
    assert.deepEqual(last, { engine: engines()[0], profile: learned });
    assert.equal(engines()[0]?.disposed, true);
    await lease.dispose();
    assert.equal(remembered.at(-1)?.engine, engines()[1]);
    assert.equal(engines()[1]?.disposed, true);
  });

  it('resizes the prompt cache of a loaded model when the setting changes', async () => {
    const { lease, engines } = hosted();
    await lease.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 100 });
    for (const cacheMemoryMB of [1, 0, 200]) await lease.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB });
    assert.equal(engines().length, 1);
    assert.deepEqual(engines()[0]?.budgets, [100e6, 1e6, 0, 200e6]);
    await lease.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 7, device: 'cpu' });
    assert.equal(engines().length, 2);
    assert.deepEqual(engines()[1]?.budgets, [7e6]);
    assert.equal(engines()[0]?.budgets.length, 4);
  });

  it('caches eight prompts in up to an eighth of the memory by default', async () => {
    const { lease, engines } = hosted();
    await lease.configure(DEFAULT_SETTINGS);
    const { bytes, prompts } = cacheBudget('auto');
    assert.deepEqual(engines()[0]?.budgets, [bytes]);
    assert.ok(bytes > 0 && bytes <= totalmem() / 8);
    assert.equal(prompts, 8);
    assert.deepEqual(cacheBudget('auto', 16e9), { bytes: 2e9, prompts });
    assert.deepEqual(cacheBudget(256, 16e9), { bytes: 256e6 });
  });
});
