// Bodies of requests, read up to a limit each and all together, and for a limited time: what clients have begun to send
// and do not end must not fill the memory of a process that also serves editors.
import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './httpError';

/** Whatever others hold, a body of this size is read. */
const SMALL_BYTES = 65_536;
/** What unfinished bodies may hold together, in bodies of the largest size. */
const BODIES = 8;
/** For a whole body, and for what is too much of one to be thrown away, so that the client reads why. */
const WHOLE_MS = 30_000;
const DRAIN_MS = 2_000;
const DRAIN_BYTES = 64e6;

interface Unfinished {
  bytes: number;
  /** When its last piece came. */
  at: number;
  /** Aborts with an ending. */
  readonly stop: AbortController;
}

export class BodyReader {
  readonly #unfinished = new Set<Unfinished>();

  constructor(
    private readonly maxBytes: number,
    private readonly wholeMs = WHOLE_MS,
  ) {}

  /** Throws HttpError for a body that is too long, too slow, or breaks off. */
  async read(incoming: IncomingMessage): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const own: Unfinished = { bytes: 0, at: performance.now(), stop: new AbortController() };
    if (Number(incoming.headers['content-length'] ?? 0) > this.maxBytes) own.stop.abort('long');
    this.#unfinished.add(own);
    const ending = await taken(incoming, own.stop, this.wholeMs, (piece) => {
      own.bytes += piece.length;
      own.at = performance.now();
      pieces.push(piece);
      if (own.bytes > this.maxBytes) own.stop.abort('long');
      else this.#keepToLimit();
    });
    this.#unfinished.delete(own);
    if (ending === 'whole') return Buffer.concat(pieces);
    throw ending === 'long' ? await this.#tooLong(incoming) : unfinished(ending);
  }

  /** Ends the long bodies that have been waiting longest. */
  #keepToLimit(): void {
    const long = [...this.#unfinished].filter(({ bytes }) => bytes > SMALL_BYTES).sort((a, b) => a.at - b.at);
    let held = long.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { bytes, stop } of long) {
      if (held <= BODIES * this.maxBytes) return;
      held -= bytes;
      stop.abort('crowded');
    }
  }

  /** Reads on without keeping anything, as far as that goes, so that the client reads why. */
  async #tooLong(incoming: IncomingMessage): Promise<HttpError> {
    let bytes = 0;
    const stop = new AbortController();
    const ending = await taken(incoming, stop, DRAIN_MS, (piece) => {
      bytes += piece.length;
      if (bytes > DRAIN_BYTES) stop.abort('long');
    });
    const message = `Expected a body of at most ${String(this.maxBytes)} bytes, got more; send less text`;
    return new HttpError(413, message, {
      code: 'body_too_large',
      ...(ending !== 'whole' && { headers: { connection: 'close' } }),
    });
  }
}

const UNFINISHED = {
  late: ['a whole body in time', 'a part of one', 'send it faster'],
  broken: ['a whole body', 'a part of one', 'keep the connection open'],
  crowded: ['fewer unfinished bodies', 'too many', 'send it again'],
} as const;
type Ending = keyof typeof UNFINISHED | 'whole' | 'long';

function unfinished(ending: keyof typeof UNFINISHED): HttpError {
  const [expected, got, remedy] = UNFINISHED[ending];
  const message = `Expected ${expected}, got ${got}; ${remedy}`;
  const headers = { connection: 'close' };
  return new HttpError(408, message, { code: 'client_closed_request', headers });
}

/** Gives away the pieces of a body until it ends by itself, by time, or as `stop` says. */
async function taken(
  incoming: IncomingMessage,
  stop: AbortController,
  mostMs: number,
  onPiece: (piece: Uint8Array) => void,
): Promise<Ending> {
  if (incoming.destroyed) return 'broken';
  const late = setTimeout(() => stop.abort('late'), mostMs);
  try {
    const pieces = on(incoming, 'data', { signal: stop.signal, close: ['end', 'close'] });
    for await (const [piece] of pieces as AsyncIterable<[Uint8Array]>) onPiece(piece);
    return incoming.complete ? 'whole' : 'broken';
  } catch {
    return stop.signal.aborted ? (stop.signal.reason as Ending) : 'broken';
  } finally {
    clearTimeout(late);
    incoming.pause();
  }
}
