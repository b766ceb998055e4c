// Who decodes, and when. Requests wait for admission (below), and those that ask for the same output while it is being
// written share one decode: editors send equal ones in advance, several at a time. Each reads it from its beginning, at
// its own pace.
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult } from '../engine/decode/decode';
import type { QueueTicket } from '../engine/request/queueTicket';
import type { ServedEngine } from '../hosting/model';
import { HttpError } from './httpError';

/** A decode as one of its readers sees it. */
export interface ReadDecode extends AsyncIterable<DecodeChunk> {
  readonly result: DecodeResult;
  /** Whether it was begun for this reader. */
  readonly isOwn: boolean;
}

class SharedDecode {
  readonly #chunks: DecodeChunk[] = [];
  readonly #ending = new AbortController();
  readonly #steps: AsyncIterator<DecodeChunk>;
  readonly decode: Decode;
  /** The step under way; true once it was the last. */
  #step: Promise<boolean> | undefined;
  #readers = 0;

  constructor(
    start: (signal: AbortSignal) => Decode,
    private readonly onEnd: () => void,
  ) {
    this.decode = start(this.#ending.signal);
    this.#steps = this.decode[Symbol.asyncIterator]();
  }

  /** Ends with the signal, or when nobody else reads on, once the decode has ended. */
  async *read(signal: AbortSignal): AsyncGenerator<DecodeChunk, void, undefined> {
    this.#readers += 1;
    let leave: (() => void) | undefined;
    const gone = new Promise<true>((resolve) => {
      leave = () => {
        if (this.#readers === 1) this.#end(signal.reason);
        else resolve(true);
      };
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave);
    });
    try {
      for (let at = 0; ; at++) {
        while (at >= this.#chunks.length) if (await Promise.race([gone, this.#next()])) return;
        const chunk = this.#chunks[at];
        if (chunk) yield chunk;
      }
    } finally {
      if (leave) signal.removeEventListener('abort', leave);
      this.#readers -= 1;
      if (this.#readers === 0) {
        this.#end('abandoned');
        await this.#steps.return?.();
      }
    }
  }

  /** A failure stays, for all readers. */
  #next(): Promise<boolean> {
    if (this.#step === undefined) {
      this.#step = this.#advance();
      this.#step.then(() => (this.#step = undefined)).catch(this.onEnd);
    }
    return this.#step;
  }

  async #advance(): Promise<boolean> {
    const step = await this.#steps.next();
    if (step.done) this.onEnd();
    else this.#chunks.push(step.value);
    return step.done ?? false;
  }

  /** Nobody may join what ends early. */
  #end(reason: unknown): void {
    this.onEnd();
    this.#ending.abort(reason);
  }
}

export class SharedDecodes {
  readonly #engines = new WeakMap<object, Map<string, SharedDecode>>();

  /** `key` is what the functions in the request depend on. */
  decode(
    engine: Pick<ServedEngine, 'decode'>,
    promptIds: readonly number[],
    request: DecodeRequest & { readonly ticket: QueueTicket; readonly signal: AbortSignal },
    key: string,
  ): ReadDecode {
    const { signal, ticket, ...asked } = request;
    const { sampling = {}, fresh = false } = asked;
    const isDrawn = (sampling.temperature ?? 0) > 0 && sampling.seed === undefined;
    const name = isDrawn || fresh ? undefined : JSON.stringify([ticket.kind, promptIds, asked, key]);
    const running = this.#engines.get(engine) ?? new Map<string, SharedDecode>();
    this.#engines.set(engine, running);
    const known = name === undefined ? undefined : running.get(name);
    const shared =
      known ??
      new SharedDecode(
        (own) => engine.decode(promptIds, { ...request, signal: own }),
        () => {
          if (name !== undefined && running.get(name) === shared) running.delete(name);
        },
      );
    if (name !== undefined) running.set(name, shared);
    return {
      isOwn: known === undefined,
      [Symbol.asyncIterator]: () => shared.read(signal),
      get result() {
        return shared.decode.result;
      },
    };
  }
}

// Who may decode now. Editors' requests always may: between their steps and those of others the engine's scheduler decides.
// Of all others a few run at a time, so that not every waiting chat holds memory; the rest wait in their order, and no
// more than a limit. Knows no models.

export interface AdmissionLimits {
  /** Requests of others than editors that decode at a time. */
  readonly running: number;
  /** Requests that wait; the same number of editors' requests may run. */
  readonly waiting: number;
}

/** Seconds after which a client that was refused may try again: the time of a short output. */
const RETRY_AFTER = '2';

export class Admission {
  #running = 0;
  #editors = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly limits: AdmissionLimits) {}

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running + this.#editors;
  }

  /**
   * Does `work` in its turn. Throws HttpError at once if there is no room, and the reason of `signal` if that aborts
   * first.
   */
  async run(isEditor: boolean, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    signal.throwIfAborted();
    if (isEditor) {
      this.#requireRoom(this.#editors);
      this.#editors += 1;
      await work().finally(() => (this.#editors -= 1));
      return;
    }
    if (this.#running >= this.limits.running) await this.#wait(signal);
    else this.#running += 1;
    await work().finally(() => {
      const next = this.#waiting.shift();
      // Its place goes to the next one, so that nobody else can take it in between.
      if (next) next();
      else this.#running -= 1;
    });
  }

  async #wait(signal: AbortSignal): Promise<void> {
    this.#requireRoom(this.#waiting.length);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        // eslint-disable-next-line @typescript-eslint/no-use-before-define -- listener and its remover name each other
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #requireRoom(taken: number): void {
    if (taken < this.limits.waiting) return;
    throw new HttpError(429, `The queue is full; try again in ${RETRY_AFTER} s`, {
      code: 'queue_full',
      headers: { 'retry-after': RETRY_AFTER },
    });
  }
}
