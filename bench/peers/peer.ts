// A server to compare: Flashline's or llama.cpp's, each in a separate process that gets requests over HTTP.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchBy } from '../../server/machine/outboundHttp';
import { freePort } from '../../server/remote/openRemote';

const POLL_MS = 100;
const LOAD_MS = 120_000;
const ANSWER_MS = 600_000;
/** Fetch function without a proxy. */
const fetchHere = fetchBy({});

export interface PeerProgram {
  readonly name: string;
  /** Number format of the weights in memory. */
  readonly weights: string;
  readonly program: string;
  /** Arguments, to which `--port N` is added. */
  readonly args: readonly string[];
}

/** A greedy completion. */
export interface Completion {
  readonly tokenIds: readonly number[];
  /** Time from the request to the first tokens. */
  readonly firstTokenMs: number;
  /** Time from the first tokens to the last one, and the count of tokens that arrived in that time. */
  readonly decodeMs: number;
  readonly decodedTokens: number;
}

/** The text around a cursor, and an additional text before it in the prompt. */
export interface Hole {
  readonly prefix: string;
  readonly suffix: string;
  readonly extra: string;
}

/** Fields of an answer of `/infill`, and of each event of a streamed `/completion`, that both programs send. */
interface Answer {
  readonly content: string;
  readonly tokens?: readonly number[];
}

export class Peer {
  private constructor(
    readonly name: string,
    readonly weights: string,
    private readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a server; resolves once it has loaded its model. */
  static async start({ name, weights, program, args }: PeerProgram): Promise<Peer> {
    const port = await freePort();
    const child = spawn(program, [...args, '--port', String(port)], { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    const peer = new Peer(name, weights, `http://127.0.0.1:${String(port)}`, child);
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`${program} ended with code ${String(code)} while loading; run it by hand to see why`);
    });
    await Promise.race([peer.#loaded(), failed]);
    failed.catch(() => undefined);
    return peer;
  }

  /** Returns the tokens that follow `promptIds`, without using the server's cache. */
  async complete(promptIds: readonly number[], maxTokens: number): Promise<Completion> {
    const body = { prompt: promptIds, n_predict: maxTokens, stream: true, cache_prompt: false };
    const startedAt = performance.now();
    const response = await this.#post('/completion', { ...body, return_tokens: true });
    if (response.body === null) throw new Error(`${this.name} answered /completion without a body`);
    const tokenIds: number[] = [];
    let firstAt = startedAt;
    let lastAt = startedAt;
    let first = 0;
    for await (const line of createInterface({ input: Readable.fromWeb(response.body) })) {
      if (!line.startsWith('data: {')) continue;
      const { tokens = [] } = JSON.parse(line.slice('data: '.length)) as Answer;
      if (tokens.length === 0) continue;
      lastAt = performance.now();
      if (first === 0) {
        firstAt = lastAt;
        first = tokens.length;
      }
      tokenIds.push(...tokens);
    }
    const decodedTokens = tokenIds.length - first;
    return { tokenIds, firstTokenMs: firstAt - startedAt, decodeMs: lastAt - firstAt, decodedTokens };
  }

  /** Returns the rest of the line at the cursor, and the time of the request. */
  async fillIn({ prefix, suffix, extra }: Hole, maxTokens: number): Promise<{ text: string; ms: number }> {
    const startedAt = performance.now();
    const response = await this.#post('/infill', {
      input_prefix: prefix,
      input_suffix: suffix,
      input_extra: [{ filename: 'notes.txt', text: extra }],
      n_predict: maxTokens,
      stop: ['\n'],
      cache_prompt: true,
    });
    const { content } = (await response.json()) as Answer;
    return { text: content, ms: performance.now() - startedAt };
  }

  /** Returns the resident memory of the process in MB, as reported by `ps`. */
  residentMb(): number {
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(this.child.pid)], { encoding: 'utf8' });
    return (1024 * Number(stdout)) / 1e6;
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  async #post(path: string, body: object): Promise<Response> {
    const response = await fetchHere(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, temperature: 0 }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (!response.ok) {
      const answer = await response.text();
      throw new Error(`${this.name} refused ${path} with status ${String(response.status)}: ${answer}`);
    }
    return response;
  }

  /** Resolves once `/health` answers that the model is loaded. */
  async #loaded(): Promise<void> {
    for (const end = performance.now() + LOAD_MS; performance.now() < end; await pause(POLL_MS)) {
      const health = await fetchHere(`${this.url}/health`, {
        headers: {},
        signal: AbortSignal.timeout(LOAD_MS),
      }).catch(() => undefined);
      if (health?.ok === true) return;
    }
    throw new Error(`${this.name} did not load in ${String(LOAD_MS)} ms; run it by hand to see why`);
  }
}
