// Around a loaded model: what its rounds cost is measured once and in the background, what was learned is kept for
// the next process, and the memory for what it has read follows the settings. Models are doubles here.
import assert from 'node:assert/strict';
import type { ProfileSnapshot } from '../../server/engine/pairProfile';
import type { LoadModel } from '../../server/lsp/loadedModel';
import { ModelHost } from '../../server/lsp/modelHost';
import { ModelPool } from '../../server/lsp/modelPool';
import { DEFAULT_SETTINGS } from '../../server/lsp/settings';
import type { StatusParams } from '../../server/protocol';
import { ScriptedEngine } from './scriptedEngine';

/** Its calibration ends when a test says so. */
class MeasuredEngine extends ScriptedEngine {
  readonly budgets: number[] = [];
  calibrations = 0;
  end: (error?: Error) => void = () => undefined;

  override resizeCache(bytes?: number): void {
    this.budgets.push(bytes ?? NaN);
  }

  override calibrate(): Promise<void> {
    this.calibrations += 1;
    return new Promise((resolve, reject) => {
      this.end = (error) => {
        if (error) reject(error);
        else resolve();
      };
    });
  }
}

/** A host of such engines, one for each load. */
function hosted() {
  const engines: MeasuredEngine[] = [];
  const remembered: { readonly engine: MeasuredEngine; readonly profile: ProfileSnapshot }[] = [];
  const statuses: StatusParams[] = [];
  const logs: string[] = [];
  const load: LoadModel = ({ target }) => {
    const engine = new MeasuredEngine();
    engines.push(engine);
    const remember = (profile: ProfileSnapshot): void => void remembered.push({ engine, profile });
    return Promise.resolve({ engine, target, drafter: undefined, remember });
  };
  const outbox = { status: (status: StatusParams) => void statuses.push(status), stats: () => undefined };
  const host = new ModelHost(new ModelPool({ load }), outbox, (line) => void logs.push(line));
  return { host, engines, remembered, statuses, logs };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the host of the models', () => {
  it('is ready before it has measured what rounds cost, and remembers that afterwards', async () => {
    const { host, engines, remembered, statuses } = hosted();
    await host.configure(DEFAULT_SETTINGS);
    const [engine] = engines;
    assert.equal(statuses.at(-1)?.state, 'ready');
    assert.equal(host.isIdle, true);
    assert.equal(engine?.calibrations, 1);
    await turn();
    assert.deepEqual(remembered, []);
    engine.end();
    await turn();
    assert.deepEqual(remembered, [{ engine, profile: engine.profile }]);
    assert.equal(statuses.at(-1)?.state, 'ready');
  });

  it('measures once, whatever is asked and set later on', async () => {
    const { host, engines, remembered } = hosted();
    await host.configure(DEFAULT_SETTINGS);
    engines[0]?.end();
    await host.use(() => Promise.resolve());
    await host.configure({ ...DEFAULT_SETTINGS, draftLength: 3 });
    await host.busy(() => Promise.resolve());
    await turn();
    assert.equal(engines[0]?.calibrations, 1);
    assert.equal(remembered.length, 1);
  });

  it('says in the log when measuring fails, and goes on without', async () => {
    const { host, engines, remembered, logs, statuses } = hosted();
    await host.configure(DEFAULT_SETTINGS);
    engines[0]?.end(new Error('a defect'));
    await turn();
    assert.match(logs.at(-1) ?? '', /^calibration failed: Error: a defect/);
    assert.deepEqual(remembered, []);
    assert.equal(statuses.at(-1)?.state, 'ready');
    await host.use((model) => Promise.resolve(assert.equal(model?.engine, engines[0])));
  });

  it('remembers what was learned before it frees a model, for another one or at the end', async () => {
    const { host, engines, remembered } = hosted();
    await host.configure(DEFAULT_SETTINGS);
    engines[0]?.end();
    await turn();
    const learned = {
      ...engines[0]?.profile,
      costs: { verifyMs: [3], draftMs: {}, calibrated: true },
      rates: {},
    };
    Object.assign(engines[0] ?? {}, { profile: learned });
    await host.configure({ ...DEFAULT_SETTINGS, target: 'other' });
    assert.deepEqual(remembered.at(-1), { engine: engines[0], profile: learned });
    assert.equal(engines[0]?.disposed, true);
    assert.equal(engines[1]?.calibrations, 1);
    await host.dispose();
    assert.equal(remembered.at(-1)?.engine, engines[1]);
    assert.equal(engines[1]?.disposed, true);
    assert.equal(remembered.length, 3);
  });

  it('gives the model the memory of the settings, and no new model for another one', async () => {
    const { host, engines } = hosted();
    await host.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 100 });
    for (const cacheMemoryMB of [1, 0, 200]) await host.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB });
    assert.equal(engines.length, 1);
    assert.deepEqual(engines[0]?.budgets, [100e6, 1e6, 0, 200e6]);
    await host.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 7, device: 'cpu' });
    assert.equal(engines.length, 2);
    assert.deepEqual(engines[1]?.budgets, [7e6]);
    assert.equal(engines[0]?.budgets.length, 4);
  });

  it('gives the newest settings to a model that is loaded meanwhile', async () => {
    const { host, engines } = hosted();
    const first = host.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 100 });
    await host.configure({ ...DEFAULT_SETTINGS, cacheMemoryMB: 5 });
    await first;
    assert.equal(engines.length, 1);
    assert.equal(engines[0]?.budgets.at(-1), 5e6);
  });
});
