// Counters of requests and tokens for Prometheus. They contain no text of any request.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DecodeResult } from '../engine/decode/decode';
import type { Admission } from './admission';

/** Upper limits of the buckets of each histogram. */
const TTFT_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const PER_TOKEN_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export class Metrics {
  readonly registry = new Registry();
  readonly #requests = this.#counter('requests_total', 'Answered requests.', ['endpoint', 'status']);
  readonly #prompt = this.#counter('prompt_tokens_total', 'Prompt tokens, including reused ones.');
  readonly #reused = this.#counter('reused_tokens_total', 'Prompt tokens reused from the cache.');
  readonly #output = this.#counter('output_tokens_total', 'Tokens of outputs, end tokens included.');
  readonly #drafted = this.#counter('drafted_tokens_total', 'Verified draft tokens.', ['drafter']);
  readonly #accepted = this.#counter('accepted_tokens_total', 'Accepted draft tokens.', ['drafter']);
  readonly #firstToken = this.#histogram(
    'time_to_first_token_seconds',
    'Time from the start of a decode to its first token.',
    TTFT_SECONDS,
  );
  readonly #perToken = this.#histogram(
    'time_per_output_token_seconds',
    'Mean time per token after the first of an output.',
    PER_TOKEN_SECONDS,
  );
  #peakBytes = 0;

  constructor(admission: Admission) {
    this.#gauge('queue_length', 'Requests that wait for their turn.', () => admission.waiting);
    this.#gauge('running_requests', 'Requests that decode.', () => admission.running);
    this.#gauge('resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
    this.#gauge(
      'peak_memory_bytes',
      'Peak memory of the models, as of the last output.',
      () => this.#peakBytes,
    );
  }

  /** Counts an answered request. `endpoint` is the path of a route, or "other". */
  countRequest(endpoint: string, status: number): void {
    this.#requests.inc({ endpoint, status: String(status) });
  }

  /** Counts a decode with its tokens, drafts and times. */
  countDecode({ stats }: DecodeResult): void {
    const { promptTokens, reusedTokens, emittedTokens, roundTokens, decodeMs } = stats;
    this.#prompt.inc(promptTokens);
    this.#reused.inc(reusedTokens);
    this.#output.inc(emittedTokens);
    for (const { name: drafter, drafted, accepted } of stats.sources) {
      this.#drafted.inc({ drafter }, drafted);
      this.#accepted.inc({ drafter }, accepted);
    }
    if (emittedTokens > 0) this.#firstToken.observe(stats.timeToFirstTokenMs / 1000);
    if (roundTokens > 0) this.#perToken.observe(decodeMs / 1000 / roundTokens);
    this.#peakBytes = stats.peakMemoryBytes;
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name: `flashline_${name}`, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `flashline_${name}`, help, buckets, registers: [this.registry] });
  }

  #gauge(name: string, help: string, read: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(read());
    };
    new Gauge({ name: `flashline_${name}`, help, collect, registers: [this.registry] });
  }
}
