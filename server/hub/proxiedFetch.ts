// Exchanges through a proxy, which Node 20's fetch cannot do: a tunnel for https, the whole address for http. Which proxy
// that is the environment says. Takes of a request what this program sends: headers and a signal.
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect as secure } from 'node:tls';
import { InputError } from '../inputError';

/** The answer as fetch gives it; redirects are not followed. A proxy that refuses is a failure of the network. */
export async function proxiedFetch(proxy: URL, url: URL, init: RequestInit = {}): Promise<Response> {
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  const headers = { ...Object.fromEntries(new Headers(init.headers)), host: url.host };
  if (url.protocol !== 'https:') {
    const through = { ...addressOf(proxy), path: url.href, headers: { ...headers, ...credentials(proxy) } };
    return await answer(protocolOf(proxy), { ...through, signal });
  }
  const tunnel = await openTunnel(proxy, url, signal);
  const socket = secure({ socket: tunnel, servername: url.hostname });
  const direct = { path: url.pathname + url.search, headers, createConnection: () => socket };
  // What was secured on the way is spoken to plainly.
  return await answer(http, { ...direct, signal });
}

type Protocol = Pick<typeof http, 'request'>;

function protocolOf({ protocol }: URL): Protocol {
  return protocol === 'https:' ? https : http;
}

function answer(protocol: Protocol, options: RequestOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = protocol.request(options, (message) => resolve(responseOf(message)));
    request.once('error', reject);
    request.end();
  });
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode = 502, headersDistinct } = message;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const empty = [204, 205, 304].includes(statusCode);
  if (empty) message.resume();
  return new Response(empty ? null : bytesOf(message), { status: statusCode, headers });
}

/** Node's own conversion is of a type that DOM and Node declare apart. */
function bytesOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(message) as ReadableStream<Uint8Array>;
}

function openTunnel(proxy: URL, { hostname, port }: URL, signal: AbortSignal | undefined): Promise<Socket> {
  const target = `${hostname}:${port || '443'}`;
  return new Promise((resolve, reject) => {
    const request = protocolOf(proxy).request({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...credentials(proxy) },
      agent: false,
      signal,
    });
    request.once('error', reject);
    request.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} answered ${String(statusCode)}`));
    });
    request.end();
  });
}

function addressOf({ hostname, port, protocol }: URL): RequestOptions {
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port || (protocol === 'https:' ? 443 : 80) };
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

/**
 * Of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl reads them. Undefined goes there directly. Throws InputError for a proxy of a kind that
 * is not spoken.
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const of = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? '';
  const text = (of(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') || of('ALL_PROXY')).trim();
  if (text === '' || isExempt(url, of('NO_PROXY'))) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol)) return proxy;
  throw new InputError({
    expected: 'an http or https proxy in HTTPS_PROXY and HTTP_PROXY',
    got: proxy === undefined ? 'no address' : `one of ${proxy.protocol}`,
    remedy: 'correct the variable, or name the host in NO_PROXY',
  });
}

/** Names stand for themselves and what is below them; a port must be the same where there is one. */
function isExempt(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      const domain = name.replace(/^\*?\./, '');
      const named = url.hostname === domain || url.hostname.endsWith(`.${domain}`);
      return named && (onlyPort === undefined || onlyPort === port);
    });
}
