// Where models come from: the hub or a mirror of it, the way there through a proxy, and who asks.
// Knows neither repositories nor the cache.
import { InputError } from '../inputError';
import { hubToken } from './hubToken';
import { proxiedFetch } from './proxiedFetch';
import { proxyFor } from './proxyFor';

export type Fetch = typeof fetch;

/** Resolves after so many milliseconds, or at once when the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export interface HubConnection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent to the origin of the endpoint only, and part of no message. */
  readonly token: string | undefined;
  /** One exchange; redirects are not followed. */
  readonly fetch: Fetch;
  readonly wait: Wait;
  /** An exchange in which nothing arrives for so long is broken off and begun again. */
  readonly stallMs: number;
}

export interface HubOptions {
  /** Undefined takes the one of the environment, else huggingface.co. */
  readonly endpoint?: string | undefined;
  /** Undefined takes the one of the environment or of the login of other tools, if there is any. */
  readonly token?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly fetch?: Fetch;
  readonly wait?: Wait;
  readonly stallMs?: number;
}

const HUGGING_FACE = 'https://huggingface.co';
const STALL_MS = 30_000;

/** Opens nothing. Throws InputError for an endpoint, a token or a proxy that cannot be one. */
export function hubConnection(options: HubOptions = {}): HubConnection {
  const { env = process.env, wait = waitFor, stallMs = STALL_MS } = options;
  const endpoint = parseEndpoint(options.endpoint ?? nonEmpty(env['HF_ENDPOINT']) ?? HUGGING_FACE);
  const token = hubToken(options.token, env);
  return { endpoint, token, fetch: options.fetch ?? fetchBy(env), wait, stallMs };
}

export function hostOf({ endpoint }: HubConnection): string {
  return new URL(endpoint).host;
}

function fetchBy(env: NodeJS.ProcessEnv): Fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = proxyFor(url, env);
    return await (proxy === undefined ? fetch(input, init) : proxiedFetch(proxy, url, init));
  };
}

function parseEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = (at: URL): boolean => at.username === '' && at.search === '' && at.hash === '';
  if (url !== undefined && /^https?:$/.test(url.protocol) && isPlain(url))
    return url.href.replace(/\/+$/, '');
  throw new InputError({
    expected: 'an endpoint (HF_ENDPOINT) such as https://huggingface.co',
    // A password in it is nobody else's business.
    got: url === undefined ? `"${text}"` : `one of ${url.protocol}//${url.host}`,
    remedy: 'give an http or https address without a user, a query or a fragment',
  });
}

function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
  });
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
