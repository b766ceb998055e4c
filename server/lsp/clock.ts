// The time of day and timers, as the life of models needs them. Tests bring a clock of their own.

export interface Clock {
  /** Milliseconds, from any start. */
  now(): number;
  /** Does `work` once so many milliseconds have passed, unless what it gives is called before. */
  after(milliseconds: number, work: () => void): () => void;
}

/** Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
