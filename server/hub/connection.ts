// Where models come from: the connection to the hub or a mirror of it, the way there through a proxy, and who asks.
// Knows neither repositories nor the cache.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { InputError } from '../inputError';
import { proxiedFetch, proxyFor } from './proxiedFetch';

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
