// The address of a remote engine: checked alike where a person gives it, where consent is asked, and where it is used.
// Also which addresses may be sent a secret.

export interface RemoteAddress {
  /** What consent and the API key belong to: scheme, host and port. */
  readonly origin: string;
  /** Host and port, as shown. */
  readonly host: string;
  /** Without a slash at its end; the paths of the API, such as /completions, follow it. */
  readonly api: string;
  /** Whether it is this machine, as through a tunnel. */
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
}

/** What the status names for a llama-server that Flashline has started itself. No host has a blank in its name. */
export const LLAMA_CPP = 'llama.cpp (local)';

/** Whether the host of a status is such a server: what it is sent stays on this machine. */
export function isStartedHere(host: string | undefined): boolean {
  return host === LLAMA_CPP;
}

/** Whether a person names a llama-server in the place of an address, by its name or path: it is started here. */
export function isProgram(text = ''): boolean {
  return /^(\/(.*\/)?)?llama-server[\w.-]*$/.test(text);
}

/** Undefined unless it is a plain address. `/v1` may be left out. */
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

/** Undefined unless it is an http or https address without a user name, password, query or fragment. */
export function plainAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return [url.username, url.password, url.search, url.hash].every((part) => part === '') ? url : undefined;
}

/** Whether what is sent there can be read on the way by nobody else: it is encrypted, or stays on this machine. */
export function isPotentiallyTrustworthy(url: URL): boolean {
  return isEncrypted(url) || isLoopback(url);
}

function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:';
}
