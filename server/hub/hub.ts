// The Hub, or a mirror of it: its endpoint, the user's token, and the fetch function that reaches it. Knows neither
// repositories nor the cache.
import { setTimeout as pause } from 'node:timers/promises';
import type { Wait } from '../machine/lockFile';
import { fetchBy, type Fetch } from '../machine/outboundHttp';
import { WrongValue } from '../rules/userError';
import { isPotentiallyTrustworthy, plainAddress } from '../rules/remoteAddress';
import { firstText } from '../rules/firstText';
import { hubToken } from './hubToken';

const HUGGING_FACE = 'https://huggingface.co';
/** Default of `Hub.stallMs`. */
const STALL_MS = 30_000;

export interface HubOptions {
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  /** Environment with proxies, and the endpoint and login of other tools. */
  readonly env?: NodeJS.ProcessEnv;
  readonly fetch?: Fetch;
  readonly wait?: Wait;
  readonly stallMs?: number;
}

export class Hub {
  /** Address of the Hub, without a trailing slash. */
  readonly endpoint: string;
  /**
   * Token, sent only to the endpoint's origin and never part of a message. Undefined for an unencrypted endpoint on
   * another machine.
   */
  readonly token: string | undefined;
  readonly fetch: Fetch;
  /** Pauses before retries and between looks at a lock; tests replace it. */
  readonly wait: Wait;
  /** Time without data after which an exchange is aborted and retried. */
  readonly stallMs: number;

  /**
   * Takes a missing endpoint or token from the environment, or else uses huggingface.co and no token. Opens no
   * connection. Throws UserError for an invalid endpoint or token.
   */
  constructor({ env = process.env, ...given }: HubOptions = {}) {
    this.endpoint = parseEndpoint(firstText([given.endpoint, env['HF_ENDPOINT']]) ?? HUGGING_FACE);
    const token = hubToken(given.token, env);
    this.token = isPotentiallyTrustworthy(new URL(this.endpoint)) ? token : undefined;
    this.fetch = given.fetch ?? fetchBy(env);
    this.wait = given.wait ?? waitFor;
    this.stallMs = given.stallMs ?? STALL_MS;
  }

  get host(): string {
    return new URL(this.endpoint).host;
  }
}

async function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, signal && { signal }).catch(() => undefined);
}

function parseEndpoint(text: string): string {
  const url = plainAddress(text);
  if (url !== undefined) return url.href.replace(/\/+$/, '');
  throw new WrongValue({
    expected: 'an endpoint such as https://huggingface.co',
    // Only protocol and host, as the address can contain a password, also if it cannot be parsed.
    got: URL.canParse(text)
      ? `one at ${new URL(text).protocol}//${new URL(text).host}`
      : `"${text.replace(/^.*@/s, '***@')}"`,
    remedy: 'give an http or https address without a user name, query or fragment',
    command: 'HF_ENDPOINT',
  });
}
