// Shares a running decode between equal requests, as editors send several equal ones in advance. Each request reads the
// decode from its beginning, at its own pace.
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult } from '../engine/decode/decode';
import type { QueueTicket } from '../engine/request/queueTicket';
import type { ServedEngine } from '../hosting/model';

/** A decode as one reader sees it. */
export interface DecodeView extends AsyncIterable<DecodeChunk> {
  readonly result: DecodeResult;
  /** Returns the final result to the reader that left last, once; undefined to the others. */
  takeFinalResult(): DecodeResult | undefined;
}

class SharedDecode {
  readonly #chunks: DecodeChunk[] = [];
  readonly #ending = new AbortController();
  readonly #steps: AsyncIterator<DecodeChunk>;
  readonly decode: Decode;
  /** Step in progress; resolves with whether the decode has ended. */
  #step: Promise<boolean> | undefined;
  #readerCount = 0;
  #isResultTaken = false;

  constructor(
    start: (signal: AbortSignal) => Decode,
    private readonly onEnd: (ended: SharedDecode) => void,
  ) {
    this.decode = start(this.#ending.signal);
    this.#steps = this.decode[Symbol.asyncIterator]();
  }

  /** Reads all chunks. Stops when `signal` aborts; the last reader waits until the decode has ended. */
  async *read(signal: AbortSignal): AsyncGenerator<DecodeChunk, void, undefined> {
    this.#readerCount += 1;
    let leave: (() => void) | undefined;
    /** Resolves once this reader leaves while others go on. */
    const gone = new Promise<true>((resolve) => {
      leave = () => {
        if (this.#readerCount === 1) this.#end(signal.reason);
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
      this.#readerCount -= 1;
      if (this.#readerCount === 0) {
        this.#end('abandoned');
        await this.#steps.return?.();
      }
    }
  }

  /** Returns the final result once, after the last reader has left. */
  takeFinalResult(): DecodeResult | undefined {
    if (this.#readerCount > 0 || this.#isResultTaken) return undefined;
    this.#isResultTaken = true;
    return this.decode.result;
  }

  /** Awaits the next step; starts it if no reader has. Rejects for all readers if the decode fails. */
  #next(): Promise<boolean> {
    if (this.#step === undefined) {
      this.#step = this.#advance();
      this.#step
        .then(() => (this.#step = undefined))
        .catch(() => {
          this.onEnd(this);
        });
    }
    return this.#step;
  }

  async #advance(): Promise<boolean> {
    const step = await this.#steps.next();
    if (step.done) this.onEnd(this);
    else this.#chunks.push(step.value);
    return step.done ?? false;
  }

  /** Ends the decode early; no other reader can join it. */
  #end(reason: unknown): void {
    this.onEnd(this);
    this.#ending.abort(reason);
  }
}

export class SharedDecodes {
  /** Running decodes by engine, and by the JSON of their request. */
  readonly #running = new WeakMap<object, Map<string, SharedDecode>>();

  /**
   * Starts a decode or joins an equal one. `key` distinguishes requests that differ only in options that are functions,
   * which JSON leaves out.
   */
  decode(
    engine: ServedEngine,
    promptIds: readonly number[],
    request: DecodeRequest & { readonly ticket: QueueTicket; readonly signal: AbortSignal },
    key: string,
  ): DecodeView {
    const { signal, ticket, ...options } = request;
    const { sampling = {}, fresh = false } = options;
    const isDrawn = (sampling.temperature ?? 0) > 0 && sampling.seed === undefined;
    const json = isDrawn || fresh ? undefined : JSON.stringify([ticket.kind, promptIds, options, key]);
    const running = this.#running.get(engine) ?? new Map<string, SharedDecode>();
    this.#running.set(engine, running);
    const joined = json === undefined ? undefined : running.get(json);
    const shared =
      joined ??
      new SharedDecode(
        (decodeSignal) => engine.decode(promptIds, { ...request, signal: decodeSignal }),
        (ended) => {
          if (json !== undefined && running.get(json) === ended) running.delete(json);
        },
      );
    if (json !== undefined) running.set(json, shared);
    return {
      takeFinalResult: () => shared.takeFinalResult(),
      [Symbol.asyncIterator]: () => shared.read(signal),
      get result() {
        return shared.decode.result;
      },
    };
  }
}
