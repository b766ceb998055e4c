// V8's collection of young objects, on demand. An array that nothing refers to any more is freed by it, and a step's
// hundreds of arrays take one call instead of one call each.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

const collect = exposed();

/** Collects what has become garbage since the last collections but one; undefined where V8 does not offer it. */
export const collectYoung = collect && (() => void collect({ type: 'minor' }));

/** Collects everything, and then calls `done`, once finalizers have run. */
export function collectAll(done: () => void): void {
  collect?.();
  setImmediate(done);
}

function exposed(): Collect | undefined {
  try {
    setFlagsFromString('--expose-gc');
    // Young objects are few. V8 would wait for helper threads, three times as long on a busy machine.
    setFlagsFromString('--no-parallel-scavenge');
    const found: unknown = runInNewContext('globalThis.gc');
    return typeof found === 'function' ? (found as Collect) : undefined;
  } catch {
    return undefined;
  }
}
