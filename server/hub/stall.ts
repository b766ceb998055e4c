// Ends an exchange on which nothing arrives, or which nobody wants any more. Knows not what is exchanged.

export class Stall {
  readonly #controller = new AbortController();
  readonly #abort = (): void => this.#controller.abort(this.outer?.reason);
  #timer: NodeJS.Timeout;

  constructor(
    private readonly milliseconds: number,
    private readonly outer?: AbortSignal,
  ) {
    this.#timer = this.#start();
    if (outer?.aborted) this.#abort();
    outer?.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has arrived. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#abort);
  }

  /** Settles when the signal aborts at the latest: now and then fetch on Node 20 forgets a reader that is aborted. */
  async of<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    // What fails after the end is of no interest.
    work.catch(() => undefined);
    signal.throwIfAborted();
    let abort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(new Error('nothing came', { cause: signal.reason }));
      signal.addEventListener('abort', abort);
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(new Error('nothing came')), this.milliseconds);
  }
}
