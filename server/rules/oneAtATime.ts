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
