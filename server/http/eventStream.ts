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
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #onRead: (() => void) | undefined;
  #isOpen = true;
  readonly #encoder = new TextEncoder();

  /** `mostMs` is for a reader to take something. */
  constructor(private readonly mostMs = READ_MS) {
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) =>
        void (this.#controller = controller),
      pull: () => this.#onRead?.(),
      cancel: () => {
        this.#isOpen = false;
        this.#onRead?.();
      },
    };
    this.body = new ReadableStream<Uint8Array>(
      source,
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    );
  }

  /** Resolves once the reader takes more, or has gone. Throws HttpError for one that takes nothing for long. */
  async send(event: object | '[DONE]'): Promise<void> {
    if (!this.#isOpen) return;
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    this.#controller?.enqueue(this.#encoder.encode(`data: ${data}\n\n`));
    const isFull = (): boolean => this.#isOpen && (this.#controller?.desiredSize ?? 1) <= 0;
    if (!isFull()) return;
    let late: NodeJS.Timeout | undefined;
    const isRead = await Promise.race([
      this.#read(isFull),
      new Promise<false>((resolve) => (late = setTimeout(resolve, this.mostMs, false))),
    ]);
    clearTimeout(late);
    if (isRead) return;
    this.#isOpen = false;
    this.#controller?.error(new Error('The client reads nothing'));
    const message = 'Expected a client that reads, got none; read the answer';
    throw new HttpError(408, message, { code: 'client_closed_request' });
  }

  async #read(isFull: () => boolean): Promise<true> {
    while (isFull()) await new Promise<void>((resolve) => (this.#onRead = resolve));
    return true;
  }

  close(): void {
    if (this.#isOpen) this.#controller?.close();
    this.#isOpen = false;
  }
}
