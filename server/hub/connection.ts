// Where models come from: the connection to the hub or a mirror of it, the way there through a proxy, and who asks.
// Knows neither repositories nor the cache.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import type { Agent } from 'undici';
import { InputError } from '../inputError';

export type Fetch = (
  url: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<Response>;

/** Resolves after so many milliseconds, or at once when the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

export interface HubConnection {
  /** Without a slash at its end. */
  readonly endpoint: string;
  /** Sent to the origin of the endpoint only, and part of no message. */
  readonly token: string | undefined;
  /** Follows redirects; to another origin without the token. */
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
  readonly wait?: Wait;
  readonly stallMs?: number;
}

const HUGGING_FACE = 'https://huggingface.co';
const STALL_MS = 30_000;

/** Opens nothing. Throws InputError for an endpoint, a token or a proxy that cannot be one. */
export function hubConnection(options: HubOptions = {}): HubConnection {
  const { env = process.env, wait = waitFor, stallMs = STALL_MS } = options;
  const endpoint = parseEndpoint(options.endpoint ?? firstOf([env['HF_ENDPOINT']]) ?? HUGGING_FACE);
  const token = hubToken(options.token, env);
  return { endpoint, token, fetch: fetchBy(env), wait, stallMs };
}

/** Loaded at the first exchange, as few starts of the program come to one. Node 20's own fetch knows no proxies. */
function fetchBy(env: NodeJS.ProcessEnv): Fetch {
  let dispatcher: Agent | undefined;
  return async (url, init) => {
    const { Agent, fetch, Pool, ProxyAgent } = await import('undici');
    dispatcher ??= new Agent({
      factory: (origin, options) => {
        const proxy = proxyFor(new URL(origin), env);
        if (proxy === undefined) return new Pool(origin, options);
        const { auth } = urlToHttpOptions(proxy);
        // Given, as a name without a password would be left out.
        const login = auth && { token: `Basic ${Buffer.from(auth).toString('base64')}` };
        // http goes to the proxy as it is, https through a tunnel.
        return new ProxyAgent({ uri: proxy.href, ...login, proxyTunnel: false });
      },
    });
    return await fetch(url, { ...init, dispatcher });
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

async function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}

/** What is given wins, then the environment, then the file that other tools write at a login. No message has it. */
function hubToken(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const token = firstOf([given, env['HF_TOKEN'], env['HUGGING_FACE_HUB_TOKEN'], tokenFile(env)]);
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new InputError({
    expected: 'an access token of printable characters',
    got: 'one with others',
    remedy: 'give the token as the hub shows it',
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

/** That is not blank. */
function firstOf(texts: readonly (string | undefined)[]): string | undefined {
  return texts.map((text) => text?.trim()).find((text) => text !== undefined && text !== '');
}

/**
 * Of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl reads them. Undefined goes there directly. Throws InputError for a
 * proxy of a kind that is not spoken.
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
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const own = port || (protocol === 'https:' ? '443' : '80');
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    const [, name = '', onlyPort = own] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    return entry === '*' || (name !== '' && onlyPort === own && `.${hostname}`.endsWith(`.${name}`));
  });
}
