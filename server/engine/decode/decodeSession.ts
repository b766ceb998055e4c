// One decode, from prompt to last token: an async iterable of committed chunks. It runs prefill passes and rounds, one
// per turn of the scheduler, and borrows its memory from the prompt cache. Consumers can stop reading at any chunk.
import { useDevice, type DeviceName } from '../../models/mlx/device';
import { giveTurns } from '../../models/mlx/evaluation';
import type { TargetModel } from '../../models/decoder/target';
import type { Tokenizer } from '../../models/text/tokenizer';
import { Counters } from '../counters';
import type { SpeculationPlan } from '../draftLength/speculation';
import type { PromptCache } from '../promptCache';
import { QueueTicket } from '../request/queueTicket';
import type { FinishReason } from '../request/stats';
import type { Sampler, TokenLogprobs } from '../sampling/sampler';
import type { Scheduler } from '../scheduler';
import { StopCriteria } from '../stopCriteria';
import type { Decode, DecodeChunk, DecodeRequest, DecodeResult } from './decode';
import type { DecodeMemory } from './decodeMemory';
import { prefill, prefillChunkRows } from './prefill';
import { runRound } from './round';
import { Stopwatch } from './stopwatch';

/** Everything that a decode runs on. */
interface DecodeParts extends SpeculationPlan {
  readonly target: TargetModel;
  readonly tokenizer: Tokenizer | undefined;
  readonly sampler: Sampler;
  /** Seed that reproduces the text; undefined when nothing is drawn at random. */
  readonly seed?: number | undefined;
  readonly device: DeviceName;
  readonly scheduler: Scheduler;
  /** Signals that end the decode, in addition to the request's own. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Called after each prefill pass. */
  readonly onPrefill?: ((tokens: number, ms: number) => void) | undefined;
}

/** Maximum number of prompt tokens that are read within the first round: so many rows cost little more than one. */
const MAX_ROWS_READ_IN_ROUND = 8;
/** Output tokens to allocate memory for at first. Most outputs end long before the limit of their request. */
const EXPECTED_TOKENS = 256;

export class DecodeSession implements Decode {
  /** A single generator: `finish` continues after chunks that were read, and leaving a `for await` loop ends it. */
  readonly #chunks = this.#scheduledSteps();
  readonly #tokens: number[] = [];
  readonly #logprobs: TokenLogprobs[] = [];
  readonly #stop: StopCriteria;
  readonly #counters: Counters;
  #finishReason: FinishReason | undefined;
  #prefillInRoundMs: number | undefined;

  /** `promptIds` are valid token ids, and `request.maxTokens` fits after them into the model's context. */
  constructor(
    private readonly parts: DecodeParts,
    private readonly promptIds: readonly number[],
    private readonly request: DecodeRequest,
    private readonly promptCache: PromptCache,
  ) {
    const { target, tokenizer, speculationOff, seed } = parts;
    this.#stop = new StopCriteria(request, target.config.eosTokenIds, tokenizer, promptIds);
    this.#counters = new Counters(promptIds.length, speculationOff, seed);
  }

  [Symbol.asyncIterator](): AsyncGenerator<DecodeChunk, void, undefined> {
    return this.#chunks;
  }

  async finish(): Promise<DecodeResult> {
    while (!(await this.#chunks.next()).done);
    return this.result;
  }

  /** Everything emitted so far and its cost; final once the iteration has ended. */
  get result(): DecodeResult {
    const finishReason = this.#finishReason ?? 'abandoned';
    return {
      tokenIds: [...this.#tokens],
      text: this.parts.tokenizer ? this.#stop.text : null,
      ...(this.#logprobs.length > 0 && { logprobs: [...this.#logprobs] }),
      acceptanceLengths: this.#counters.rounds.map(({ tokens }) => tokens.length),
      finishReason,
      stats: this.#counters.stats(finishReason),
      prefillInRoundMs: this.#prefillInRoundMs,
    };
  }

  /** Waits for a turn before each step. A chunk is committed before it is yielded, so stopping is always safe. */
  async *#scheduledSteps(): AsyncGenerator<DecodeChunk, void, undefined> {
    const steps = this.#steps();
    const { scheduler, device } = this.parts;
    const { ticket = new QueueTicket(this.request.kind) } = this.request;
    try {
      for (;;) {
        const queuedAt = performance.now();
        const release = await scheduler.acquire(ticket);
        useDevice(device);
        this.#counters.queuedMs += performance.now() - queuedAt;
        const step = await steps.next().finally(release);
        if (step.done) return;
        if (step.value) yield step.value;
      }
    } finally {
      await steps.return();
    }
  }

  /**
   * Runs the decode, one prefill pass or round per step; a pass within the prompt yields undefined. The memory is
   * returned before the last chunk is yielded, so that a request that waits for this one finds it in the prompt cache.
   */
  async *#steps(): AsyncGenerator<DecodeChunk | undefined, void, undefined> {
    if (!this.#hasEnded()) {
      const memory = this.#acquireMemory();
      let lastChunk: DecodeChunk | undefined;
      try {
        for (;;) {
          lastChunk = await this.#step(memory);
          await giveTurns();
          if (this.#hasEnded()) break;
          yield lastChunk;
          lastChunk = undefined;
          if (this.#hasEnded()) break;
        }
      } finally {
        this.#finishReason ??= 'abandoned';
        this.promptCache.release(memory);
      }
      if (lastChunk) yield lastChunk;
    }
    const heldText = this.#stop.flush();
    if (heldText !== '') yield { tokens: [], text: heldText };
  }

  #acquireMemory(): DecodeMemory {
    const expectedRows = this.promptIds.length + Math.min(this.request.maxTokens, EXPECTED_TOKENS);
    const tokens = () => [...this.promptIds, ...this.#tokens];
    const memory = this.promptCache.acquire(this.promptIds, this.parts.drafters, expectedRows, tokens);
    this.#counters.reusedTokens = memory.length;
    return memory;
  }

  async #step(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const unread = this.promptIds.length - memory.length;
    // With most of the prompt cached, its last tokens are read in the pass that verifies the first drafts.
    const isRound = unread <= (this.#counters.reusedTokens > 0 ? MAX_ROWS_READ_IN_ROUND : 0);
    try {
      const chunk = await (isRound ? this.#round(memory) : this.#prefill(memory));
      if (chunk) this.#record(chunk);
      this.#requireLength(memory, chunk);
      return chunk;
    } catch (error) {
      // A failed step leaves the memory in an unknown state.
      memory.dispose();
      throw error;
    }
  }

  async #prefill(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const { sampler, target, device, onPrefill } = this.parts;
    const stopwatch = new Stopwatch();
    const before = memory.length;
    const step = { memory, promptIds: this.promptIds, rows: prefillChunkRows(target.config, device) };
    const firstChunk = await prefill(step, sampler, this.#stop);
    const ms = stopwatch.lap();
    this.#counters.prefillMs += ms;
    onPrefill?.(memory.length - before, ms);
    return firstChunk;
  }

  async #round(memory: DecodeMemory): Promise<DecodeChunk> {
    const { sampler, policy } = this.parts;
    const { confidenceThreshold, promptLookupText } = this.request;
    const uncached = [...this.promptIds.slice(memory.length), ...this.#tokens.slice(-1)];
    const context = { history: [...this.promptIds, ...this.#tokens], position: this.#tokens.length };
    const stopwatch = new Stopwatch();
    const start = {
      memory,
      uncached,
      sampler,
      context,
      promptLookupText,
      confidenceThreshold,
      stopwatch,
    };
    const chunk = await runRound(start, policy, this.#stop);
    if (this.#tokens.length === 0) {
      const { verifyMs, drafted } = chunk.round;
      this.#prefillInRoundMs = (verifyMs * uncached.length) / (uncached.length + drafted);
    }
    return chunk;
  }

  #record({ tokens, logprobs = [], round }: DecodeChunk): void {
    this.#tokens.push(...tokens);
    this.#logprobs.push(...logprobs);
    this.#counters.count(tokens.length, round);
    this.#finishReason = this.#stop.finishReason;
  }

  /** Returns whether the output is complete or one of the signals has ended it. */
  #hasEnded(): boolean {
    const aborted = [this.request.signal, ...this.parts.signals].find((signal) => signal?.aborted);
    if (aborted) this.#finishReason ??= aborted.reason === 'superseded' ? 'superseded' : 'cancelled';
    return this.#finishReason !== undefined;
  }

  /** Checks the memory rule: after a token, all memories hold every committed token but the last. */
  #requireLength(memory: DecodeMemory, chunk: DecodeChunk | undefined): void {
    const length = this.promptIds.length + this.#tokens.length - 1;
    if (chunk === undefined || memory.length === length) return;
    throw new Error(`Expected memories of ${String(length)} tokens, got ${String(memory.length)}`);
  }
}
