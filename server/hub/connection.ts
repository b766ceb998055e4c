// The connection to the Hub or a mirror of it: its endpoint and its token. Knows neither repositories nor the cache.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { huggingFaceHome } from '../machine/folders';
import type { Wait } from '../machine/isAlive';
import { fetchBy, type Fetch } from '../machine/outboundHttp';
import { InputError } from '../rules/inputError';
import { isPotentiallyTrustworthy, plainAddress } from '../rules/remoteAddress';

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
  try {
    return readFileSync(env['HF_TOKEN_PATH'] ?? join(huggingFaceHome(env), 'token'), 'utf8');
  } catch {
    return undefined;
  }
}

/** The first text that is not blank. */
function firstOf(texts: readonly (string | undefined)[]): string | undefined {
  return texts.map((text) => text?.trim()).find((text) => text !== undefined && text !== '');
}
