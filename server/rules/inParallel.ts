// Work on many things, such as files, a few of them at a time; and work that must not overlap (below).

const PARALLEL = 4;

/** The first failure ends the others; all have ended when it is thrown. */
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
  const workers = Array.from({ length: PARALLEL }, () =>
    worker().catch((error: unknown) => failing.abort(error)),
  );
  await Promise.all(workers);
  ended.throwIfAborted();
}

// What must not overlap, such as starts and stops of the same thing.

/** Each begins once the one before has ended, in whatever way. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
