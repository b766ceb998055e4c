// One question to the hub with the redirects after it. The token goes to the hub's own origin and nowhere else.
import type { HubConnection } from './connection';

export interface Question {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly response: Response;
  /** Whether the hub itself gave it, and not a host that it sent us to. */
  readonly ofHub: boolean;
}

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Rejects when the network fails. Statuses are answers. */
export async function send(connection: HubConnection, question: Question): Promise<Answer> {
  const { endpoint, token, fetch } = connection;
  const { signal, method = 'GET' } = question;
  let url = new URL(question.url);
  for (let i = 0; i <= MOST_REDIRECTS; i++) {
    const ofHub = url.origin === new URL(endpoint).origin;
    const own = { 'accept-encoding': 'identity', 'user-agent': 'flashline', ...question.headers };
    const headers = ofHub && token !== undefined ? { ...own, authorization: `Bearer ${token}` } : own;
    const response = await fetch(url.href, {
      method,
      headers,
      redirect: 'manual',
      ...(signal === undefined ? {} : { signal }),
    });
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null) return { response, ofHub };
    void response.body?.cancel().catch(() => undefined);
    url = new URL(location, url);
    if (!/^https?:$/.test(url.protocol)) throw new Error(`a redirect to ${url.protocol}`);
  }
  throw new Error(`more than ${String(MOST_REDIRECTS)} redirects`);
}
