// HTTP requests to the Hub and to remote engines, through the proxies of the environment.
import type { EnvHttpProxyAgent } from 'undici';
import { WrongValue } from '../rules/userError';

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
 * Returns a fetch that uses the proxies of an environment, which the fetch of Node 20 does not support. Loads undici
 * with the first request, since few runs need it; that request rejects with UserError for an invalid proxy. `connectMs`
 * limits the time to connect; with it, certificates are always checked, even if the environment turns that off.
 */
export function fetchBy(env: NodeJS.ProcessEnv, connectMs?: number): Fetch {
  const connect = connectMs === undefined ? undefined : { timeout: connectMs, rejectUnauthorized: true };
  let dispatcher: EnvHttpProxyAgent | undefined;
  return async (url, init) => {
    const { EnvHttpProxyAgent, fetch } = await import('undici');
    dispatcher ??= new EnvHttpProxyAgent({
      ...proxies(env),
      // Only https requests go through a tunnel.
      proxyTunnel: false,
      ...(connect && { connect, requestTls: connect, proxyTls: connect, connectTimeout: connect.timeout }),
    });
    return await fetch(url, { ...init, dispatcher });
  };
}

/** Returns the proxies of an environment as options of undici. ALL_PROXY applies where a protocol has no proxy. */
function proxies(env: NodeJS.ProcessEnv) {
  const variable = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  const [httpProxy = '', httpsProxy = ''] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) =>
    proxyOf(variable(name) || variable('ALL_PROXY')),
  );
  const [proxy, secondProxy] = new Set([httpProxy, httpsProxy].filter((address) => address !== ''));
  // The address in place of a missing proxy has no login.
  const { username, password } = new URL(proxy ?? 'http://localhost');
  // undici does not send a user name without a password, so it goes into a token, which undici sends to both proxies.
  const needsToken = secondProxy === undefined && username !== '' && password === '';
  const token = `Basic ${Buffer.from(`${decodeURIComponent(username)}:`).toString('base64')}`;
  return { httpProxy, httpsProxy, noProxy: variable('NO_PROXY'), ...(needsToken && { token }) };
}

function proxyOf(text: string): string {
  if (text === '') return '';
  const address = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  const isHttp = proxy !== undefined && /^https?:$/.test(proxy.protocol);
  if (isHttp && hasReadableLogin(proxy)) return address;
  const problem = isHttp ? 'a login in which % is not written as %25' : `one with ${String(proxy?.protocol)}`;
  throw new WrongValue({
    expected: 'an http or https proxy in HTTPS_PROXY, HTTP_PROXY and ALL_PROXY',
    got: proxy === undefined ? 'an invalid address' : problem,
    remedy: 'correct the variable',
  });
}

/** Returns whether undici can decode user name and password. */
function hasReadableLogin({ username, password }: URL): boolean {
  try {
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
