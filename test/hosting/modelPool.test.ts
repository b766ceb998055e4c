// Tests that the pool loads each pair once and keeps it while a lease needs it. Loads and engines are fakes.
import assert from 'node:assert/strict';
import type { CacheBudget } from '../../server/engine/engine';
import type { MemoryPressure } from '../../server/machine/memoryPressure';
import type { LoadModel, ModelPool } from '../../server/hosting/modelPool';
import type { PairName } from '../../server/hosting/pairName';
import type { LeaseHolder, PooledPair } from '../../server/hosting/pooledPair';
import { ControlledLoads } from '../lsp/controlledLoads';
import { ManualClock, settled } from '../lsp/manualClock';
import { poolOf } from '../support/poolOf';

const choice = (target: string): PairName => ({
  target,
  drafter: '',
  drafterBits: 'stored',
  device: 'auto',
});

/** A lease of one pair that a test controls. */
class Lease implements LeaseHolder {
  readonly progress: number[] = [];
  readonly logs: string[] = [];
  readonly pair: PooledPair;
  cacheBudget: CacheBudget;
  lastUse = 0;
  waitingCount = 0;

  constructor(
    private readonly pool: ModelPool,
    target: string,
    cacheBytes = 0,
  ) {
    this.cacheBudget = { bytes: cacheBytes };
    this.pair = pool.lease(choice(target), this);
  }

  get model(): PooledPair['model'] {
    return this.pair.model;
  }

  onProgress(fraction: number): void {
    this.progress.push(fraction);
  }

  onMemoryLow(): void {
    void this.release();
  }

  log(line: string): void {
    this.logs.push(line);
  }

  release(): Promise<void> {
    return this.pool.release(this.pair, this);
  }

  resizeCache(bytes: number): void {
    this.cacheBudget = { bytes };
    this.pair.resizeCache();
  }

  /** Uses the pair until the returned function is called. */
  use(): () => void {
    this.lastUse = Infinity;
    return () => {
      this.lastUse = performance.now();
      this.pair.used();
    };
  }
}

/** Creates a pool whose loads and clock a test controls; `leased` leases a pair. */
function newPool(ends: 'instant' | 'manual' = 'instant', memoryPressure?: () => Promise<MemoryPressure>) {
  const loads = new ControlledLoads(ends);
  const clock = new ManualClock();
  const pool = poolOf(loads.load, memoryPressure && { memoryPressure });
  return {
    loads,
    clock,
    pool,
    leased: (target: string, cacheBytes = 0) => new Lease(pool, target, cacheBytes),
  };
}

describe('ModelPool', () => {
  it('logs notes about the files to all leases, and reports to the load whether a lease is left', async () => {
    const { loads } = newPool();
    const note = 'the drafter has copies of its target';
    let isHeld = (): boolean => assert.fail();
    const load: LoadModel = (choice, observer) => {
      observer.log(note);
      isHeld = () => observer.isHeld;
      return loads.load(choice, observer);
    };
    const pool = poolOf(load);
    const leases = [new Lease(pool, 'a'), new Lease(pool, 'a')];
    await leases[0]?.model;
    for (const lease of leases) {
      assert.deepEqual(lease.logs, [note]);
      assert.equal(isHeld(), true);
      await lease.release();
    }
    assert.equal(isHeld(), false);
  });

  it('loads two pairs one after the other and keeps both', async () => {
    const { loads, clock, leased } = newPool('manual');
    const [a, b] = [leased('a'), leased('b')];
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

  it('frees a pair whose leases ended while it was loading', async () => {
    const { loads, leased } = newPool('manual');
    const lease = leased('a');
    await settled();
    await lease.release();
    loads.all[0]?.finish();
    await lease.model;
    await settled();
    assert.equal(loads.engines[0]?.disposed, true);
    assert.equal(loads.remembered.length, 1, 'its measurements are not stored');
  });

  it('loads nothing for a lease that has ended before its turn, and waits no longer for it', async () => {
    const { loads, clock, leased } = newPool();
    await leased('a').model;
    const [queued, waiting] = [leased('b'), leased('c')];
    await waiting.release();
    await clock.pass(200);
    await queued.release();
    const next = leased('d');
    await clock.pass(600);
    assert.deepEqual(loads.targets, ['a', 'd']);
    for (const { model } of [queued, waiting]) await assert.rejects(model, /no client is waiting/);
    await next.model;
  });

  it('logs an error while an engine is freed, and loads the next pair', async () => {
    const { loads, leased } = newPool();
    const lease = leased('a');
    await lease.model;
    const engine = loads.engines[0] ?? assert.fail();
    engine.freed = Promise.reject(new Error('out of order'));
    await lease.release();
    assert.match(lease.logs.join(), /freeing the models .*out of order/);
    await leased('b').model;
  });

  it('reloads a pair that is leased while it is freed, after it is freed', async () => {
    const { loads, leased } = newPool();
    const lease = leased('a');
    await lease.model;
    let finishDisposal = (): void => undefined;
    if (loads.engines[0]) loads.engines[0].freed = new Promise((resolve) => (finishDisposal = resolve));
    const released = lease.release();
    const again = leased('a');
    await settled();
    assert.equal(loads.all.length, 1);
    finishDisposal();
    await released;
    assert.equal((await again.model).engine, loads.engines[1]);
    assert.equal(loads.engines[0]?.disposed, true);
  });

  it('frees the old pair first when windows switch one by one', async () => {
    const { loads, clock, leased } = newPool();
    const old = [leased('a'), leased('a')];
    await Promise.all(old.map(({ model }) => model));
    await old[0]?.release();
    const first = leased('b');
    await settled();
    await old[1]?.release();
    const second = leased('b');
    assert.deepEqual([loads.all.length, loads.engines[0]?.disposed], [1, true]);
    await clock.pass(1000);
    assert.equal(await first.model, await second.model);
    assert.deepEqual(loads.targets, ['a', 'b']);
  });

  it('sizes the prompt cache by the largest budget of the leases', async () => {
    const { loads, leased } = newPool();
    const [small, large] = [leased('a'), leased('a')];
    small.resizeCache(10);
    large.resizeCache(30);
    await small.model;
    small.resizeCache(20);
    large.resizeCache(5);
    await small.release();
    assert.deepEqual(loads.engines[0]?.budgets, [30, 30, 20, 5]);
  });

  it('enlarges the prompt cache of a loaded pair for a new lease with a larger budget', async () => {
    const { loads, leased } = newPool();
    await leased('a', 10).model;
    leased('a', 30);
    assert.deepEqual(loads.engines[0]?.budgets, [10, 30]);
  });
});

describe('ModelPool while memory is low', () => {
  /** Creates a pool with a loaded pair, on a machine whose memory pressure a test sets. */
  async function poolWithPair(target = 'a') {
    const machine: { pressure: MemoryPressure; checkCount: number } = { pressure: 'normal', checkCount: 0 };
    const memoryPressure = (): Promise<MemoryPressure> => {
      machine.checkCount += 1;
      return Promise.resolve(machine.pressure);
    };
    const created = newPool('instant', memoryPressure);
    const lease = created.leased(target);
    lease.resizeCache(100);
    await lease.model;
    const [engine = assert.fail()] = created.loads.engines;
    return { ...created, machine, lease, engine };
  }

  it('shrinks the prompt cache and restores its size afterwards', async () => {
    const { clock, machine, engine, lease } = await poolWithPair();
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100]);
    machine.pressure = 'warning';
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100, 0, 50]);
    assert.match(lease.logs.at(-1) ?? '', /memory is low/);
    machine.pressure = 'normal';
    await clock.pass(60_000);
    assert.deepEqual(engine.budgets, [100, 0, 50, 100]);
    assert.match(lease.logs.at(-1) ?? '', /no longer/);
    assert.equal(engine.disposed, false);
  });

  it('shrinks the number and the share of cached prompts with their bytes', async () => {
    const { clock, machine, engine, lease } = await poolWithPair();
    lease.cacheBudget = { bytes: 100, prompts: 8, modelShare: 0.2 };
    lease.pair.resizeCache();
    assert.deepEqual(engine.lastBudget, lease.cacheBudget);
    machine.pressure = 'warning';
    await clock.pass(60_000);
    assert.deepEqual(engine.lastBudget, { bytes: 50, prompts: 4, modelShare: 0.1 });
  });

  it('does not check the memory pressure once it has no pair', async () => {
    const { clock, machine, lease } = await poolWithPair();
    await lease.release();
    await clock.pass(60_000);
    const { checkCount } = machine;
    await clock.pass(60_000);
    assert.equal(machine.checkCount, checkCount);
  });

  it('keeps a pair that was used seconds ago', async () => {
    const { clock, machine, engine, lease } = await poolWithPair();
    machine.pressure = 'critical';
    for (let second = 0; second < 60; second++) {
      lease.use()();
      await clock.pass(1000);
    }
    assert.equal(engine.disposed, false);
    await clock.pass(30_000);
    assert.equal(engine.disposed, true);
  });

  it('keeps a pair that one of several windows still uses', async () => {
    const { clock, machine, engine, lease, leased } = await poolWithPair();
    const secondLease = leased('a');
    machine.pressure = 'critical';
    for (let second = 0; second < 60; second++) {
      secondLease.use()();
      await clock.pass(1000);
    }
    assert.equal(engine.disposed, false);
    assert.equal(lease.lastUse, 0);
    await clock.pass(30_000);
    assert.equal(engine.disposed, true);
  });
});
