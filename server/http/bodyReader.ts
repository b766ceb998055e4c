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
  readonly refuse: (error: HttpError) => void;
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
  #pieces(incoming: IncomingMessage): Promise<readonly Uint8Array[] | undefined> {
    if (Number(incoming.headers['content-length'] ?? 0) > this.maxBytes) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const pieces: Uint8Array[] = [];
      const own: Unfinished = { bytes: 0, at: performance.now(), refuse };
      const late = setTimeout(() => {
        refuse(unfinished('a whole body in time', 'a part of one', 'send it faster'));
      }, this.wholeMs);
      const end = (): void => {
        clearTimeout(late);
        this.#unfinished.delete(own);
        incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
        incoming.pause();
      };
      const onData = (piece: Uint8Array): void => {
        own.bytes += piece.length;
        own.at = performance.now();
        pieces.push(piece);
        if (own.bytes > this.maxBytes) {
          end();
          resolve(undefined);
        } else this.#keepToLimit();
      };
      const onEnd = (): void => {
        end();
        resolve(pieces);
      };
      const onClose = (): void => {
        refuse(unfinished('a whole body', 'a part of one', 'keep the connection open'));
      };
      function refuse(error: HttpError): void {
        end();
        reject(error);
      }
      this.#unfinished.add(own);
      if (incoming.destroyed) onClose();
      else incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    });
  }

  /** Ends the long bodies that have been waiting longest. */
  #keepToLimit(): void {
    const long = [...this.#unfinished].filter(({ bytes }) => bytes > SMALL_BYTES).sort((a, b) => a.at - b.at);
    let held = long.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const body of long) {
      if (held <= BODIES * this.maxBytes) return;
      held -= body.bytes;
      body.refuse(unfinished('fewer unfinished bodies', 'too many', 'send it again'));
    }
  }
}

function unfinished(expected: string, got: string, remedy: string): HttpError {
  const message = `Expected ${expected}, got ${got}; ${remedy}`;
  const headers = { connection: 'close' };
  return new HttpError(408, { message, type: 'timeout_error', code: 'client_closed_request', headers });
}

/** Reads on without keeping anything. Whether that came to the end of the body. */
function drained(incoming: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0;
    const end = (isWhole: boolean): void => {
      clearTimeout(late);
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      resolve(isWhole);
    };
    const late = setTimeout(() => {
      end(false);
    }, DRAIN_MS);
    const onData = (piece: Uint8Array): void => {
      bytes += piece.length;
      if (bytes > DRAIN_BYTES) end(false);
    };
    const onEnd = (): void => {
      end(true);
    };
    const onClose = (): void => {
      end(false);
    };
    if (incoming.destroyed || incoming.readableEnded) onClose();
    else incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose).resume();
  });
}
