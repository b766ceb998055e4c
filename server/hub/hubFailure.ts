// Describes why an exchange with the Hub failed, in a few words. Never includes the Hub's own text, which could contain
// anything, even the token.
import { retryAfterMs } from '../machine/requestFailure';
import type { Hub } from './hub';

/** The failure of one exchange with the Hub, in plain words. */
export class HubFailure extends Error {
  constructor(
    message: string,
    /**
     * HTTP status, or 'unusable' for an answer that this program does not accept; undefined if a retry can help whatever
     * the status, as when the network failed.
     */
    readonly status?: number | 'unusable',
    /** Pause that the Hub asks for, from now. */
    readonly retryAfterMs?: number,
    /** Error code of the Hub for programs; that of a missing file for one that a store lacks. */
    readonly errorCode?: string,
  ) {
    super(message);
  }

  /** Creates the failure for a response with an error status. */
  static ofAnswer({ status, headers }: Response, url: URL, { endpoint }: Hub): HubFailure {
    const isFromHub = url.origin === new URL(endpoint).origin;
    // A retry can succeed: the Hub replaces signed addresses, which expire after about an hour, and another copy of a
    // file can be complete if this one is not (416).
    const canChange = (!isFromHub && (status === 401 || status === 403)) || status === 416;
    // A store does not know repositories, only files.
    const storeCode = status === 404 ? 'EntryNotFound' : undefined;
    const errorCode = isFromHub ? (headers.get('x-error-code') ?? undefined) : storeCode;
    return new HubFailure(
      `HTTP status ${String(status)}`,
      canChange ? undefined : status,
      retryAfterMs(headers),
      errorCode,
    );
  }

  /** Creates the failure for an answer that this program does not accept, however often it is sent. */
  static unusable(message: string): HubFailure {
    return new HubFailure(message, 'unusable');
  }

  /** Whether the same request can succeed a little later. */
  get isTemporary(): boolean {
    const { status } = this;
    if (status === 'unusable') return false;
    return status === undefined || status === 408 || status === 429 || status >= 500;
  }
}
