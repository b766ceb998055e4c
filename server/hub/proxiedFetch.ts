// One HTTP exchange through a proxy, which Node 20's fetch cannot do: a tunnel for https, the whole address for http.
// Takes of a request what this program sends: method, headers, a text as body, a signal.
import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect as secure } from 'node:tls';

/** The answer as fetch gives it; redirects are not followed. A proxy that refuses is a failure of the network. */
export async function proxiedFetch(proxy: URL, url: URL, init: RequestInit = {}): Promise<Response> {
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  const { method = 'GET' } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  const body = typeof init.body === 'string' ? init.body : undefined;
  const own = { ...headers, host: url.host };
  if (url.protocol !== 'https:') {
    const through = { ...addressOf(proxy), path: url.href, headers: { ...own, ...credentials(proxy) } };
    return await answer({ ...through, method, signal }, proxy, body);
  }
  const tunnel = await openTunnel(proxy, url, signal);
  const socket = secure({ socket: tunnel, servername: url.hostname });
  const direct = { path: url.pathname + url.search, headers: own, createConnection: () => socket };
  return await answer({ ...direct, method, signal }, url, body);
}

function answer(options: RequestOptions, to: URL, body: string | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    // What was secured on the way is spoken to plainly.
    const ready = options.createConnection !== undefined || to.protocol === 'http:';
    const request = (ready ? http : https).request(options, (message) => resolve(responseOf(message)));
    request.once('error', reject);
    request.end(body);
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
    const request = (proxy.protocol === 'https:' ? https : http).request({
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
