// Encodes server-sent events as fast as the client reads them.

/** Generator of the events of a stream; OpenAI ends streams with `[DONE]`. */
export type Events<T> = AsyncGenerator<object | '[DONE]', T, undefined>;

/** Maximum bytes to buffer for a client. Up to this, a decode does not wait for the client, and so misses no turn. */
const BUFFER_BYTES = 65_536;

/** Time after which a client that reads nothing is disconnected, so that a waiting request can run instead. */
const STALL_MS = 30_000;

/**
 * Encodes events. Requests the next event only once a slow reader is ready for it, so that nothing piles up in memory.
 * Calls `onStall` if the client reads nothing for `stallMs`.
 */
export function eventStream(
  events: Events<void>,
  onStall: () => void,
  stallMs = STALL_MS,
): ReadableStream<Uint8Array> {
  let stallTimer: NodeJS.Timeout | undefined;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    clearTimeout(stallTimer);
    const { done, value } = await events.next();
    if (done) return controller.close();
    const data = typeof value === 'string' ? value : JSON.stringify(value);
    // Throws if the stream was cancelled in the meantime; then no timer must begin.
    controller.enqueue(Buffer.from(`data: ${data}\n\n`));
    stallTimer = setTimeout(onStall, stallMs);
  };
  const cancel = async (): Promise<void> => {
    clearTimeout(stallTimer);
    await events.return();
  };
  return new ReadableStream({ pull, cancel }, new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }));
}
