// One decode, from prompt to last token: an async iterable of committed chunks. It folds prefill chunks and rounds into
// an output; it borrows the memory of what was read before and gives it back. Whoever reads it may stop at any chunk.
import type { DeviceName } from '../../models/mlx/device';
import { giveTurns } from '../../models/mlx/memory';
import type { TargetModel } from '../../models/decoder/target';
import type { Tokenizer } from '../../models/text/tokenizer';
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult } from './decode';
import type { DecodeMemory } from './decodeMemory';
import { StopCriteria } from '../stopCriteria';
import { turn } from '../scheduler';
import { QueuePlace } from '../request/queuePlace';
import { chunkRows, prefill } from './prefill';
import type { PromptCache } from '../promptCache';
import { round } from './round';
import type { Sampler, TokenLogprobs } from '../sampling/sampler';
import type { Speculating } from '../draftLength/speculation';
import type { FinishReason } from '../request/stats';
import { Stopwatch } from './draft';
import { Counters } from '../counters';

/** What decodes a request, and how: everything decided, nothing left to look up. */
export interface DecodeParts extends Speculating {
  readonly target: TargetModel;
  readonly tokenizer: Tokenizer | undefined;
  readonly sampler: Sampler;
  /** Of the sampler, to get the same text again; undefined when nothing is drawn at random. */
  readonly seed?: number | undefined;
  readonly device: DeviceName;
  /** Each ends the decode, like the request's own signal. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Told of each pass over the prompt. */
  readonly onPrefill?: ((tokens: number, ms: number) => void) | undefined;
}

/** This many rows cost little more than one. */
const READ_IN_ROUND = 8;

export class DecodeSession implements Decode {
  /** One generator, so a second reader continues where the first one stopped: usually at the end. */
  readonly #chunks = this.#inTurn();
  readonly #tokens: number[] = [];
  readonly #logprobs: TokenLogprobs[] = [];
  readonly #stop: StopCriteria;
  readonly #counters: Counters;
  #finishReason: FinishReason | undefined;
  #prefillInRoundMs: number | undefined;

  /** `promptIds` are checked against the vocabulary, and `request` leaves room for the prompt. */
  constructor(
    private readonly parts: DecodeParts,
    private readonly promptIds: readonly number[],
    private readonly request: DecodeRequest,
    private readonly promptCache: PromptCache,
  ) {
    const { target, tokenizer, speculationOff, seed } = parts;
    this.#stop = new StopCriteria(request, target.config.eosTokenIds, tokenizer, promptIds);
    this.#counters = new Counters(promptIds.length, { speculationOff, seed });
  }

  [Symbol.asyncIterator](): AsyncGenerator<DecodeChunk, void, undefined> {
    return this.#chunks;
  }

  async finish(): Promise<DecodeResult> {
    while (!(await this.#chunks.next()).done);
    return this.result;
  }

  /** Waits for its turn again for each step. Each chunk is committed before it is emitted, so stopping is always safe. */
  async *#inTurn(): AsyncGenerator<DecodeChunk, void, undefined> {
    const steps = this.#steps();
    const { place = new QueuePlace(this.request.kind) } = this.request;
    try {
      for (;;) {
        const askedAt = performance.now();
        const release = await turn(place, this.parts.device);
        this.#counters.queuedMs += performance.now() - askedAt;
        const step = await steps.next().finally(release);
        if (step.done) return;
        if (step.value) yield step.value;
      }
    } finally {
      await steps.return();
    }
  }

  /**
   * Runs the decode, one evaluation per step; a step inside the prompt emits nothing. The memory is given back before
   * the last chunk is emitted, so that a request that waits for this one finds it.
   */
  async *#steps(): AsyncGenerator<DecodeChunk | undefined, void, undefined> {
    if (!this.#hasEnded()) {
      const memory = this.#openMemory();
      let last: DecodeChunk | undefined;
      try {
        for (;;) {
          last = await this.#step(memory);
          await giveTurns();
          if (this.#hasEnded()) break;
          yield last;
          last = undefined;
          if (this.#hasEnded()) break;
        }
      } finally {
        this.#finishReason ??= 'abandoned';
        this.promptCache.release(memory);
      }
      if (last) yield last;
    }
    const rest = this.#stop.flush();
    if (rest !== '') yield { tokens: [], text: rest };
  }

  /** What was emitted and what it cost; final once the iteration has ended. */
  get result(): DecodeResult {
    const finishReason = this.#finishReason ?? 'abandoned';
    return {
      tokenIds: [...this.#tokens],
      text: this.parts.tokenizer ? this.#stop.text : null,
      ...(this.#logprobs.length > 0 && { logprobs: [...this.#logprobs] }),
      acceptanceLengths: this.#counters.rounds.map(({ tokens }) => tokens.length),
      finishReason,
      stats: this.#counters.finish(finishReason),
      prefillInRoundMs: this.#prefillInRoundMs,
    };
  }

  #openMemory(): DecodeMemory {
    const { drafters } = this.parts;
    const expectedRows = this.promptIds.length + this.request.maxTokens;
    const text = () => [...this.promptIds, ...this.#tokens];
    const memory = this.promptCache.acquire(this.promptIds, drafters, expectedRows, text);
    this.#counters.reusedTokens = memory.length;
    return memory;
  }

  async #step(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const uncached = this.promptIds.length - memory.length;
    // If all but a few tokens of the prompt are known, those are read together with the first drafts: one pass fewer.
    const isRead = uncached <= (this.#counters.reusedTokens > 0 ? READ_IN_ROUND : 0);
    try {
      const chunk = await (isRead ? this.#round(memory) : this.#prefill(memory));
      if (chunk) this.#fold(chunk);
      this.#requireLength(memory, chunk);
      return chunk;
    } catch (error) {
      // It is unknown how far it came.
      memory.dispose();
      throw error;
    }
  }

  async #prefill(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const { sampler, target, device, onPrefill } = this.parts;
    const watch = new Stopwatch();
    const before = memory.length;
    const rows = chunkRows(target.config, device);
    const first = await prefill(memory, this.promptIds, rows, sampler, this.#stop);
    const ms = watch.lap();
    this.#counters.prefillMs += ms;
    onPrefill?.(memory.length - before, ms);
    return first;
  }

  async #round(memory: DecodeMemory): Promise<DecodeChunk> {
    const { sampler, policy } = this.parts;
    const uncached = [...this.promptIds.slice(memory.length), ...this.#tokens.slice(-1)];
    // The history cannot differ from what was emitted: it is read from there.
    const at = { history: [...this.promptIds, ...this.#tokens], position: this.#tokens.length };
    const { confidenceThreshold, promptLookupText: related } = this.request;
    const start = { memory, uncached, sampler, at, related, confidenceThreshold, watch: new Stopwatch() };
    const chunk = await round(start, policy, this.#stop);
    const { verifyMs, drafted } = chunk.round ?? { verifyMs: 0, drafted: 0 };
    if (this.#tokens.length === 0)
      this.#prefillInRoundMs = (verifyMs * uncached.length) / (uncached.length + drafted);
    return chunk;
  }

  #fold({ tokens, logprobs = [], round }: DecodeChunk): void {
    this.#tokens.push(...tokens);
    this.#logprobs.push(...logprobs);
    this.#counters.count(tokens.length, round);
    this.#finishReason = this.#stop.finishReason;
  }

  /** Whether the output is complete or was cancelled. */
  #hasEnded(): boolean {
    const broken = [this.request.signal, ...this.parts.signals].find((signal) => signal?.aborted);
    if (broken) this.#finishReason ??= broken.reason === 'superseded' ? 'superseded' : 'cancelled';
    return this.#finishReason !== undefined;
  }

  /** The memory rule: after a token, all memories hold every committed one but the last. */
  #requireLength(memory: DecodeMemory, chunk: DecodeChunk | undefined): void {
    const length = this.promptIds.length + this.#tokens.length - 1;
    if (chunk === undefined || memory.length === length) return;
    throw new Error(`Expected memories of ${String(length)} tokens, got ${String(memory.length)}`);
  }
}
