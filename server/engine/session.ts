// One decode, from prompt to last token: an async iterable of committed chunks. It borrows the memory of what was
// read before and gives it back; whoever reads it may stop at any chunk.
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import { tokenArray } from '../models/tokenArray';
import type { DecodeMemory } from './decodeMemory';
import type { DecodeRequest, Models } from './decodeRequest';
import type { DecodeChunk, DecodeResult } from './decodeResult';
import { NO_DRAFT, type DraftStart } from './draft';
import { Ending } from './ending';
import type { ResidentPrefixes } from './residentPrefixes';
import { commitRound, verdictOf, verifyRound, type Verdict } from './round';
import type { Pending, Place, TargetRows, TokenLogprobs } from './sampling/sampler';
import type { FinishReason, Round } from './stats';
import { Stopwatch } from './stopwatch';
import { Tally } from './tally';

/** Rows per prefill pass: large enough for full speed, small enough to be cancelled soon (node-mlx.md 6). */
const PREFILL_CHUNK = 256;

/** So many rows cost little more than one. */
const READ_IN_ROUND = 8;

export class DecodeSession implements AsyncIterable<DecodeChunk> {
  readonly #tokens: number[] = [];
  readonly #logprobs: TokenLogprobs[] = [];
  readonly #ending: Ending;
  readonly #tally: Tally;
  #finishReason: FinishReason | undefined;

  constructor(
    private readonly models: Models,
    private readonly request: DecodeRequest,
    private readonly residents: ResidentPrefixes,
  ) {
    const { promptIds, stopTokenIds = [], speculationOff, seed } = request;
    const endTokenIds = [...models.target.config.eosTokenIds, ...stopTokenIds];
    this.#ending = new Ending({ ...request, endTokenIds }, models.tokenizer);
    this.#tally = new Tally(promptIds.length, { speculationOff, seed });
  }

  /** Each chunk is committed before it is given out, so breaking off is always safe. */
  async *[Symbol.asyncIterator](): AsyncGenerator<DecodeChunk, void, undefined> {
    for await (const chunk of this.steps()) if (chunk) yield chunk;
  }

  /**
   * Runs the decode, one evaluation per step; a step inside the prompt has nothing to give out. The memory is given
   * back before the last chunk is given out, so that the request that waits for this one finds it.
   */
  async *steps(): AsyncGenerator<DecodeChunk | undefined, void, undefined> {
    if (!this.#hasEnded()) {
      const memory = this.#openMemory();
      let last: DecodeChunk | undefined;
      try {
        for (;;) {
          last = await this.#step(memory);
          if (this.#hasEnded()) break;
          yield last;
          last = undefined;
          if (this.#hasEnded()) break;
        }
      } finally {
        this.#finishReason ??= 'abandoned';
        this.#closeMemory(memory);
      }
      if (last) yield last;
    }
    const rest = this.#ending.flush();
    if (rest !== '') yield this.#chunk({ tokens: [], text: rest }, undefined);
  }

  /** What was given out and what it cost; final once the iteration has ended. */
  get result(): DecodeResult {
    const finishReason = this.#finishReason ?? 'abandoned';
    return {
      tokenIds: [...this.#tokens],
      text: this.models.tokenizer ? this.#ending.text : null,
      ...(this.#logprobs.length > 0 && { logprobs: [...this.#logprobs] }),
      acceptanceLengths: this.#tally.rounds.map(({ tokens }) => tokens.length),
      finishReason,
      stats: this.#tally.finish(finishReason),
    };
  }

  #openMemory(): DecodeMemory {
    const { promptIds, maxTokens, related = [] } = this.request;
    const memory = this.residents.open(promptIds, this.models.drafters, promptIds.length + maxTokens);
    memory.relate(related);
    this.#tally.reusedTokens = memory.length;
    return memory;
  }

  #closeMemory(memory: DecodeMemory): void {
    const { promptIds } = this.request;
    this.residents.close(memory, [...promptIds, ...this.#tokens], promptIds.length);
  }

  async #step(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const unread = this.request.promptIds.length - memory.length;
    // The end of a prompt that was known but for a few tokens is read with drafts behind it: one pass less.
    const isRead = unread <= (this.#tally.reusedTokens > 0 ? READ_IN_ROUND : 0);
    try {
      return await (isRead ? this.#round(memory) : this.#prefill(memory));
    } catch (error) {
      // Nobody knows how far it came.
      memory.dispose();
      throw error;
    }
  }

  /** Feeds the prompt's next chunk; the last one gives the first token. */
  async #prefill(memory: DecodeMemory): Promise<DecodeChunk | undefined> {
    const { promptIds } = this.request;
    const startedAt = performance.now();
    const from = memory.length;
    const chunk = promptIds.slice(from, from + PREFILL_CHUNK);
    const judged = scope(() => this.#prefillChunk(memory, chunk, from + chunk.length === promptIds.length));
    await settle(judged, memory.arrays());
    this.#requireLength(memory, from + chunk.length);
    const first = judged && verdictOf(judged.read(), []);
    dispose(judged);
    this.#tally.prefillMs += performance.now() - startedAt;
    return first && this.#first(first);
  }

  /** Only the last chunk reaches the head, and only with its last row. */
  #prefillChunk(
    memory: DecodeMemory,
    chunk: readonly number[],
    isLast: boolean,
  ): Pending<TargetRows> | undefined {
    const { target } = this.models;
    const ids = tokenArray(chunk, target.config.vocabSize);
    const { hidden, taps } = target.forward(ids, memory.caches, memory.taps);
    memory.commit(chunk, taps);
    if (!isLast) return undefined;
    const last = mx.slice(hidden, 1, chunk.length - 1, chunk.length);
    return this.request.sampler.judge(target.logits(last), NO_DRAFT, this.#place());
  }

  async #round(memory: DecodeMemory): Promise<DecodeChunk> {
    const { policy, promptIds, sampler } = this.request;
    const startedAt = performance.now();
    const watch = new Stopwatch();
    const unread = [...promptIds.slice(memory.length), ...this.#tokens.slice(-1)];
    const wanted: DraftStart['wanted'] = (drafts) => this.#ending.wanted(drafts);
    const start: DraftStart = { memory, unread, sampler, at: this.#place(), watch, wanted };
    const draft = await policy.draft(start, this.#room());
    const draftMs = watch.lap();
    const verified = await verifyRound(start, draft);
    const cut = this.#ending.cut(verified.tokens);
    commitRound(start, verified, cut.tokens.length);
    this.#requireLength(memory, promptIds.length + this.#tokens.length - 1 + cut.tokens.length);
    const verifyMs = watch.lap();
    policy.observe({
      rows: unread.length + draft.tokens.length,
      draft,
      accepted: verified.accepted,
      tokens: verified.tokens,
      draftMs,
      verifyMs,
    });
    const round = {
      source: draft.tokens.length > 0 ? draft.drafter?.name : undefined,
      drafted: draft.tokens.length,
      accepted: Math.min(verified.accepted, cut.tokens.length),
      tokens: cut.tokens,
      draftMs,
      verifyMs,
      buildMs: watch.buildMs,
    };
    this.#finishReason = cut.finishReason;
    const chunk = this.#chunk(cut, round, verified.logprobs);
    this.#tally.round(round, performance.now() - startedAt);
    return chunk;
  }

  /** For drafts. The last token of a full round is the target's own, so it needs none. */
  #room(): number {
    // A first token comes from prefill too, where the prompt was not known: the same seed is to give the same text.
    const isFirst = this.#tokens.length === 0;
    return isFirst && this.request.sampler.drawsDrafts ? 0 : this.#ending.remaining - 1;
  }

  #first({ tokens, logprobs }: Verdict): DecodeChunk {
    const cut = this.#ending.cut(tokens);
    this.#finishReason = cut.finishReason;
    this.#tally.firstToken();
    return this.#chunk(cut, undefined, logprobs);
  }

  #chunk(
    { tokens, text }: Pick<DecodeChunk, 'tokens' | 'text'>,
    round: Round | undefined,
    all?: readonly TokenLogprobs[],
  ): DecodeChunk {
    const logprobs = all?.slice(0, tokens.length);
    this.#tokens.push(...tokens);
    this.#logprobs.push(...(logprobs ?? []));
    return { tokens, text, round, ...(logprobs && { logprobs }) };
  }

  /** The history cannot differ from what was emitted: it is read from there. */
  #place(): Place {
    return { history: [...this.request.promptIds, ...this.#tokens], position: this.#tokens.length };
  }

  /** Whether the output is complete or has been broken off. */
  #hasEnded(): boolean {
    const { signal } = this.request;
    if (signal.aborted) this.#finishReason ??= signal.reason === 'superseded' ? 'superseded' : 'cancelled';
    return this.#finishReason !== undefined;
  }

  /** I1 and I2 of speculative-decoding.md: all memories hold every committed token but the last. */
  #requireLength(memory: DecodeMemory, length: number): void {
    if (memory.length === length) return;
    throw new Error(`Expected memories of ${String(length)} tokens, got ${String(memory.length)}`);
  }
}
