// Tests which model a lease keeps, releases and loads again, what it reports and logs, and the size of its prompt cache.
// Models are fakes.
import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { cacheBudget } from '../../server/hosting/cacheBudget';
import { Lease } from '../../server/hosting/lease';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { PairName } from '../../server/hosting/pairName';
import { RemoteError } from '../../server/remote/remoteError';
import { UserError } from '../../server/rules/userError';
import { LLAMA_CPP } from '../../server/rules/remoteAddress';
import { HostedModels, type HostedParts, type Window } from '../lsp/hostedModels';
import { settled } from '../lsp/manualClock';

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Creates a lease and records the engines that it loads. */
function hosted() {
  const models = new HostedModels();
  const { lease, statuses } = models.window();
  const { remembered } = models.loads;
  /** Makes a request and waits until the lease is idle. */
  const useAndRest = async (): Promise<void> => {
    await lease.use(() => Promise.resolve());
    await models.clock.pass(10_000);
  };
  return { lease, statuses, engines: () => models.loads.engines, remembered, useAndRest, models };
}

const isRemote = ({ remote }: PairName): boolean => (remote?.url ?? '') !== '';

/** Creates models. Those of a remote engine are at `host`, and fail to load while `remote.isDown`. */
function remoteModels(parts: Partial<HostedParts> = {}, host = 'there:9') {
  const remote = { isDown: false, tries: 0 };
  const models: HostedModels = new HostedModels('instant', {
    identify: (name) => (isRemote(name) ? 'remote' : name.target),
    load: async (name, ...rest) => {
      if (!isRemote(name)) return await models.loads.load(name, ...rest);
      remote.tries += 1;
      if (remote.isDown) throw new RemoteError('It sent nothing. Try again.');
      const loaded = await models.loads.load({ ...name, target: 'remote' }, ...rest);
      return { ...loaded, engine: Object.assign(loaded.engine, { remote: { host } }) };
    },
    ...parts,
  });
  return { models, window: models.window(), remote };
}

const REMOTE = { remote: { ...DEFAULT_SETTINGS.remote, url: 'http://a:80' } };
const WITH_FALLBACK = { remote: { ...REMOTE.remote, fallback: true } };

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
    await models.clock.pass(600_000);
    await window.requestedTarget();
    assert.equal(reached.length, 2, 'the remote engine is tried again although it is in use');
  });

  it('keeps its pair when the remote engine of earlier settings answers again', async () => {
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
    await models.clock.pass(600_000);
    await window.requestedTarget();
    await settled();
    assert.equal(reached.length, 1, 'a remote engine that the settings no longer name is tried again');
    assert.deepEqual(
      models.loads.engines.map(({ disposed }) => disposed),
      [false],
    );
  });

  it('retries a remote engine that answers but cannot be used, after pauses that double', async () => {
    const { models, window, remote } = remoteModels({ reach: () => Promise.resolve() });
    remote.isDown = true;
    await window.configure(WITH_FALLBACK);
    for (let second = 0; second < 600; second++) {
      await window.requestedTarget();
      await models.clock.pass(1000);
    }
    assert.ok(remote.tries > 10 && remote.tries < 20, `${String(remote.tries)} tries in ten minutes`);
    assert.equal(window.status?.state, 'ready');
  });

  it('retries a failed remote engine when the user types', async () => {
    const { models, window, remote } = remoteModels();
    remote.isDown = true;
    await window.configure(REMOTE);
    assert.equal(window.status?.state, 'unreachable');
    remote.isDown = false;
    window.lease.wake('typescript');
    await settled();
    assert.equal(remote.tries, 1, 'it is tried again at once');
    await models.clock.pass(1000);
    window.lease.wake('typescript');
    await settled();
    assert.equal(window.status?.state, 'ready');
  });

  it('says why a remote engine is not used while its fallback is loaded again', async () => {
    const { models, window, remote } = remoteModels();
    remote.isDown = true;
    await window.configure({ ...WITH_FALLBACK, unloadAfterMinutes: 0.005 });
    await models.clock.pass(500);
    assert.equal(window.status?.state, 'asleep');
    assert.equal(await window.requestedTarget(), '');
    assert.match(window.status.fallback ?? '', /It sent nothing/);
    assert.equal(remote.tries, 1);
  });

  it('keeps the fallback when more requests to the remote engine fail', async () => {
    const { window, models, remote } = remoteModels();
    await window.configure(WITH_FALLBACK);
    const failures = [deferred(), deferred()];
    const requests = failures.map(({ promise }) =>
      window.lease.use(async () => {
        await promise;
        throw new RemoteError('It sent nothing. Try again.');
      }),
    );
    remote.isDown = true;
    for (const [i, { resolve }] of failures.entries()) {
      resolve();
      await assert.rejects(requests[i] ?? assert.fail(), /It sent nothing/);
      await models.clock.pass(500);
    }
    assert.deepEqual(models.loads.targets, ['remote', '']);
    assert.equal(window.lease.model?.info.target, '');
  });

  for (const [host, isKept] of [
    ['there:9', true],
    [LLAMA_CPP, false],
  ] as const)
    it(`${isKept ? 'keeps' : 'releases'} an engine at ${host} when it is idle or memory is critical`, async () => {
      for (const [settings, pressure] of [
        [{ unloadAfterMinutes: 15 }, 'normal'],
        [{ unloadAfterMinutes: 0 }, 'critical'],
      ] as const) {
        const { models, window } = remoteModels({ memoryPressure: () => Promise.resolve(pressure) }, host);
        await window.configure({ ...REMOTE, ...settings });
        await window.requestedTarget();
        await models.clock.pass(20 * 60_000);
        assert.equal(models.loads.engines[0]?.disposed, !isKept);
      }
    });

  it('names the host of a remote engine that is not in use yet', async () => {
    for (const [url, host] of [
      ['http://a:81/v1', 'a:81'],
      ['no address', '?'],
      ['llama-server', LLAMA_CPP],
    ]) {
      const { window } = remoteModels();
      await window.configure({ remote: { ...REMOTE.remote, url: url ?? '' }, load: 'firstUse' });
      assert.deepEqual(window.status, { state: 'asleep', asleepBecause: 'unused', host });
    }
  });

  it('restarts a llama-server for another drafter, but does not reconnect to other servers', async () => {
    for (const [url, tries] of [
      ['llama-server', 2],
      ['http://a:80', 1],
    ] as const) {
      const { window, remote } = remoteModels({ identify: (name) => JSON.stringify(name) });
      for (const drafter of ['one', 'two'])
        await window.configure({ remote: { ...REMOTE.remote, url }, drafter });
      assert.equal(remote.tries, tries, url);
    }
  });

  it('counts the idle time of an unused model from its load', async () => {
    const { lease, engines, models } = hosted();
    await models.clock.pass(3_600_000);
    await lease.configure({ ...DEFAULT_SETTINGS, unloadAfterMinutes: 15 });
    await models.clock.pass(14.9 * 60_000);
    assert.equal(engines()[0]?.disposed, false);
    await models.clock.pass(0.2 * 60_000);
    assert.equal(engines()[0]?.disposed, true);
  });

  it('loads and reports nothing more once it is disposed', async () => {
    const { lease, statuses, models } = hosted();
    await lease.configure({ ...DEFAULT_SETTINGS, unloadAfterMinutes: 15 });
    await lease.dispose();
    const before = statuses.length;
    await models.clock.pass(20 * 60_000);
    assert.equal(await lease.use((model) => Promise.resolve(model)), undefined);
    assert.deepEqual([statuses.length, models.loads.all.length], [before, 1]);
  });

  for (const [what, change] of [
    ['other settings', (window: Window) => window.configure({ target: 'other' })],
    ['the end of the lease', (window: Window) => window.lease.dispose()],
  ] as const)
    it(`does not use a model whose load ends after ${what}`, async () => {
      const models = new HostedModels('manual');
      const window = models.window();
      const first = window.configure({ target: 'slow' });
      await models.clock.pass(1);
      const second = change(window);
      const [slow = assert.fail()] = models.loads.all;
      slow.finish();
      await models.clock.pass(1000);
      assert.deepEqual([slow.engine.disposed, window.states.includes('ready')], [true, false]);
      models.loads.all[1]?.finish();
      await Promise.all([first, second]);
      assert.equal(window.lease.model?.info.target, models.loads.all[1]?.target);
    });

  it('logs which model is in use, or why none is, with a stack unless that is the mistake of a user', async () => {
    let failure: Error | undefined;
    const models: HostedModels = new HostedModels('instant', {
      load: (...named) => (failure ? Promise.reject(failure) : models.loads.load(...named)),
    });
    const window = models.window();
    const logged = async (target: string): Promise<string | undefined> => {
      await window.configure({ target });
      return window.logs.at(-1);
    };
    assert.equal(await logged('a'), 'loaded a with no drafter on cpu');
    failure = new UserError('There is no such folder. Choose another.');
    assert.equal(await logged('b'), failure.message);
    failure = new TypeError('x is not a function');
    assert.match((await logged('c')) ?? '', /^TypeError: x is not a function\n +at /);
    const remote = remoteModels();
    await remote.window.configure(REMOTE);
    assert.equal(remote.window.logs.at(-1), 'using remote at there:9');
  });

  it('reports that it generates while work runs, even if the work fails', async () => {
    const { lease, statuses } = hosted();
    await lease.configure(DEFAULT_SETTINGS);
    const before = statuses.length;
    await lease.busy(() => lease.busy(() => Promise.resolve()));
    await assert.rejects(lease.busy(() => Promise.reject(new Error('a defect'))));
    assert.deepEqual(
      statuses.slice(before).map(({ state }) => state),
      ['generating', 'ready', 'generating', 'ready'],
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

  it('adds a given share of model memory to the limits of an automatic cache only', async () => {
    const models = new HostedModels();
    const limited = new Lease(models.pool, () => undefined, { modelShare: 0.2 });
    await limited.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 'auto' });
    assert.equal(limited.cacheBudget.modelShare, 0.2);
    await limited.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 7 });
    assert.deepEqual(limited.cacheBudget, { bytes: 7e6 });
  });
});
