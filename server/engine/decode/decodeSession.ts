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

/** The models, sampler, drafters and device of a decode, and its place in the scheduler. */
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
  readonly #chunks = this.#run();
  readonly #tokens: number[] = [];
  readonly #logprobs: TokenLogprobs[] = [];
  readonly #stop: StopCriteria;
  readonly #counters: Counters;
  readonly #ticket: QueueTicket;
  /** Borrowed from the prompt cache between the first turn and the last. */
  #memory: DecodeMemory | undefined;
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
    this.#ticket = request.ticket ?? new QueueTicket(request.kind);
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

  /** A chunk is committed before it is yielded, so stopping is always safe. */
  async *#run(): AsyncGenerator<DecodeChunk, void, undefined> {
    try {
      while (this.#finishReason === undefined) {
        const chunk = await this.#inTurn(() => this.#advance());
        if (chunk) yield chunk;
      }
    } finally {
      this.#finishReason ??= 'abandoned';
      this.#returnMemory();
    }
    const heldText = this.#stop.flush();
    if (heldText !== '') yield { tokens: [], text: heldText };
  }

  /** Waits for a turn on the device and does some work in it. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const queuedAt = performance.now();
    const release = await this.parts.scheduler.acquire(this.#ticket);
    try {
      useDevice(this.parts.device);
      this.#counters.queuedMs += performance.now() - queuedAt;
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Runs one prefill pass or round, unless the decode has ended; a pass within the prompt returns undefined. The memory
   * is returned in the turn that ends the decode, so that a request that waits for this one finds it in the prompt
   * cache.
   */
  async #advance(): Promise<DecodeChunk | undefined> {
    let chunk: DecodeChunk | undefined;
    if (!this.#hasEnded()) {
      this.#memory ??= this.#acquireMemory();
      chunk = await this.#step(this.#memory);
      await giveTurns();
    }
    if (this.#hasEnded()) this.#returnMemory();
    return chunk;
  }

  #acquireMemory(): DecodeMemory {
    const expectedRows = this.promptIds.length + Math.min(this.request.maxTokens, EXPECTED_TOKENS);
    const tokens = () => [...this.promptIds, ...this.#tokens];
    const memory = this.promptCache.acquire(this.promptIds, this.parts.drafters, expectedRows, tokens);
    this.#counters.reusedTokens = memory.length;
    return memory;
  }

  #returnMemory(): void {
    if (this.#memory) this.promptCache.release(this.#memory);
    this.#memory = undefined;
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
    const { confidenceThreshold, promptLookupIds } = this.request;
    const uncached = [...this.promptIds.slice(memory.length), ...this.#tokens.slice(-1)];
    const context = { history: [...this.promptIds, ...this.#tokens], position: this.#tokens.length };
    const stopwatch = new Stopwatch();
    const start = {
      memory,
      uncached,
      sampler,
      context,
      promptLookupIds,
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
