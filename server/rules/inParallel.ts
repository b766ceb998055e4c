// Works on many things, such as files, a few of them at a time.

const WORKER_COUNT = 4;

/** Runs `work` on each thing. The first failure aborts the others, and is thrown once all have ended. */
export async function inParallel<T>(
  things: Iterable<T>,
  signal: AbortSignal,
  work: (thing: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const ended = AbortSignal.any([signal, failing.signal]);
  const waiting = [...things].values();
  const worker = async (): Promise<void> => {
    for (const thing of waiting) await work(thing, ended);
  };
  const workers = Array.from({ length: WORKER_COUNT }, () =>
    worker().catch((error: unknown) => failing.abort(error)),
  );
  await Promise.all(workers);
  ended.throwIfAborted();
}
