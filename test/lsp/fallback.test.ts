// Tests a pair that cannot be loaded: the pair before it stays in use or is loaded again, and the status says why.
// Loads are fakes.
import assert from 'node:assert/strict';
import { LoadCrash } from '../../server/hosting/loadMark';
import { HostedModels } from './hostedModels';

const LAZY = { load: 'firstUse', unloadAfterMinutes: 15 } as const;

/** Creates a window that has loaded `good`; loading `bad` fails, and `absent` has no folder. */
async function windowWithGood(settings: object = {}) {
  const identify = ({ target }: { readonly target: string }): string => {
    if (target === 'absent') throw new Error('no such folder');
    return target;
  };
  const models = new HostedModels('instant', { identify });
  models.loads.failing.set('bad', 'broken weights');
  const window = models.window();
  await window.configure({ target: 'good', ...settings });
  await window.requestedTarget();
  return { models, window };
}

describe('a pair that cannot be loaded', () => {
  it('is replaced by the previous pair, with the reason in the status', async () => {
    const { models, window } = await windowWithGood();
    await window.configure({ target: 'bad' });
    assert.equal(window.status?.state, 'ready');
    assert.equal(window.status.model?.target, 'good');
    assert.match(window.status.fallback ?? '', /Loading the model failed: Error: broken weights/);
    assert.ok(window.logs.some((line) => line.includes('broken weights')));
    assert.equal(await window.requestedTarget(), 'good');
    assert.deepEqual(models.loads.targets, ['good', 'bad', 'good']);
    assert.deepEqual(
      models.loads.engines.map(({ disposed }) => disposed),
      [true, false, false],
    );
  });

  it('is replaced by the built-in pair after it has crashed the process, with the reason in the status', async () => {
    const models: HostedModels = new HostedModels('instant', {
      load: (choice, ...rest) => {
        if (choice.target !== 'huge') return models.loads.load(choice, ...rest);
        throw new LoadCrash('Loading huge crashed.');
      },
    });
    const window = models.window();
    await window.configure({ target: 'huge', drafter: 'none' });
    assert.equal(await window.requestedTarget(), '');
    assert.equal(window.status?.state, 'ready');
    assert.match(window.status.fallback ?? '', /^Loading huge crashed\./);
    assert.deepEqual(models.loads.targets, ['']);
  });

  it('is reported only after a request that runs when the settings name it', async () => {
    const { window } = await windowWithGood();
    await window.lease.busy(async () => {
      await window.configure({ target: 'absent' });
      assert.equal(window.status?.state, 'generating');
      assert.equal(window.status.fallback, undefined);
    });
    assert.match(window.status?.fallback ?? '', /no such folder/);
  });

  it('is no longer reported once the settings name a pair that loads, even the loaded one', async () => {
    const { models, window } = await windowWithGood();
    await window.configure({ target: 'absent' });
    assert.equal(window.status?.state, 'ready');
    assert.match(window.status.fallback ?? '', /no such folder/);
    assert.equal(await window.requestedTarget(), 'good');
    await window.configure({ target: 'good', cacheMemoryMB: 9 });
    assert.deepEqual(models.loads.targets, ['good'], 'a missing folder does not unload the loaded pair');
    assert.equal(models.loads.engines[0]?.budgets.at(-1), 9e6);
    assert.equal(window.status?.fallback, undefined);
    await window.configure({ target: 'bad' });
    await window.configure({ target: 'other' });
    assert.equal(window.status?.model?.target, 'other');
    assert.equal(window.status.fallback, undefined);
  });

  it('is tried again when the device changes, but not when the debounce does', async () => {
    const { models, window } = await windowWithGood();
    await window.configure({ target: 'bad' });
    await window.configure({ target: 'bad', debounceMs: 7 });
    assert.equal(models.loads.all.length, 3);
    models.loads.failing.clear();
    await window.configure({ target: 'bad', device: 'cpu' });
    assert.equal(window.status?.model?.target, 'bad');
    assert.equal(window.status.fallback, undefined);
  });

  it('is tried again after a sleep, and replaced again', async () => {
    const { models, window } = await windowWithGood({ ...LAZY });
    await window.configure({ ...LAZY, target: 'bad' });
    await models.clock.pass(20 * 60_000);
    assert.equal(window.status?.state, 'asleep');
    assert.equal(await window.requestedTarget(), 'good');
    assert.match(window.status.fallback ?? '', /broken weights/);
    await models.clock.pass(20 * 60_000);
    models.loads.failing.clear();
    assert.equal(await window.requestedTarget(), 'bad');
  });

  it('is reported while the window sleeps, and the next request uses the previous pair', async () => {
    const { models, window } = await windowWithGood({ ...LAZY });
    await models.clock.pass(20 * 60_000);
    await window.configure({ ...LAZY, target: 'absent' });
    assert.equal(window.status?.state, 'error');
    assert.match(window.status.message ?? '', /no such folder/);
    assert.equal(await window.requestedTarget(), 'good');
    assert.match(window.status.fallback ?? '', /no such folder/);
  });

  it('is reported as the error when the previous pair cannot be loaded either', async () => {
    const { models, window } = await windowWithGood();
    models.loads.failing.set('good', 'gone');
    await window.configure({ target: 'bad' });
    assert.equal(window.status?.state, 'error');
    assert.match(window.status.message ?? '', /broken weights/);
    assert.ok(window.logs.some((line) => line.includes('gone')));
  });

  it('is tried only once when it is itself the previous pair', async () => {
    const { models, window } = await windowWithGood({ ...LAZY });
    await models.clock.pass(20 * 60_000);
    models.loads.failing.set('good', 'gone');
    assert.equal(await window.requestedTarget(), undefined);
    assert.deepEqual(models.loads.targets, ['good', 'good']);
  });

  it('is not replaced when the settings have changed meanwhile', async () => {
    const models = new HostedModels('manual');
    const window = models.window();
    const first = window.configure({ target: 'good' });
    await models.clock.pass(1);
    models.loads.all[0]?.finish();
    await first;
    const second = window.configure({ target: 'bad' });
    await models.clock.pass(1);
    const later = ['skipped', 'next'].map((target) => window.configure({ target }));
    models.loads.all[1]?.fail(new Error('broken weights'));
    await models.clock.pass(1);
    models.loads.all[2]?.finish();
    await Promise.all([second, ...later]);
    assert.deepEqual(models.loads.targets, ['good', 'bad', 'next']);
    assert.equal(window.status?.model?.target, 'next');
    assert.equal(window.status.fallback, undefined);
    assert.ok(!window.states.includes('error'));
  });
});
