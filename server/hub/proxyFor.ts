// Which proxy the environment names for an address: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as curl reads them.
import { InputError } from '../inputError';

/** Undefined goes there directly. Throws InputError for a proxy of a kind that is not spoken. */
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
