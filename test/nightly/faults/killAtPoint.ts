// Preloaded into a server: kills its process at a point that a file names. Files are written in halves, so that the
// process can end between them.
import fs from 'node:fs';
import Module from 'node:module';
import { basename } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';

/** Plan of a kill, from the harness. */
export interface KillPlan {
  readonly point: 'loading' | 'prefill' | 'draft' | 'verify' | 'storing';
  /** Number of the pass at this point, from 1. */
  readonly pass: number;
  /** Milliseconds later, by another thread, so that the kill may fall into native code. */
  readonly delayMs: number;
}

/** Names the file of the plan; whoever reads it removes it, so that the next server lives. */
export const PLAN_FILE = 'FLASHLINE_KILL_PLAN';

type Call = (...args: unknown[]) => unknown;

/** What the engine calls at each point: the module, and its function. */
const CALLS = {
  prefill: ['prefill', 'prefill'],
  draft: ['draft', 'draftWith'],
  // Right before it.
  verify: ['draft', 'sureOnly'],
};

/** Returns what is to be called at each pass of the point. */
function killer({ pass, delayMs }: KillPlan): () => void {
  const alarm = new Int32Array(new SharedArrayBuffer(4));
  const code = `const { workerData: { alarm, delayMs } } = require('node:worker_threads');
    Atomics.wait(alarm, 0, 0);
    Atomics.wait(alarm, 0, 1, delayMs);
    process.kill(process.pid, 'SIGKILL');`;
  if (delayMs > 0) new Worker(code, { eval: true, workerData: { alarm, delayMs } }).unref();
  let passes = 0;
  return () => {
    passes += 1;
    if (passes !== pass) return;
    if (delayMs === 0) process.kill(process.pid, 'SIGKILL');
    Atomics.store(alarm, 0, 1);
    Atomics.notify(alarm, 0);
  };
}

function atCalls([module = '', name = '']: readonly string[], passed: () => void): void {
  const loader = Module as unknown as { _load: (...args: unknown[]) => object };
  const load = loader._load.bind(loader);
  loader._load = (request, ...rest) => {
    const loaded = load(request, ...rest);
    const call = (loaded as Record<string, unknown>)[name];
    if (basename(String(request)) !== module || typeof call !== 'function') return loaded;
    const watched: Call = (...args) => {
      passed();
      return (call as Call)(...args);
    };
    return new Proxy(
      {},
      { get: (_, key) => (key === name ? watched : (loaded as Record<PropertyKey, unknown>)[key]) },
    );
  };
}

/** Before a file, in the middle of it, after it, and after it has its final name. */
function atWrites(passed: () => void): void {
  const { writeFileSync, renameSync } = fs;
  fs.writeFileSync = (file, data, options) => {
    passed();
    if (typeof data !== 'string') return void writeFileSync(file, data, options);
    const middle = data.length >> 1;
    writeFileSync(file, data.slice(0, middle), options);
    passed();
    writeFileSync(file, data.slice(middle), { flag: 'a' });
    passed();
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    passed();
  };
}

/** The parts of a load leave marks. */
function atMarks(passed: () => void): void {
  const mark = performance.mark.bind(performance);
  performance.mark = (...args) => {
    passed();
    return mark(...args);
  };
}

const file = process.env[PLAN_FILE] ?? '';
if (isMainThread && fs.existsSync(file)) {
  const plan = JSON.parse(fs.readFileSync(file, 'utf8')) as KillPlan;
  fs.rmSync(file);
  const passed = killer(plan);
  if (plan.point === 'storing') atWrites(passed);
  else if (plan.point === 'loading') atMarks(passed);
  else atCalls(CALLS[plan.point], passed);
}
