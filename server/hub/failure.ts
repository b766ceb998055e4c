// Why one exchange with the Hub failed, in a few words. Never the Hub's own text, which could contain anything, even the
// token.
import { retryAfterMs } from '../machine/outboundHttp';
import type { Hub } from './hub';

/** Status of a failure that no retry can mend: the request was not sent, or its answer not read. */
const REFUSED = 400;

/** The failure of one exchange with the Hub, in plain words. */
export class Failure extends Error {
  constructor(
    message: string,
    /** Undefined when the network failed. */
    readonly status?: number,
    /** How long the Hub asks to wait, from now. */
    readonly retryAfterMs?: number,
    /** From an answer of the Hub itself. */
    readonly errorCode?: string,
  ) {
    super(message);
  }

  /** For an answer that is not a success. */
  static ofAnswer({ status, headers }: Response, url: URL, { endpoint }: Hub): Failure {
    const ofHub = url.origin === new URL(endpoint).origin;
    // A signed address expires after about an hour, and the Hub issues another one. A host that has less of a file than
    // is listed can be one copy among others.
    const canChange = (!ofHub && (status === 401 || status === 403)) || status === 416;
    const errorCode = ofHub ? (headers.get('x-error-code') ?? undefined) : undefined;
    return new Failure(
      `HTTP status ${String(status)}`,
      canChange ? undefined : status,
      retryAfterMs(headers),
      errorCode,
    );
  }

  static refused(words: string): Failure {
    return new Failure(words, REFUSED);
  }

  /** Whether the same request may succeed a little later. */
  get isPassing(): boolean {
    const { status } = this;
    return status === undefined || status === 408 || status === 429 || status >= 500;
  }
}
