// Server-sent events, one at a time: the writer waits for a slow reader, so that nothing piles up in memory.

export const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** What may wait for a reader: below that, a decode goes on at once, and does not lose its turn. */
const BUFFER_BYTES = 65_536;

export class EventStream {
  /** Of the answer. */
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #onRead: (() => void) | undefined;
  #isOpen = true;
  readonly #encoder = new TextEncoder();

  constructor() {
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

  /** Resolves once the reader takes more, or has gone. */
  async send(event: object | '[DONE]'): Promise<void> {
    if (!this.#isOpen) return;
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    this.#controller?.enqueue(this.#encoder.encode(`data: ${data}\n\n`));
    while (this.#isOpen && (this.#controller?.desiredSize ?? 1) <= 0)
      await new Promise<void>((resolve) => (this.#onRead = resolve));
  }

  close(): void {
    if (this.#isOpen) this.#controller?.close();
    this.#isOpen = false;
  }
}
