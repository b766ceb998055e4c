// Preloaded into a server: kills its process at a point that a file names. Files are written in halves, so that the
// process can end between them.
import fs from 'node:fs';
import Module from 'node:module';
import { basename } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import type * as draftModule from '../../../server/engine/decode/draft';
import type * as prefillModule from '../../../server/engine/decode/prefill';

/** Plan of a kill, from the harness. */
export interface KillPlan {
  readonly point: 'loading' | 'prefill' | 'draft' | 'verify' | 'storing';
  /** Number of the pass at this point, from 1. */
  readonly pass: number;
  /** Delay of the kill in ms. If not 0, another thread kills, so that native code can be interrupted. */
  readonly delayMs: number;
}

/** Environment variable with the path of the plan. A server removes the plan it reads, so that the next one lives. */
export const PLAN_FILE = 'FLASHLINE_KILL_PLAN';

type Call = (...args: unknown[]) => unknown;

/** Module and function that the engine calls at each point; a renamed function is a type error. */
const CALLS: {
  readonly prefill: readonly ['prefill', keyof typeof prefillModule];
  readonly draft: readonly ['draft', keyof typeof draftModule];
  readonly verify: readonly ['draft', keyof typeof draftModule];
} = {
  prefill: ['prefill', 'prefill'],
  draft: ['draft', 'draftWith'],
  // The engine calls this function right before it verifies.
  verify: ['draft', 'cutUnsureTokens'],
};

/** Returns a function to call at each pass of the point; it kills the process at the planned one. */
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

/** Calls `onPass` before each call of a function of a module that is loaded later. */
function atCalls([module = '', name = '']: readonly string[], onPass: () => void): void {
  const loader = Module as unknown as { _load: (...args: unknown[]) => object };
  const load = loader._load.bind(loader);
  loader._load = (request, ...rest) => {
    const loaded = load(request, ...rest);
    const call = (loaded as Record<string, unknown>)[name];
    if (basename(String(request)) !== module || typeof call !== 'function') return loaded;
    const watched: Call = (...args) => {
      onPass();
      return (call as Call)(...args);
    };
    return new Proxy(
      {},
      { get: (_, key) => (key === name ? watched : (loaded as Record<PropertyKey, unknown>)[key]) },
    );
  };
}

/** Calls `onPass` before, in the middle of and after each file write, and after each rename. */
function atWrites(onPass: () => void): void {
  const { writeFileSync, renameSync } = fs;
  fs.writeFileSync = (file, data, options) => {
    onPass();
    if (typeof data !== 'string') return void writeFileSync(file, data, options);
    const middle = data.length >> 1;
    writeFileSync(file, data.slice(0, middle), options);
    onPass();
    writeFileSync(file, data.slice(middle), { flag: 'a' });
    onPass();
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    onPass();
  };
}

/** Calls `onPass` at each performance mark; the steps of a load set them. */
function atMarks(onPass: () => void): void {
  const mark = performance.mark.bind(performance);
  performance.mark = (...args) => {
    onPass();
    return mark(...args);
  };
}

const file = process.env[PLAN_FILE] ?? '';
if (isMainThread && fs.existsSync(file)) {
  const plan = JSON.parse(fs.readFileSync(file, 'utf8')) as KillPlan;
  fs.rmSync(file);
  const onPass = killer(plan);
  if (plan.point === 'storing') atWrites(onPass);
  else if (plan.point === 'loading') atMarks(onPass);
  else atCalls(CALLS[plan.point], onPass);
}
