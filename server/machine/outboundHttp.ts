// Outbound HTTP: the proxies of this machine, answers as they arrive until they fall silent, and why there was none.
// Does not know who is asked.
import type { EnvHttpProxyAgent } from 'undici';
import { InputError } from '../rules/inputError';

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
  const [httpProxy = '', httpsProxy = ''] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) =>
    proxyOf(of(name) || of('ALL_PROXY')),
  );
  const [proxy, other] = new Set([httpProxy, httpsProxy].filter((each) => each !== ''));
  const { username, password } = new URL(proxy ?? 'http://none');
  // A login without a password, which undici does not send.
  const isBare = other === undefined && username !== '' && password === '';
  const token = `Basic ${Buffer.from(`${decodeURIComponent(username)}:`).toString('base64')}`;
  return { httpProxy, httpsProxy, noProxy: of('NO_PROXY'), ...(isBare && { token }) };
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
