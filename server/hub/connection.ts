// The connection to the Hub or a mirror of it: its endpoint, its token and the proxy on the way. Knows neither
// repositories nor the cache.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EnvHttpProxyAgent } from 'undici';
import { InputError } from '../rules/inputError';
import { isPotentiallyTrustworthy, plainAddress } from '../rules/remoteAddress';

export type Fetch = (
  url: string,
  init: {
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly method?: 'GET' | 'POST';
    readonly body?: string;
    readonly redirect?: 'manual';
  },
) => Promise<Response>;

/** Resolves after the given milliseconds, or at once when the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export interface HubConnection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent only to the origin of the endpoint, and never part of a message. None goes out without encryption. */
  readonly token: string | undefined;
  readonly fetch: Fetch;
  readonly wait: Wait;
  /** An exchange in which nothing arrives for this long is aborted and retried. */
  readonly stallMs: number;
}

const HUGGING_FACE = 'https://huggingface.co';
const STALL_MS = 30_000;

interface HubOptions {
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Without an endpoint that of the environment, else huggingface.co; without a token that of the environment or of another
 * tool's login. Opens nothing. Throws InputError for an invalid endpoint or token.
 */
export function hubConnection({ env = process.env, ...given }: HubOptions = {}): HubConnection {
  const endpoint = parseEndpoint(given.endpoint ?? firstOf([env['HF_ENDPOINT']]) ?? HUGGING_FACE);
  const token = hubToken(given.token, env);
  return {
    endpoint,
    token: isPotentiallyTrustworthy(new URL(endpoint)) ? token : undefined,
    fetch: fetchBy(env),
    wait: async (milliseconds, signal) =>
      await pause(milliseconds, undefined, signal && { signal }).catch(() => undefined),
    stallMs: STALL_MS,
  };
}

/**
 * undici is loaded at the first exchange, as few runs need one. The fetch of Node 20 does not support proxies. Throws
 * InputError then for a proxy that is none. With `connectMs`, a connection has to be made in that time, and its
 * certificate is checked whatever the environment says.
 */
export function fetchBy(env: NodeJS.ProcessEnv, connectMs?: number): Fetch {
  const connect = connectMs === undefined ? undefined : { timeout: connectMs, rejectUnauthorized: true };
  let dispatcher: EnvHttpProxyAgent | undefined;
  return async (url, init) => {
    const { EnvHttpProxyAgent, fetch } = await import('undici');
    dispatcher ??= new EnvHttpProxyAgent({
      ...proxies(env),
      // http requests go to the proxy directly, https requests through a tunnel.
      proxyTunnel: false,
      ...(connect && { connect, requestTls: connect, proxyTls: connect, connectTimeout: connect.timeout }),
    });
    return await fetch(url, { ...init, dispatcher });
  };
}

/** One request and its answer. */
interface Exchange {
  readonly send: (signal: AbortSignal) => Promise<Response>;
  /** Before any of the body is read. */
  readonly check: (response: Response) => unknown;
  readonly signal: AbortSignal;
  /** Nothing arrives for so long that the exchange is ended. */
  readonly silenceMs: number;
  /** The error to throw for one of the network. */
  readonly failed: (error: unknown, isSilent: boolean) => unknown;
}

/** The body of an answer, as it arrives. The connection ends with the last chunk that is read. */
export async function* arrivingChunks(exchange: Exchange): AsyncGenerator<Uint8Array, void, undefined> {
  const { send, check, signal, silenceMs, failed } = exchange;
  const ending = new AbortController();
  const silence = setTimeout(() => ending.abort(new Error('no data arrived')), silenceMs);
  const fail = (error: unknown): never => {
    throw failed(error, ending.signal.aborted);
  };
  try {
    const response = await send(AbortSignal.any([signal, ending.signal])).catch(fail);
    await check(response);
    const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
    for (;;) {
      silence.refresh();
      const read = await reader?.read().catch(fail);
      if (read === undefined || read.done) return;
      yield read.value;
    }
  } finally {
    clearTimeout(silence);
    // Closes the connection unless the answer has been read to its end.
    ending.abort();
  }
}

/** What a request failed of, in quotes. The error of fetch itself only says that it did. */
export function networkWords(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return networkWords(error.cause);
  const { code, message } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  // The codes of fetch (UND_ERR_...) say less than its messages.
  const plain = code?.startsWith('UND_') ? message : (code ?? message);
  return `"${plain ?? 'a network failure'}"`;
}

/** How long an answer asks to wait, from now: in seconds, or until a date. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}

/** Those of an environment, as undici takes them: an empty one is none. ALL_PROXY counts where neither is named. */
function proxies(env: NodeJS.ProcessEnv) {
  const of = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const [httpProxy, httpsProxy] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) =>
    proxyOf(of(name) || of('ALL_PROXY')),
  );
  const names = new Set([httpProxy, httpsProxy].filter((proxy) => proxy !== ''));
  const [{ username = '', password = '' } = {}] = [...names].map((proxy) => new URL(proxy ?? ''));
  // A login without a password, which undici does not send.
  const isBare = names.size === 1 && username !== '' && password === '';
  const token = `Basic ${Buffer.from(`${decodeURIComponent(username)}:`).toString('base64')}`;
  return {
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy: of('NO_PROXY'),
    ...(isBare && { token }),
  };
}

function proxyOf(text: string): string {
  if (text === '') return '';
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol)) return address;
  throw new InputError({
    expected: 'an http or https proxy in HTTPS_PROXY and HTTP_PROXY',
    got: proxy === undefined ? 'no valid address' : `one with ${proxy.protocol}`,
    remedy: 'correct the variable',
  });
}

function parseEndpoint(text: string): string {
  const url = plainAddress(text);
  if (url !== undefined) return url.href.replace(/\/+$/, '');
  throw new InputError({
    expected: 'an endpoint such as https://huggingface.co',
    // Without any password in it.
    got: URL.canParse(text) ? `one at ${new URL(text).protocol}//${new URL(text).host}` : `"${text}"`,
    remedy: 'give an http or https address without a user name, query or fragment',
    command: 'HF_ENDPOINT',
  });
}

/** A given token wins, then the environment, then the file that other tools write at login. Never part of a message. */
function hubToken(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const token = firstOf([given, env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN'], tokenFile(env)]);
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new InputError({
    expected: 'a Hugging Face token of printable ASCII characters',
    got: 'one with other characters',
    remedy: 'copy the token exactly as the Hub shows it',
  });
}

function tokenFile(env: NodeJS.ProcessEnv): string | undefined {
  const { HF_TOKEN_PATH, HF_HOME, XDG_CACHE_HOME } = env;
  const home = HF_HOME ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface');
  try {
    return readFileSync(HF_TOKEN_PATH ?? join(home, 'token'), 'utf8');
  } catch {
    return undefined;
  }
}

/** The first text that is not blank. */
function firstOf(texts: readonly (string | undefined)[]): string | undefined {
  return texts.map((text) => text?.trim()).find((text) => text !== undefined && text !== '');
}
