// Sends HTTP requests to one remote engine. The key goes to its origin only: redirects are refused. Ends requests that
// stay silent, and closes the connection of a request that is aborted or no longer read.
import { fetchBy, type Fetch } from '../machine/outboundHttp';
import { WaitingClock } from '../machine/waitingClock';
import type { RemoteAddress } from '../rules/remoteAddress';
import { namedFields } from './refusedFields';
import { brokenAnswer, networkFailure, refusal, type ErrorContext, silence } from './remoteError';

export interface RemoteTimes {
  /** Time to connect. */
  readonly connectMs: number;
  /** Longest time without bytes, before or within an answer, and without text in a stream. */
  readonly silenceMs: number;
}

const TIMES: RemoteTimes = { connectMs: 5_000, silenceMs: 30_000 };
/** Limit of bytes of a whole answer, such as a list of models. */
const MAX_BYTES = 8e6;
/** Signal that never aborts. */
const NEVER = AbortSignal.any([]);

export interface RemoteRequest {
  readonly url: string;
  /** Sent as JSON by POST; without a body, the request is a GET. */
  readonly body?: object;
  /** Required content type of the answer. */
  readonly accept: string;
  readonly signal: AbortSignal;
  /** Whether a user waits at an editor; `flashline serve` then prefers the request. */
  readonly isUrgent?: boolean;
}

export class RemoteConnection {
  readonly #fetch: Fetch;
  readonly silenceMs: number;

  constructor(
    readonly address: RemoteAddress,
    readonly context: ErrorContext,
    private readonly key: string | undefined,
    { connectMs, silenceMs }: RemoteTimes = TIMES,
  ) {
    // Requests to this machine, or to a tunnel that begins here, do not go through a proxy.
    this.#fetch = fetchBy(address.isLoopback ? {} : process.env, connectMs);
    this.silenceMs = silenceMs;
  }

  /**
   * Yields the body of an answer in chunks, and measures the wait for them by `clock`. Throws RemoteError, but ends
   * without an error once the signal aborts.
   */
  async *chunks(request: RemoteRequest, clock: WaitingClock): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal, accept } = request;
    const ending = new AbortController();
    const onSilence = (): void => {
      ending.abort(new Error('no data arrived'));
    };
    const fail = (error: unknown): never => {
      throw ending.signal.aborted
        ? silence(this.context, clock.limitMs, 'nothing')
        : networkFailure(this.context, error);
    };
    try {
      const sent = this.#send(request, AbortSignal.any([signal, ending.signal]));
      const response = await clock.wait(sent.catch(fail), onSilence);
      // The check can read the body of a refusal.
      await clock.wait(this.#check(response, accept), onSilence);
      const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
      while (reader !== undefined) {
        const read = await clock.wait(reader.read().catch(fail), onSilence);
        if (read.done) return;
        yield read.value;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      // Closes the connection unless the body has been read to its end.
      ending.abort();
    }
  }

  /** Reads a whole answer of JSON, as text. It must end within `silenceMs`. Throws RemoteError. */
  async jsonText(url: string): Promise<string> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const clock = new WaitingClock(this.silenceMs);
    const request = { url, accept: 'application/json', signal: NEVER };
    for await (const chunk of this.chunks(request, clock)) {
      if (clock.waitedMs > this.silenceMs)
        throw brokenAnswer(
          this.context,
          `sent only a part of its answer in ${String(this.silenceMs / 1000)} s`,
        );
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw brokenAnswer(this.context, `sent more than ${String(MAX_BYTES)} bytes`);
    }
    return Buffer.concat(parts).toString('utf8');
  }

  /** Rejects with RemoteError for a refusal, and for a content type other than `accept`. */
  async #check(response: Response, accept: string): Promise<void> {
    if (!response.ok) throw refusal(this.context, response, await namedFields(response));
    const type = response.headers.get('content-type') ?? 'none';
    if (!type.startsWith(accept))
      throw brokenAnswer(this.context, `sent the content type ${type.slice(0, 60)} instead of ${accept}`);
  }

  #send({ url, body, accept, isUrgent }: RemoteRequest, signal: AbortSignal): Promise<Response> {
    return this.#fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept,
        'user-agent': 'flashline',
        ...(isUrgent && { 'x-flashline-priority': 'editor' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
  }
}
