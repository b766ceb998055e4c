// Requests that ask for the same output while it is being written share one decode: editors send equal ones in advance,
// several at a time. Each reads it from its beginning, at its own pace.
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult } from '../engine/decode/decode';
import type { QueuePlace } from '../engine/request/queuePlace';
import type { ServedEngine } from '../hosting/loadedModel';

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

  /** `key` says what else the output depends on. */
  decode(
    engine: Pick<ServedEngine, 'decode'>,
    promptIds: readonly number[],
    request: DecodeRequest & { readonly place: QueuePlace; readonly signal: AbortSignal },
    key: string,
  ): ReadDecode {
    const { signal, place, ...asked } = request;
    const { sampling = {}, fresh = false } = asked;
    const isDrawn = (sampling.temperature ?? 0) > 0 && sampling.seed === undefined;
    const name = isDrawn || fresh ? undefined : JSON.stringify([place.kind, promptIds, asked, key]);
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
