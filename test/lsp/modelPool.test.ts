// The models in memory, for all who ask for them: each pair is there once, as long as somebody needs it. Loads and
// engines are doubles that do what a test says.
import assert from 'node:assert/strict';
import type { MemoryPressure } from '../../server/memoryPressure';
import type { PairChoice } from '../../server/lsp/loadedModel';
import { ModelPool, type PoolParts } from '../../server/lsp/modelPool';
import type { Lease } from '../../server/lsp/pooledPair';
import { ControlledLoads } from './controlledLoads';
import { ManualClock, settled } from './manualClock';

const choice = (target: string): PairChoice => ({ target, drafter: '', device: 'auto' });

class Client {
  readonly progress: number[] = [];
  readonly logs: string[] = [];
  readonly leases: Lease[] = [];

  constructor(private readonly pool: ModelPool) {}

  lease(target: string): Lease {
    const lease: Lease = this.pool.lease(choice(target), {
      onProgress: (fraction) => void this.progress.push(fraction),
      onShortMemory: () => void lease.release(),
      log: (line) => void this.logs.push(line),
    });
    this.leases.push(lease);
    return lease;
  }
}

function pooled(ends: 'atOnce' | 'whenTold' = 'atOnce', parts: Partial<PoolParts> = {}) {
  const loads = new ControlledLoads(ends);
  const clock = new ManualClock();
  const pool = new ModelPool({ load: loads.load, clock, ...parts });
  return { loads, clock, pool, one: new Client(pool), other: new Client(pool) };
}

describe('the pool of models', () => {
  it('loads a pair once, however many ask, and tells all of them how far it is', async () => {
    const { loads, one, other } = pooled('whenTold');
    const first = one.lease('a');
    await settled();
    loads.all[0]?.progress(0.3);
    const second = other.lease('a');
    loads.all[0]?.progress(0.6);
    loads.all[0]?.finish();
    assert.equal((await first.model).engine, loads.engines[0]);
    assert.equal(await second.model, await first.model);
    assert.deepEqual(
      [one.progress, other.progress],
      [
        [0, 0.3, 0.6],
        [0.3, 0.6],
      ],
    );
    const third = other.lease('a');
    assert.equal(await third.model, await first.model);
    assert.deepEqual(loads.targets, ['a']);
    assert.deepEqual(other.progress, [0.3, 0.6], 'what is there needs no progress');
  });

  it('tries out, measures and remembers a pair once', async () => {
    const { loads, clock, one, other } = pooled();
    const leases = [one.lease('a'), other.lease('a')];
    for (const { model } of leases) await model;
    const [engine = assert.fail()] = loads.engines;
    assert.ok(engine.decodes > 0);
    assert.equal(loads.remembered.length, 1, 'what was tried out, at once');
    for (const lease of leases) lease.hold()();
    await clock.pass(10_000);
    engine.endCalibration();
    await settled();
    assert.equal(engine.calibrations, 1);
    assert.equal(loads.remembered.length, 2);
    for (const lease of leases) await lease.release();
    assert.equal(loads.remembered.length, 3, 'and what was learned by then');
  });

  it('tries nothing out and measures nothing before the first use where it is known how to ask', async () => {
    const { loads, clock, one } = pooled();
    loads.probed = { infill: 'chat', layout: 'spm' };
    const { info, layout } = await one.lease('a').model;
    await clock.pass(600_000);
    assert.deepEqual([info.infill, layout], ['chat', 'spm']);
    assert.deepEqual([loads.engines[0]?.decodes, loads.engines[0]?.calibrations], [0, 0]);
  });

  for (const order of [
    [0, 1],
    [1, 0],
  ])
    it(`frees a pair with its last lease (${order[0] === 0 ? 'the first' : 'the second'} goes first)`, async () => {
      const { loads, one, other } = pooled();
      const leases = [one.lease('a'), other.lease('a')];
      await Promise.all(leases.map(({ model }) => model));
      await leases[order[0] ?? 0]?.release();
      await leases[order[0] ?? 0]?.release();
      assert.equal(loads.engines[0]?.disposed, false, 'giving back twice counts once');
      await leases[order[1] ?? 0]?.release();
      assert.equal(loads.engines[0].disposed, true);
    });

  it('has two pairs in memory when two are named, and loads them one after the other', async () => {
    const { loads, clock, one, other } = pooled('whenTold');
    const [a, b] = [one.lease('a'), other.lease('b')];
    await settled();
    assert.deepEqual(loads.targets, ['a']);
    loads.all[0]?.finish();
    await a.model;
    await clock.pass(1000);
    assert.deepEqual(loads.targets, ['a', 'b']);
    loads.all[1]?.finish();
    assert.equal((await b.model).engine, loads.engines[1]);
    assert.equal(loads.engines[0]?.disposed, false);
    await a.release();
    assert.deepEqual(
      loads.engines.map(({ disposed }) => disposed),
      [true, false],
    );
  });

  it('takes pairs of different names for one when it is told so', async () => {
    const { loads, one, other } = pooled('atOnce', { identify: ({ target }) => target.trim() });
    assert.equal(await one.lease('a ').model, await other.lease(' a').model);
    assert.equal(loads.all.length, 1);
  });

  it('loads nothing that is known beforehand not to load', () => {
    const identify = (): string => {
      throw new Error('no such folder');
    };
    const { loads, pool, one } = pooled('atOnce', { identify });
    assert.throws(() => one.lease('a'), /no such folder/);
    assert.throws(() => pool.identify(choice('a')), /no such folder/);
    assert.equal(loads.all.length, 0);
  });

  it('frees a pair that nobody waits for any more once it is loaded', async () => {
    const { loads, one } = pooled('whenTold');
    const lease = one.lease('a');
    await settled();
    await lease.release();
    loads.all[0]?.finish();
    await lease.model;
    await settled();
    assert.equal(loads.engines[0]?.disposed, true);
    assert.equal(loads.remembered.length, 2, 'what was tried out, and what was learned by then');
  });

  it('lends it to who comes before that', async () => {
    const { loads, one, other } = pooled('whenTold');
    const lease = one.lease('a');
    await settled();
    await lease.release();
    const later = other.lease('a');
    loads.all[0]?.finish();
    assert.equal((await later.model).engine, loads.engines[0]);
    assert.equal(loads.engines[0]?.disposed, false);
    assert.equal(loads.all.length, 1);
  });

  it('begins no load that nobody waits for any more', async () => {
    const { loads, one, other } = pooled('whenTold');
    one.lease('a');
    const given = other.lease('b');
    const refused = assert.rejects(given.model);
    await given.release();
    await settled();
    loads.all[0]?.finish();
    await refused;
    assert.deepEqual(loads.targets, ['a']);
  });

  it('loads a pair anew for who asks while it is freed, and not before it is gone', async () => {
    const { loads, one, other } = pooled();
    const lease = one.lease('a');
    await lease.model;
    let free = (): void => undefined;
    if (loads.engines[0]) loads.engines[0].freed = new Promise((resolve) => (free = resolve));
    const released = lease.release();
    const again = other.lease('a');
    await settled();
    assert.equal(loads.all.length, 1);
    free();
    await released;
    assert.equal((await again.model).engine, loads.engines[1]);
    assert.equal(loads.engines[0]?.disposed, true);
  });

  it('frees the old pair first when windows switch one after the other', async () => {
    const { loads, clock, one, other } = pooled();
    const old = [one.lease('a'), other.lease('a')];
    await Promise.all(old.map(({ model }) => model));
    await old[0]?.release();
    const first = one.lease('b');
    await settled();
    await old[1]?.release();
    const second = other.lease('b');
    assert.deepEqual([loads.all.length, loads.engines[0]?.disposed], [1, true]);
    await clock.pass(1000);
    assert.equal(await first.model, await second.model);
    assert.deepEqual(loads.targets, ['a', 'b']);
  });

  it('tells a failure to all who wait, and loads again for the next who asks', async () => {
    const { loads, one, other } = pooled('whenTold');
    const waiting = [one.lease('a'), other.lease('a')].map(({ model }) => assert.rejects(model, /a defect/));
    await settled();
    loads.all[0]?.fail(new Error('a defect'));
    await Promise.all(waiting);
    const again = one.lease('a');
    await settled();
    loads.all[1]?.finish();
    assert.equal((await again.model).engine, loads.engines[1]);
  });

  it('says in the log when freeing fails, and goes on', async () => {
    const { loads, one } = pooled();
    const lease = one.lease('a');
    await lease.model;
    const failed = Promise.reject(new Error('a defect'));
    failed.catch(() => undefined);
    if (loads.engines[0]) loads.engines[0].freed = failed;
    await lease.release();
    assert.match(one.logs.at(-1) ?? '', /^freeing the models failed: Error: a defect/);
    assert.equal((await one.lease('a').model).engine, loads.engines[1]);
  });

  it('keeps as much of what was read as the largest of the leases says', async () => {
    const { loads, one, other } = pooled();
    const [small, large] = [one.lease('a'), other.lease('a')];
    small.resizeCache(10);
    large.resizeCache(30);
    await small.model;
    small.resizeCache(20);
    large.resizeCache(5);
    await small.release();
    assert.deepEqual(loads.engines[0]?.budgets, [30, 30, 20, 5]);
  });

  it('is idle when nobody waits for the pair, in whatever window', async () => {
    const { one, other } = pooled();
    const [mine, theirs, elsewhere] = [one.lease('a'), other.lease('a'), other.lease('b')];
    await mine.model;
    const ends = [theirs.begin(), theirs.begin()];
    assert.deepEqual([mine.isIdle, theirs.isIdle, elsewhere.isIdle], [false, false, true]);
    ends[0]?.();
    assert.equal(mine.isIdle, false);
    ends[1]?.();
    assert.equal(mine.isIdle, true);
  });
});

describe('what a pair has read', () => {
  /** A pair that has left memory, with a budget of 100 bytes before. */
  async function left(parts: Partial<PoolParts> = {}) {
    const all = pooled('atOnce', parts);
    const lease = all.one.lease('a');
    lease.resizeCache(100);
    await lease.model;
    await lease.release();
    const [engine = assert.fail()] = all.loads.engines;
    return { ...all, engine, texts: engine.residents ?? assert.fail() };
  }

  it('waits for the next load of the pair, a part of it', async () => {
    const { loads, one, engine, texts } = await left();
    assert.deepEqual(engine.handed, [20]);
    await one.lease('a').model;
    assert.equal(loads.all[1]?.left, texts);
    assert.equal(texts.isDisposed, false);
    assert.equal(loads.all[0]?.left, undefined);
  });

  it('is forgotten when another pair is loaded', async () => {
    const { loads, one, texts } = await left();
    const other = one.lease('b');
    await other.model;
    assert.equal(texts.isDisposed, true);
    assert.equal(loads.all[1]?.left, undefined);
    await other.release();
    await one.lease('a').model;
    assert.equal(loads.all[2]?.left, undefined);
  });

  it('is forgotten when the pair cannot be loaded again', async () => {
    const { loads, one, texts } = await left();
    loads.failing.set('a', 'a defect');
    await assert.rejects(one.lease('a').model, /a defect/);
    assert.equal(texts.isDisposed, true);
  });

  it('is forgotten when memory gets short', async () => {
    let pressure: MemoryPressure = 'normal';
    const { clock, texts } = await left({ memoryPressure: () => Promise.resolve(pressure) });
    await clock.pass(600_000);
    assert.equal(texts.isDisposed, false);
    pressure = 'warning';
    await clock.pass(60_000);
    assert.equal(texts.isDisposed, true);
  });
});

describe('the pool when memory gets short', () => {
  async function watched(target = 'a') {
    const machine: { pressure: MemoryPressure; looks: number } = { pressure: 'normal', looks: 0 };
    const memoryPressure = (): Promise<MemoryPressure> => {
      machine.looks += 1;
      return Promise.resolve(machine.pressure);
    };
    const all = pooled('atOnce', { memoryPressure });
    const lease = all.one.lease(target);
    lease.resizeCache(100);
    await lease.model;
    const [engine = assert.fail()] = all.loads.engines;
    return { ...all, machine, lease, engine };
  }

  it('drops what was read, keeps less, and keeps as much as before afterwards', async () => {
    const { clock, machine, engine, one } = await watched();
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100]);
    machine.pressure = 'warning';
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100, 0, 50]);
    assert.match(one.logs.at(-1) ?? '', /memory is short/);
    machine.pressure = 'normal';
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100, 0, 50, 100]);
    assert.match(one.logs.at(-1) ?? '', /no longer/);
    assert.equal(engine.disposed, false);
  });

  it('frees pairs that nobody uses when it is critical', async () => {
    const { clock, machine, engine, one, other } = await watched();
    const second = other.lease('b');
    await clock.pass(1000);
    await second.model;
    await clock.pass(30_000);
    machine.pressure = 'critical';
    const letGo = second.hold();
    await clock.pass(60_000);
    assert.equal(engine.disposed, true);
    assert.deepEqual(engine.handed, [0], 'nothing stays');
    const { engine: used } = await second.model;
    assert.equal(used, (await other.lease('b').model).engine, 'what is used stays');
    letGo();
    await clock.pass(60_000);
    assert.notEqual(used, (await one.lease('b').model).engine);
  });

  it('does not take a pair away between two keys', async () => {
    const { clock, machine, engine, lease } = await watched();
    machine.pressure = 'critical';
    for (let second = 0; second < 60; second++) {
      lease.hold()();
      await clock.pass(1000);
    }
    assert.equal(engine.disposed, false);
    await clock.pass(30_000);
    assert.equal(engine.disposed, true);
  });

  it('looks while something is in memory only', async () => {
    const { clock, machine, lease, one } = await watched();
    await clock.pass(60_000);
    const looks = machine.looks;
    assert.ok(looks > 2);
    machine.pressure = 'warning';
    await clock.pass(60_000);
    await lease.release();
    await clock.pass(60_000);
    const before = machine.looks;
    await clock.pass(600_000);
    assert.equal(machine.looks, before);
    await one.lease('a').model;
    await clock.pass(60_000);
    assert.ok(machine.looks > before);
  });
});
