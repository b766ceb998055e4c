// Reads the bodies of requests within limits: the size of each, the size of all unfinished bodies together, and time.
// Unfinished bodies must not fill the memory of a process that also serves editors.
import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './httpError';

/** A body up to this size is read however much memory the other unfinished ones hold. */
const SMALL_BYTES = 65_536;
/** Limit of all unfinished bodies above SMALL_BYTES together, as a multiple of the maximum size of one body. */
const MAX_BODIES = 8;
/** Time for a whole body to arrive. */
const BODY_TIMEOUT_MS = 30_000;

/** A body of which a part has arrived. */
interface Unfinished {
  bytes: number;
  /** Time at which its last piece arrived, ms of performance.now(). */
  lastPieceAt: number;
  /** Aborts with the error for the client. */
  readonly stop: AbortController;
}

export class BodyReader {
  readonly #unfinished = new Set<Unfinished>();

  constructor(
    private readonly maxBytes: number,
    private readonly timeoutMs = BODY_TIMEOUT_MS,
  ) {}

  /**
   * Reads a body. Throws HttpError if it is too long or too slow, breaks off, or is refused because the unfinished
   * bodies exceed their limit; Hono then discards the rest of it.
   */
  async read(incoming: IncomingMessage): Promise<Buffer> {
    if (incoming.destroyed) throw unfinishedError('broken');
    const pieces: Uint8Array[] = [];
    const stop = new AbortController();
    const body: Unfinished = { bytes: 0, lastPieceAt: performance.now(), stop };
    const timer = setTimeout(() => stop.abort(unfinishedError('late')), this.timeoutMs);
    this.#unfinished.add(body);
    try {
      if (Number(incoming.headers['content-length'] ?? 0) > this.maxBytes) stop.abort(this.#tooLong());
      const arriving = on(incoming, 'data', { signal: stop.signal, close: ['end', 'close'] });
      for await (const [piece] of arriving as AsyncIterable<[Uint8Array]>) {
        body.bytes += piece.length;
        body.lastPieceAt = performance.now();
        pieces.push(piece);
        if (body.bytes > this.maxBytes) stop.abort(this.#tooLong());
        else this.#keepToLimit();
      }
    } catch {
      throw stop.signal.aborted ? (stop.signal.reason as HttpError) : unfinishedError('broken');
    } finally {
      this.#unfinished.delete(body);
      clearTimeout(timer);
      incoming.pause();
    }
    if (incoming.complete) return Buffer.concat(pieces);
    throw unfinishedError('broken');
  }

  /** Refuses long bodies until the others fit the limit: first those that have been silent for longest. */
  #keepToLimit(): void {
    const long = [...this.#unfinished]
      .filter(({ bytes }) => bytes > SMALL_BYTES)
      .sort((a, b) => a.lastPieceAt - b.lastPieceAt);
    let held = long.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { bytes, stop } of long) {
      if (held <= MAX_BODIES * this.maxBytes) return;
      held -= bytes;
      stop.abort(unfinishedError('crowded'));
    }
  }

  #tooLong(): HttpError {
    const message = `The body is longer than ${String(this.maxBytes)} bytes. Send less text.`;
    return new HttpError(413, message, { code: 'body_too_large' });
  }
}

const MESSAGES = {
  late: 'Timed out before the body was complete. Send it faster.',
  broken: 'The connection ended before the body was complete. Send the request again.',
  crowded: 'The server receives too many large bodies at once. Send the request again later.',
} as const;

function unfinishedError(ending: keyof typeof MESSAGES): HttpError {
  const headers = { connection: 'close' };
  return new HttpError(408, MESSAGES[ending], { code: 'client_closed_request', headers });
}
