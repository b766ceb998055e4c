// Exchanges with the Hub over HTTP: retried, ended when nothing arrives, with a token for the Hub alone, and no further
// than the Hub may lead: to no address without encryption. Does not know what is exchanged.
import { arrivingChunks, networkWords } from '../machine/outboundHttp';
import { InputError } from '../rules/inputError';
import type { HubConnection } from './connection';
import { explain, Failure } from './downloadError';

export interface Question {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const MOST_FAILURES = 6;
const MOST_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const FIRST_PAUSE_MS = 500;
/** Nobody watches a download that stands still for longer. */
const LONGEST_PAUSE_MS = 120_000;

/**
 * Retries with a pause that doubles, until several attempts in a row came no further; `arrived` are the bytes that are
 * there. Throws InputError for a failure that persists, and anything else that the attempt throws at once.
 */
export async function insist<T>(
  connection: HubConnection,
  repository: string,
  signal: AbortSignal,
  attempt: () => Promise<T>,
  arrived: () => number = () => 0,
): Promise<T> {
  let [failures, furthest] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const bytes = arrived();
      failures = bytes > furthest ? 1 : failures + 1;
      furthest = Math.max(furthest, bytes);
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (failures - 1);
      if (!error.isPassing || failures >= MOST_FAILURES || pause > LONGEST_PAUSE_MS)
        throw explain(connection, repository, error);
      await connection.wait(pause, signal);
    }
  }
}

/**
 * The body of an answer in chunks. `check` sees the answer before, whatever its status. Throws Failure when the network
 * fails or is silent or an address is refused, and the signal's reason on abort.
 */
export function exchange(
  connection: HubConnection,
  question: Question,
  check: (response: Response) => unknown,
): AsyncIterable<Uint8Array> {
  const { signal } = question;
  return arrivingChunks({
    send: async (ending) => await send(connection, { ...question, signal: ending }),
    check,
    signal,
    silenceMs: connection.stallMs,
    failed: (error) => {
      if (error instanceof Failure || error instanceof InputError) return error;
      signal.throwIfAborted();
      return new Failure(networkWords(error));
    },
  });
}

/** A successful answer as it was read: no further than the chunk that brought `most` bytes. Retried. */
export async function firstBytes(
  connection: HubConnection,
  repository: string,
  question: Question,
  most: number,
): Promise<{ readonly bytes: Buffer; readonly headers: Headers }> {
  return await insist(connection, repository, question.signal, async () => {
    const parts: Uint8Array[] = [];
    let [read, headers] = [0, new Headers()];
    const check = (response: Response): void => {
      if (!response.ok) throw Failure.ofAnswer(response, connection);
      ({ headers } = response);
    };
    for await (const chunk of exchange(connection, question, check)) {
      parts.push(chunk);
      read += chunk.length;
      if (read >= most) break;
    }
    return { bytes: Buffer.concat(parts), headers };
  });
}

async function send(
  connection: HubConnection,
  { url: first, headers: given, signal }: Question,
): Promise<Response> {
  const { endpoint, token } = connection;
  const { origin, protocol } = new URL(endpoint);
  const own = { 'accept-encoding': 'identity', 'user-agent': 'flashline', ...given };
  let url = new URL(first);
  for (let redirects = 0; ; redirects += 1) {
    // A program on this machine, for instance, could otherwise be asked in the Hub's name.
    if (url.protocol !== 'https:' && url.protocol !== protocol)
      throw Failure.refused(`an address with ${url.protocol}`);
    const isKnown = token !== undefined && url.origin === origin;
    const headers = isKnown ? { ...own, authorization: `Bearer ${token}` } : own;
    const response = await connection.fetch(url.href, { headers, signal, redirect: 'manual' });
    const next = response.headers.get('location');
    if (next === null || !REDIRECTS.includes(response.status)) return response;
    void response.body?.cancel().catch(() => undefined);
    if (redirects === MOST_REDIRECTS) throw Failure.refused('too many redirects');
    if (!URL.canParse(next, url.href)) throw Failure.refused('a redirect to no address');
    url = new URL(next, url);
  }
}
