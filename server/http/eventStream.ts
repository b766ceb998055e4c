// Server-sent events, one at a time: the writer waits for a slow reader, so that nothing piles up in memory.
import { HttpError } from './httpError';

export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** What may wait for a reader: below that, a decode goes on at once, and does not lose its turn. */
const BUFFER_BYTES = 65_536;

/** A client that does not read keeps others from being served. */
const READ_MS = 30_000;

export class EventStream {
  /** Of the answer. */
  readonly body: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;

  /** `mostMs` is for a reader to take something. */
  constructor(private readonly mostMs = READ_MS) {
    const waiting = new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, waiting);
    this.body = readable;
    this.#writer = writable.getWriter();
  }

  /** Resolves once the reader takes more, or has gone. Throws HttpError for one that takes nothing for long. */
  async send(event: object | '[DONE]'): Promise<void> {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    this.#writer.write(Buffer.from(`data: ${data}\n\n`)).catch(nobodyReads);
    if ((this.#writer.desiredSize ?? BUFFER_BYTES) > 0) return;
    const late = setTimeout(() => {
      const message = 'Expected a client that reads, got none; read the answer';
      const error = new HttpError(408, message, { code: 'client_closed_request' });
      this.#writer.abort(error).catch(nobodyReads);
    }, this.mostMs);
    try {
      await this.#writer.ready;
    } catch (error) {
      if (error instanceof HttpError) throw error;
    } finally {
      clearTimeout(late);
    }
  }

  close(): void {
    this.#writer.close().catch(nobodyReads);
  }
}

function nobodyReads(): void {
  // Nothing is lost then.
}
