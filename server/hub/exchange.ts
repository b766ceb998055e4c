// Exchanges with the Hub: one request and its redirects, aborted when nothing arrives any more and retried after a
// passing failure. The token goes to the Hub's own origin and nowhere else, and an encrypted Hub leads to no address
// without encryption. Does not know what is exchanged.
import { InputError } from '../rules/inputError';
import type { HubConnection } from './connection';
import { explain, Failure } from './hubError';

export interface Question {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly response: Response;
  /** Chunks of the body, as they arrive. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether it came from the Hub itself, and not from a host that the Hub redirected to. */
  readonly ofHub: boolean;
}

const MOST_FAILURES = 6;
const MOST_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** The status of what is not asked at all, so that nobody tries it again. */
const REFUSED = 400;
const FIRST_PAUSE_MS = 500;
/** Nobody watches a download that stands still for longer. */
const LONGEST_PAUSE_MS = 120_000;

/**
 * Retries with a pause that doubles, until several attempts in a row got nothing; `attempt` calls `arrived` when it got
 * something. Throws InputError for a failure that persists, and anything else that the attempt throws at once.
 */
export async function insist<T>(
  connection: HubConnection,
  repository: string,
  signal: AbortSignal,
  attempt: (arrived: () => void) => Promise<T>,
): Promise<T> {
  let failures = 0;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt(() => (failures = 0));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures += 1;
      const pause = error.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (failures - 1);
      if (!error.isPassing || failures >= MOST_FAILURES || pause > LONGEST_PAUSE_MS)
        throw explain(connection, repository, error);
      await connection.wait(pause, signal);
    }
  }
}

/** Any status is an answer. Throws Failure when the network fails or is silent, and the signal's reason on abort. */
export async function exchange<T>(
  connection: HubConnection,
  question: Question,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const silent = new AbortController();
  const silence = setTimeout(() => silent.abort(new Error('no data arrived')), connection.stallMs);
  const failed = (error: unknown): Failure => {
    question.signal.throwIfAborted();
    return Failure.ofNetwork(error);
  };
  const chunksOf = async function* ({ body }: Response): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body ?? []) {
        silence.refresh();
        yield chunk;
      }
    } catch (error) {
      // This is the network's: what a reader throws does not come here.
      throw failed(error);
    }
  };
  let body: ReadableStream<Uint8Array> | null = null;
  try {
    const signal = AbortSignal.any([question.signal, silent.signal]);
    const { response, ofHub } = await send(connection, { ...question, signal }).catch((error: unknown) => {
      throw error instanceof Failure || error instanceof InputError ? error : failed(error);
    });
    silence.refresh();
    body = response.body;
    return await read({ response, ofHub, chunks: chunksOf(response) });
  } finally {
    clearTimeout(silence);
    // Also when nobody has read it. A reader cancels on its own.
    void body?.cancel().catch(() => undefined);
  }
}

/** A body, no further than the chunk that brings `most` bytes. Throws Failure unless the answer is a success. */
export async function firstBytes({ response, ofHub, chunks }: Answer, most: number): Promise<Buffer> {
  if (!response.ok) throw Failure.ofAnswer(response, ofHub);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes >= most) break;
  }
  return Buffer.concat(parts);
}

/** Rejects when the network fails or an address is refused, not for a status. */
async function send(
  connection: HubConnection,
  question: Question,
): Promise<Pick<Answer, 'response' | 'ofHub'>> {
  const { origin, protocol } = new URL(connection.endpoint);
  let url = new URL(question.url);
  for (let redirects = 0; ; redirects += 1) {
    const ofHub = url.origin === origin;
    // A program on this machine, for instance, could otherwise be asked in the Hub's name.
    if (url.protocol !== 'https:' && url.protocol !== protocol)
      throw new Failure(`an address with ${url.protocol}`, REFUSED);
    const response = await ask(connection, question, url, ofHub);
    const next = response.headers.get('location');
    if (next === null || !REDIRECTS.includes(response.status)) return { response, ofHub };
    void response.body?.cancel().catch(() => undefined);
    if (redirects === MOST_REDIRECTS) throw new Failure('too many redirects', REFUSED);
    if (!URL.canParse(next, url.href)) throw new Failure('a redirect to no address', REFUSED);
    url = new URL(next, url);
  }
}

async function ask(
  { token, fetch }: HubConnection,
  { headers, signal }: Question,
  { href }: URL,
  ofHub: boolean,
): Promise<Response> {
  const own = { 'accept-encoding': 'identity', 'user-agent': 'flashline', ...headers };
  const known = ofHub && token !== undefined ? { ...own, authorization: `Bearer ${token}` } : own;
  return await fetch(href, { headers: known, signal, redirect: 'manual' });
}
