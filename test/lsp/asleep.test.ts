// Tests when models are in memory for a window: from its first request or edit until it is idle or memory is low.
// Loads and the clock are fakes; windows share a pool.
import assert from 'node:assert/strict';
import type { ClientSettings } from '../../server/protocol/messages';
import type { MemoryPressure } from '../../server/machine/memoryPressure';
import { HostedModels, type HostedParts } from './hostedModels';
import { settled } from './manualClock';

const MINUTE = 60_000;
const LAZY = { load: 'firstUse', unloadAfterMinutes: 15 } as const;
const UNUSED = { state: 'asleep', asleepBecause: 'unused' };
const IDLE = { state: 'asleep', asleepBecause: 'idle' };

/** Creates a window with these settings, in a pool of its own. */
async function hostedWindow(settings: Partial<ClientSettings>, parts?: HostedParts) {
  const models = new HostedModels('instant', parts);
  const window = models.window();
  await window.configure(settings);
  return { models, window, clock: models.clock };
}

describe('an idle window', () => {
  async function usedOnce(settings: object = {}) {
    const used = await hostedWindow({ ...LAZY, ...settings });
    await used.window.requestedTarget();
    const [engine = assert.fail()] = used.models.loads.engines;
    return { ...used, engine };
  }

  it('releases the models after the idle time in the settings, and loads them with the next request', async () => {
    const { models, window, engine, clock } = await usedOnce();
    await clock.pass(14.9 * MINUTE);
    assert.equal(engine.disposed, false);
    await clock.pass(0.2 * MINUTE);
    assert.deepEqual(window.status, IDLE);
    assert.equal(engine.disposed, true);
    assert.match(window.logs.at(-1) ?? '', /unloaded after 15 min without a request/);
    await window.requestedTarget();
    assert.deepEqual(window.states.slice(-3), ['asleep', 'loading', 'ready']);
    assert.equal(models.loads.all.length, 2);
  });

  it('counts the idle time from the end of the last request', async () => {
    const { window, engine, clock } = await usedOnce({ unloadAfterMinutes: 0.5 });
    for (let request = 0; request < 3; request++) {
      await clock.pass(0.4 * MINUTE);
      await window.requestedTarget();
    }
    let end = (): void => undefined;
    const long = window.lease.use(() => new Promise<void>((resolve) => (end = resolve)));
    await clock.pass(5 * MINUTE);
    assert.equal(engine.disposed, false, 'a running request keeps the models');
    end();
    await long;
    await clock.pass(0.4 * MINUTE);
    assert.equal(engine.disposed, false);
    await clock.pass(0.2 * MINUTE);
    assert.equal(engine.disposed, true);
  });

  it('applies a changed idle time from the moment it is set', async () => {
    const { window, engine, clock } = await usedOnce();
    await clock.pass(5 * MINUTE);
    await window.configure({ ...LAZY, unloadAfterMinutes: 10 });
    await clock.pass(4.9 * MINUTE);
    assert.equal(engine.disposed, false);
    await window.configure({ ...LAZY, unloadAfterMinutes: 3 });
    await clock.pass(1);
    assert.deepEqual(window.status, IDLE);
    await window.requestedTarget();
    await window.configure({ ...LAZY, unloadAfterMinutes: 0 });
    await clock.pass(100 * MINUTE);
    assert.equal(window.states.at(-1), 'ready');
  });

  it('reports a pair that cannot be loaded, and does not try it again', async () => {
    let checks = 0;
    const identify = (): string => {
      checks += 1;
      throw new Error('no such folder');
    };
    const { window } = await hostedWindow(LAZY, { identify });
    assert.equal(window.status?.state, 'error');
    assert.match(window.status.message ?? '', /no such folder/);
    for (let key = 0; key < 3; key++) assert.equal(await window.requestedTarget(), undefined);
    assert.deepEqual([checks, window.statuses.length], [1, 1]);
  });

  it('stays asleep when the settings name another pair, and loads that with the next request', async () => {
    const { models, window, clock } = await usedOnce();
    await clock.pass(20 * MINUTE);
    await window.configure({ ...LAZY, target: 'b' });
    assert.deepEqual(window.status, UNUSED);
    assert.equal(await window.requestedTarget(), 'b');
    assert.deepEqual(models.loads.targets, ['', 'b']);
  });
});

describe('windows that share models', () => {
  async function twoWindows(parts?: HostedParts) {
    const models = new HostedModels('instant', parts);
    const [first, second] = [models.window(), models.window()];
    for (const window of [first, second]) {
      await window.configure(LAZY);
      await window.requestedTarget();
    }
    return { models, first, second };
  }

  it('fall asleep separately, and the models are freed with the last one', async () => {
    const { models, first, second } = await twoWindows();
    await models.clock.pass(10 * MINUTE);
    await second.requestedTarget();
    await models.clock.pass(10 * MINUTE);
    assert.deepEqual([first.status?.state, second.status?.state], ['asleep', 'ready']);
    assert.equal(models.loads.engines[0]?.disposed, false);
    await first.requestedTarget();
    assert.deepEqual(first.states.slice(-2), ['asleep', 'ready'], 'nothing is loaded again');
    await models.clock.pass(20 * MINUTE);
    assert.deepEqual([first.status, second.status], [IDLE, IDLE]);
    assert.equal(models.loads.engines[0]?.disposed, true);
    assert.equal(models.loads.all.length, 1);
  });

  it('lose the models together when memory is critical, and load them again with the next request', async () => {
    let pressure: MemoryPressure = 'normal';
    const { models, first, second } = await twoWindows({ memoryPressure: () => Promise.resolve(pressure) });
    await models.clock.pass(MINUTE);
    pressure = 'critical';
    await models.clock.pass(MINUTE);
    for (const { status, logs } of [first, second]) {
      assert.deepEqual(status, { state: 'asleep', asleepBecause: 'memory' });
      assert.match(logs.at(-1) ?? '', /unloaded, because memory is low/);
    }
    assert.equal(models.loads.engines[0]?.disposed, true);
    assert.equal(await second.requestedTarget(), '');
    assert.equal(second.states.at(-1), 'ready');
    assert.equal(first.states.at(-1), 'asleep');
  });

  it('keep the models while a request of one of them runs, even if memory is critical', async () => {
    let pressure: MemoryPressure = 'normal';
    const { models, first, second } = await twoWindows({ memoryPressure: () => Promise.resolve(pressure) });
    let end = (): void => undefined;
    const long = second.lease.use(() => new Promise<void>((resolve) => (end = resolve)));
    pressure = 'critical';
    await models.clock.pass(5 * MINUTE);
    assert.deepEqual([first.status?.state, second.status?.state], ['ready', 'ready']);
    assert.equal(models.loads.engines[0]?.disposed, false);
    end();
    await long;
    await models.clock.pass(MINUTE);
    assert.equal(models.loads.engines[0]?.disposed, true);
  });

  it('all see the progress of a load that they wait for', async () => {
    let report: (fraction: number) => void = () => assert.fail();
    const models: HostedModels = new HostedModels('manual', {
      load: (choice, observer) => {
        report = (fraction) => {
          observer.onProgress(fraction);
        };
        return models.loads.load(choice, observer);
      },
    });
    const windows = [models.window(), models.window()];
    for (const window of windows) void window.configure({ load: 'start' });
    await settled();
    report(0.5);
    const late = models.window();
    void late.configure({ load: 'start' });
    assert.deepEqual(late.statuses, [{ state: 'loading', progress: 0.5 }]);
    models.loads.all[0]?.finish();
    await settled();
    assert.equal(models.loads.all.length, 1);
    for (const { statuses } of windows)
      assert.deepEqual(
        statuses.map(({ state, progress }) => [state, progress]),
        [
          ['loading', 0],
          ['loading', 0.5],
          ['ready', undefined],
        ],
      );
  });
});

describe('a window with suggestions turned off', () => {
  const OFF = { ...LAZY, enable: { '*': false, rust: true } };

  it('loads nothing at its start or after edits', async () => {
    const { models, window } = await hostedWindow({ ...OFF, load: 'start' });
    window.lease.wake('typescript');
    window.lease.wake('rust');
    await settled();
    assert.deepEqual(window.statuses, [UNUSED]);
    assert.equal(models.loads.all.length, 0);
  });

  it('releases the models when it is turned off, and loads them when it is turned on', async () => {
    const { models, window } = await hostedWindow({ load: 'start' });
    await window.configure({ ...OFF, load: 'start' });
    await settled();
    assert.equal(models.loads.engines[0]?.disposed, true);
    assert.deepEqual(window.status, UNUSED);
    assert.match(window.logs.at(-1) ?? '', /unloaded, because suggestions are off/);
    await window.configure({ load: 'start' });
    assert.equal(window.status?.state, 'ready');
    assert.equal(models.loads.all.length, 2);
  });

  it('loads the models for a request of the user, and releases them after it', async () => {
    const { models, window } = await hostedWindow({ ...OFF, target: 'a' });
    assert.equal(await window.requestedTarget(), 'a');
    await settled();
    assert.equal(models.loads.engines[0]?.disposed, true);
    assert.deepEqual(window.states, ['asleep', 'loading', 'ready', 'asleep']);
  });

  it('stays asleep after edits in disabled languages', async () => {
    const { models, window } = await hostedWindow({ ...LAZY, enable: { markdown: false } });
    window.lease.wake('markdown');
    await settled();
    assert.equal(models.loads.all.length, 0);
    window.lease.wake('rust');
    await settled();
    assert.equal(models.loads.all.length, 1);
  });
});
