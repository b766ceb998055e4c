// Runs steps that must not overlap, such as starts and stops of one server.

export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `step` once the step before has succeeded or failed. */
  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
