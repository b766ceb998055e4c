// Bodies of requests, read up to a limit each and all together, and for a limited time: what clients have begun to send
// and do not end must not fill the memory of a process that also serves editors.
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
  readonly stop: () => void;
}

export class BodyReader {
  readonly #unfinished = new Set<Unfinished>();

  constructor(
    private readonly maxBytes: number,
    private readonly wholeMs = WHOLE_MS,
  ) {}

  /** Throws HttpError for a body that is too long, too slow, or breaks off. */
  async read(incoming: IncomingMessage): Promise<Uint8Array> {
    const pieces = await this.#pieces(incoming);
    if (pieces !== undefined) return Buffer.concat(pieces);
    const isWhole = await drained(incoming);
    throw new HttpError(413, {
      message: `Expected a body of at most ${String(this.maxBytes)} bytes, got more; send less text`,
      code: 'body_too_large',
      ...(!isWhole && { headers: { connection: 'close' } }),
    });
  }

  /** Undefined if it is too long. */
  async #pieces(incoming: IncomingMessage): Promise<readonly Uint8Array[] | undefined> {
    if (Number(incoming.headers['content-length'] ?? 0) > this.maxBytes) return undefined;
    const pieces: Uint8Array[] = [];
    const reading = new Reading(incoming, this.wholeMs, (piece) => {
      own.bytes += piece.length;
      own.at = performance.now();
      pieces.push(piece);
      if (own.bytes > this.maxBytes) end('long');
      else this.#keepToLimit();
    });
    const end = (ending: Ending): void => {
      this.#unfinished.delete(own);
      reading.end(ending);
      incoming.pause();
    };
    const own: Unfinished = { bytes: 0, at: performance.now(), stop: () => end('crowded') };
    this.#unfinished.add(own);
    const ending = await reading.ending;
    end(ending);
    if (ending === 'long') return undefined;
    if (ending !== 'whole') throw unfinished(ending);
    return pieces;
  }

  /** Ends the long bodies that have been waiting longest. */
  #keepToLimit(): void {
    const long = [...this.#unfinished].filter(({ bytes }) => bytes > SMALL_BYTES).sort((a, b) => a.at - b.at);
    let held = long.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const body of long) {
      if (held <= BODIES * this.maxBytes) return;
      held -= body.bytes;
      body.stop();
    }
  }
}

const UNFINISHED = {
  late: ['a whole body in time', 'a part of one', 'send it faster'],
  broken: ['a whole body', 'a part of one', 'keep the connection open'],
  crowded: ['fewer unfinished bodies', 'too many', 'send it again'],
} as const;

function unfinished(ending: keyof typeof UNFINISHED): HttpError {
  const [expected, got, remedy] = UNFINISHED[ending];
  const message = `Expected ${expected}, got ${got}; ${remedy}`;
  const headers = { connection: 'close' };
  return new HttpError(408, { message, type: 'timeout_error', code: 'client_closed_request', headers });
}

/** Reads on without keeping anything. Whether that came to the end of the body. */
async function drained(incoming: IncomingMessage): Promise<boolean> {
  let bytes = 0;
  const reading = new Reading(incoming, DRAIN_MS, (piece) => {
    bytes += piece.length;
    if (bytes > DRAIN_BYTES) reading.end('long');
  });
  return (await reading.ending) === 'whole';
}

type Ending = 'whole' | 'late' | 'broken' | 'long' | 'crowded';

/** Gives away the pieces of a body until it ends by itself, by time, or as `end` says. */
class Reading {
  readonly ending: Promise<Ending>;
  readonly end: (ending: Ending) => void;

  constructor(incoming: IncomingMessage, limitMs: number, onPiece: (piece: Uint8Array) => void) {
    const onEnd = (): void => this.end('whole');
    const onClose = (): void => this.end('broken');
    const late = setTimeout(() => this.end('late'), limitMs);
    let resolve: (ending: Ending) => void = () => undefined;
    this.ending = new Promise((ended) => (resolve = ended));
    this.end = (ending) => {
      clearTimeout(late);
      incoming.off('data', onPiece).off('end', onEnd).off('close', onClose).off('error', onClose);
      resolve(ending);
    };
    if (incoming.destroyed || incoming.readableEnded) onClose();
    else incoming.on('data', onPiece).on('end', onEnd).on('close', onClose).on('error', onClose).resume();
  }
}
