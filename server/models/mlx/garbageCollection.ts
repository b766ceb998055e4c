// V8's garbage collector, called directly: it frees the many small arrays of a scope together.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

/** Returns V8's collector; undefined if this V8 does not expose it. */
function exposedCollector(): Collect | undefined {
  try {
    setFlagsFromString('--expose-gc');
    // With few young objects, waiting for helper threads triples the time of a collection on a busy machine.
    setFlagsFromString('--no-parallel-scavenge');
    const found: unknown = runInNewContext('globalThis.gc');
    return typeof found === 'function' ? (found as Collect) : undefined;
  } catch {
    return undefined;
  }
}

const collect = exposedCollector();

/** Whether V8 collects on demand. */
export const canCollect = collect !== undefined;

/** Collects garbage among the objects that have survived at most one collection. */
export function collectYoung(): void {
  collect?.({ type: 'minor' });
}

/** Collects all garbage, and calls `onFinalized` after finalizers have run. */
export function collectAll(onFinalized: () => void): void {
  collect?.();
  setImmediate(onFinalized);
}
