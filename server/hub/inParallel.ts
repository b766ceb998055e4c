// Works on many items, such as files, with a few running at a time.

const WORKER_COUNT = 4;

/**
 * Runs `work` on each item. The first failure aborts the others, and is thrown once all have ended, as is the reason of
 * an aborted `signal`.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const aborted = AbortSignal.any([signal, failing.signal]);
  // All workers take their items from this one iterator.
  const remaining = [...items].values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item, aborted);
  };
  const workers = Array.from({ length: WORKER_COUNT }, () =>
    worker().catch((error: unknown) => failing.abort(error)),
  );
  await Promise.all(workers);
  aborted.throwIfAborted();
}
