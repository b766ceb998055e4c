// Parses the address of a remote engine, with the same rules for settings, consent and requests, and decides to which
// addresses a secret can be sent.

export interface RemoteAddress {
  /** Scheme, host and port: the scope of consent and API key. */
  readonly origin: string;
  /** Host and port, for display. */
  readonly host: string;
  /** URL below which the API has its paths, such as /completions; without a trailing slash. */
  readonly api: string;
  /** True for an address of this machine. A tunnel can lead from there to another machine. */
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
}

/** Host in the status of a llama-server that Flashline has started. No real host contains a blank. */
export const LLAMA_CPP = 'llama.cpp (local)';

/** Returns whether the host of a status is a llama-server that was started here: its text stays on this machine. */
export function isStartedHere(host: string | undefined): boolean {
  return host === LLAMA_CPP;
}

/** Returns whether a text is not an address but a llama-server to start here: its name, or a path from `/` or `~/`. */
export function isProgram(text = ''): boolean {
  return /^(~?\/(.*\/)?)?llama-server[\w.-]*$/.test(text);
}

/** Parses a plain address, with or without `/v1`; undefined for any other text. */
export function remoteAddress(text: string): RemoteAddress | undefined {
  const url = plainAddress(text);
  if (url === undefined) return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  return {
    origin: url.origin,
    host: url.host,
    api: `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`,
    isLoopback: isLoopback(url),
    isEncrypted: isEncrypted(url),
  };
}

/** Parses an http or https address without a user name, password, query or fragment; undefined for any other text. */
export function plainAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return [url.username, url.password, url.search, url.hash].every((part) => part === '') ? url : undefined;
}

/** Returns whether messages to the address are safe from eavesdroppers: encrypted, or within this machine. */
export function isPotentiallyTrustworthy(url: URL): boolean {
  return isEncrypted(url) || isLoopback(url);
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:';
}
