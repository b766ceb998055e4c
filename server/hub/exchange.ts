// Exchanges with the hub: one question with the redirects after it, ended when nothing arrives any more, and tried again
// when it fails in passing. The token goes to the hub's own origin and nowhere else. Knows not what is exchanged.
import type { HubConnection } from './connection';
import { explain, Failure } from './hubError';

export interface Question {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly response: Response;
  /** Of the body, as they arrive. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Whether the hub itself gave it, and not a host that it sent us to. */
  readonly ofHub: boolean;
}

const MOST_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

const MOST_FAILURES = 6;
const FIRST_PAUSE_MS = 500;
/** Nobody watches a download that stands still for longer. */
const LONGEST_PAUSE_MS = 120_000;

/**
 * Tries again with a pause that doubles, until nothing has arrived for some tries; `attempt` tells when something has.
 * Throws InputError for a failure that stays, and whatever else the attempt throws at once.
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
      const pause = error.facts.retryAfterMs ?? FIRST_PAUSE_MS * 2 ** (failures - 1);
      if (!error.isPassing || failures >= MOST_FAILURES || pause > LONGEST_PAUSE_MS)
        throw explain(connection, repository, error);
      await connection.wait(pause, signal);
    }
  }
}

/** Of any status. Throws Failure when the network fails or is silent, and the reason of the signal when it aborts. */
export async function exchange<T>(
  connection: HubConnection,
  question: Question,
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const silence = new Silence(connection.stallMs, question.signal);
  let body: ReadableStream<Uint8Array> | null = null;
  try {
    const { response, ofHub } = await silence.of(send(connection, { ...question, signal: silence.signal }));
    body = response.body;
    return await read({ response, ofHub, chunks: chunksOf(response, silence) });
  } finally {
    silence.end();
    // Also when the disk fails: nobody reads on. A reader cancels by itself.
    void body?.cancel().catch(() => undefined);
  }
}

/** Rejects when the network fails. Statuses are answers. */
async function send(
  { endpoint, token, fetch }: HubConnection,
  { url: first, headers, signal }: Question,
): Promise<Pick<Answer, 'response' | 'ofHub'>> {
  let url = new URL(first);
  for (let i = 0; i <= MOST_REDIRECTS; i++) {
    const ofHub = url.origin === new URL(endpoint).origin;
    const own = { 'accept-encoding': 'identity', 'user-agent': 'flashline', ...headers };
    const response = await fetch(url.href, {
      headers: ofHub && token !== undefined ? { ...own, authorization: `Bearer ${token}` } : own,
      redirect: 'manual',
      signal,
    });
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || location === null) return { response, ofHub };
    void response.body?.cancel().catch(() => undefined);
    url = new URL(location, url);
    if (!/^https?:$/.test(url.protocol)) throw new Error(`a redirect to ${url.protocol}`);
  }
  throw new Error(`more than ${String(MOST_REDIRECTS)} redirects`);
}

async function* chunksOf({ body }: Response, silence: Silence): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (;;) {
      const { done, value } = await silence.of(reader.read());
      if (done) return;
      silence.renew();
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Aborts an exchange on which nothing arrives for so long, or which nobody wants any more. */
class Silence {
  readonly signal: AbortSignal;
  readonly #silent = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly outer: AbortSignal,
  ) {
    this.signal = AbortSignal.any([outer, this.#silent.signal]);
    this.renew();
  }

  /** Something has arrived. */
  renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silent.abort(new Error('nothing came')), this.milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Work of the network: what it throws is a failure. Settles when the signal aborts at the latest: now and then fetch
   * on Node 20 forgets a reader that is aborted.
   */
  async of<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    // What fails after the end is of no interest.
    work.catch(() => undefined);
    let abort: () => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(new Error('nothing came', { cause: signal.reason }));
      signal.addEventListener('abort', abort);
    });
    try {
      signal.throwIfAborted();
      return await Promise.race([work, aborted]);
    } catch (error) {
      this.outer.throwIfAborted();
      throw Failure.ofNetwork(error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
