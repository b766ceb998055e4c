// One exchange with the Hub: one or more requests that @huggingface/hub makes through the fetch function defined here.
// Sends the token to the Hub alone, follows redirects only to https or to the Hub's own protocol, limits the size of
// responses, aborts silent connections, and records why a request failed, since the library passes on only the message
// of an error.
import { networkWords } from '../machine/requestFailure';
import { UserError } from '../rules/userError';
import { ChunkLimit } from './chunkLimit';
import { HubFailure } from './hubFailure';
import type { Hub } from './hub';
import type { LibraryFetch } from './library';

export interface ExchangeLimits {
  /** Maximum bytes of files. */
  readonly fileBytes: number;
  /** Maximum number of requests; by default, there is no limit. */
  readonly requests?: number;
  /** Called with the number of file bytes that have arrived so far. */
  readonly onBytes?: (bytes: number) => void;
}

interface HubRequest {
  readonly url: URL;
  readonly headers: Headers;
  /**
   * Whether the response counts towards the limit of file bytes. The library requests files without `accept` and
   * `authorization`, and also the small facts of a model and Xet tokens, which therefore count too.
   */
  readonly isFile: boolean;
}

const XET_FILE_INFO = 'application/vnd.xet-fileinfo+json';
const MAX_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Maximum bytes of responses other than files. */
const MAX_OTHER_BYTES = 64e6;

export class HubExchange {
  #failure: HubFailure | UserError | undefined;
  #requests = 0;
  /** Whether files arrive as Xet chunks from now on. */
  #hasChunks = false;
  #fileBytes = 0;
  #otherBytes = 0;
  readonly #ending = new AbortController();
  readonly #signal: AbortSignal;
  /** Ends the exchange if no data arrives for a while. */
  readonly #silence: NodeJS.Timeout;

  constructor(
    private readonly hub: Hub,
    signal: AbortSignal,
    private readonly limits: ExchangeLimits,
  ) {
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
    this.#silence = setTimeout(() => {
      this.#failure ??= new HubFailure('no data arrived');
      this.#ending.abort(this.#failure);
    }, hub.stallMs);
  }

  /** Aborts if the caller cancels the exchange, if no data arrives, and at the end of the exchange. */
  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Fetch function for the library, which calls it without `this`. Rejects unless the response is a success. */
  readonly request: LibraryFetch = async (input, init) => {
    // Throws for an invalid link, which the library can take from a response of the Hub.
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    const isFile = !headers.has('accept') && !headers.has('authorization');
    // After an error response, sends nothing more: the library retries immediately, even if a host asks for a pause.
    if (this.#failure instanceof HubFailure && this.#failure.status !== undefined) throw this.#failure;
    try {
      this.#requests += 1;
      if (this.#requests > (this.limits.requests ?? Infinity))
        throw HubFailure.unusable('an oversized answer');
      const request = { url, headers, isFile };
      return this.#limited(request, await this.#send(request));
    } catch (error) {
      throw this.#recordFailure(error);
    }
  };

  /** First failure of this exchange; undefined if there is none. */
  get failure(): HubFailure | UserError | undefined {
    return this.#failure;
  }

  /** Closes all connections of the exchange. */
  end(): void {
    clearTimeout(this.#silence);
    this.#ending.abort(new HubFailure('ended'));
  }

  /** Records the first failure of the exchange; returns the error to throw. */
  #recordFailure(error: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    const isExplained = error instanceof HubFailure || error instanceof UserError;
    this.#failure ??= isExplained ? error : new HubFailure(networkWords(error));
    return this.#failure;
  }

  /** Sends a request and follows its redirects. Throws HubFailure unless the last response is a success. */
  async #send({ url: first, headers: libraryHeaders }: HubRequest): Promise<Response> {
    const { protocol } = new URL(this.hub.endpoint);
    let url = first;
    for (let redirects = 0; ; redirects += 1) {
      // An unencrypted redirect could lead to a program on this machine, for instance.
      if (url.protocol !== 'https:' && url.protocol !== protocol)
        throw HubFailure.unusable(`an address with ${url.protocol}`);
      const headers = this.#headers(url, libraryHeaders, url.origin === first.origin);
      const response = await this.hub.fetch(url.href, { headers, signal: this.#signal, redirect: 'manual' });
      this.#silence.refresh();
      const next = response.headers.get('location');
      const isRedirect = next !== null && REDIRECTS.includes(response.status);
      if (response.ok) return response;
      void response.body?.cancel().catch(() => undefined);
      if (!isRedirect) throw HubFailure.ofAnswer(response, url, this.hub);
      if (redirects === MAX_REDIRECTS) throw HubFailure.unusable('too many redirects');
      if (!URL.canParse(next, url.href)) throw HubFailure.unusable('a redirect to an invalid address');
      url = new URL(next, url);
    }
  }

  /** Builds the headers. `authorization` from the library is a token for a file store, which no other host gets. */
  #headers(url: URL, libraryHeaders: Headers, isFirstHost: boolean): Record<string, string> {
    const { authorization, ...rest } = Object.fromEntries(libraryHeaders);
    const { endpoint, token } = this.hub;
    const headers = { 'accept-encoding': 'identity', 'user-agent': 'flashline', ...rest };
    if (authorization !== undefined) return isFirstHost ? { ...headers, authorization } : headers;
    const isHub = url.origin === new URL(endpoint).origin;
    return isHub && token !== undefined ? { ...headers, authorization: `Bearer ${token}` } : headers;
  }

  /** Returns the response with a body that is counted and limited, and that begins at the requested offset. */
  #limited({ headers, isFile }: HubRequest, response: Response): Response {
    const { body, status } = response;
    // After this response, the library requests the file from a Xet store.
    if (response.headers.get('content-type')?.includes(XET_FILE_INFO)) this.#hasChunks = true;
    if (body === null) throw new HubFailure('an answer without content');
    const from = Number(/^bytes=(\d+)-\d+$/.exec(headers.get('range') ?? '')?.[1] ?? 0);
    if (isFile && status === 206 && startsElsewhere(response, from))
      throw new HubFailure('a part other than requested');
    // A host that does not support ranges sends the whole file.
    let bytesToSkip = isFile && status !== 206 ? from : 0;
    const isChunks = isFile && this.#hasChunks && headers.has('range');
    const chunkLimit = isChunks ? new ChunkLimit(boundaryOf(response)) : undefined;
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const limited = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            this.#silence.refresh();
            if (done) {
              controller.close();
              return;
            }
            this.#count(value.length, isFile);
            chunkLimit?.read(value);
            const skipped = Math.min(bytesToSkip, value.length);
            bytesToSkip -= skipped;
            controller.enqueue(value.subarray(skipped));
          } catch (error) {
            controller.error(this.#recordFailure(error));
          }
        },
        cancel: async (reason) => await reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(limited, { status, headers: response.headers });
  }

  /** Counts bytes that have arrived. Throws HubFailure above the limits. */
  #count(bytes: number, isFile: boolean): void {
    if (isFile) {
      this.#fileBytes += bytes;
      this.limits.onBytes?.(this.#fileBytes);
    } else this.#otherBytes += bytes;
    if (this.#otherBytes > MAX_OTHER_BYTES || this.#fileBytes > this.limits.fileBytes)
      throw HubFailure.unusable('an oversized answer');
  }
}

/** Returns whether a response does not start at `from`. A multipart body states the offsets of its parts itself. */
function startsElsewhere(response: Response, from: number): boolean {
  if (isMultipart(response)) return false;
  const { headers } = response;
  const start = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1];
  return start === undefined || Number(start) !== from;
}

function isMultipart({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('multipart/') ?? false;
}

/** Returns the boundary between the parts of a multipart body, as the library reads it; undefined for other bodies. */
function boundaryOf(response: Response): string | undefined {
  if (!isMultipart(response)) return undefined;
  const type = response.headers.get('content-type') ?? '';
  const parameters = type.split(';').map((part) => part.trim());
  const named = parameters.find((parameter) => /^boundary=/i.test(parameter));
  return named?.slice('boundary='.length).replace(/^"|"$/g, '') ?? '';
}
