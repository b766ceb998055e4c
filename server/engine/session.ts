// One decode, from prompt to last token: an async iterable of committed chunks. It owns its caches; whoever
// reads it may stop at any chunk, and everything is freed.
import type { Drafter } from '../models/drafter';
import { dispose, scope, settle } from '../models/memory';
import * as mx from '../models/ops';
import type { TargetModel } from '../models/target';
import { tokenArray } from '../models/tokenArray';
import type { Tokenizer } from '../models/tokenizer';
import { Ending } from './ending';
import { commitRound, verifyRound, type DecodeState } from './round';
import type { FinishReason, RequestStats, Round, SpeculationOff } from './stats';
import { Tally } from './tally';

export interface Models {
  readonly target: TargetModel;
  readonly drafter: Drafter;
  readonly tokenizer: Tokenizer | undefined;
}

export interface DecodeRequest {
  /** Checked against the vocabulary before anything is computed. */
  readonly promptIds: readonly number[];
  /** Most tokens to give out, the end token included. */
  readonly maxTokens: number;
  /** Most drafts per round; fewer at the end of the output. */
  readonly draftLength: number;
  readonly speculationOff: SpeculationOff | undefined;
  readonly stopStrings: readonly string[];
  /** Aborting with the reason 'superseded' ends the request as superseded, any other as cancelled. */
  readonly signal: AbortSignal;
}

/** Tokens that have been committed, with the text that became certain. */
export interface DecodeChunk {
  readonly tokens: readonly number[];
  readonly text: string;
  /** Absent for the first token, which comes from prefill. */
  readonly round: Round | undefined;
}

export interface DecodeResult {
  readonly tokenIds: readonly number[];
  /** Null without a tokenizer. */
  readonly text: string | null;
  /** Tokens emitted per round, the correction or bonus included. */
  readonly acceptanceLengths: readonly number[];
  readonly finishReason: FinishReason;
  readonly stats: RequestStats;
}

/** Rows per prefill pass: large enough for full speed, small enough to be cancelled soon (node-mlx.md 6). */
const PREFILL_CHUNK = 256;

export class DecodeSession implements AsyncIterable<DecodeChunk> {
  readonly #tokens: number[] = [];
  readonly #ending: Ending;
  readonly #tally: Tally;
  #text = '';
  #finishReason: FinishReason | undefined;

  constructor(
    private readonly models: Models,
    private readonly request: DecodeRequest,
  ) {
    const { maxTokens, stopStrings, promptIds, speculationOff } = request;
    const { eosTokenIds } = models.target.config;
    this.#ending = new Ending({ maxTokens, stopStrings, eosTokenIds }, models.tokenizer);
    this.#tally = new Tally(promptIds.length, speculationOff);
  }

  /** Each chunk is committed before it is given out, so breaking off is always safe. */
  async *[Symbol.asyncIterator](): AsyncGenerator<DecodeChunk, void, undefined> {
    for await (const chunk of this.steps()) if (chunk) yield chunk;
  }

  /** Runs the decode, one evaluation per step; a step inside the prompt has nothing to give out. */
  async *steps(): AsyncGenerator<DecodeChunk | undefined, void, undefined> {
    const { target, drafter } = this.models;
    const rows = this.request.promptIds.length + this.request.maxTokens + this.request.draftLength;
    const state: DecodeState = { caches: target.newCaches(rows), draft: drafter.newState(target, rows) };
    try {
      const { promptIds } = this.request;
      for (let from = 0; from < promptIds.length; from += PREFILL_CHUNK) {
        if (this.#aborted()) break;
        yield await this.#prefill(state, from);
      }
      while (this.#finishReason === undefined && !this.#aborted()) yield await this.#round(state);
      const rest = this.#ending.flush();
      if (rest !== '') yield this.#chunk([], rest, undefined);
    } finally {
      this.#finishReason ??= 'abandoned';
      for (const cache of state.caches) cache.dispose();
      state.draft.dispose();
    }
  }

  /** What was given out and what it cost; final once the iteration has ended. */
  get result(): DecodeResult {
    const finishReason = this.#finishReason ?? 'abandoned';
    return {
      tokenIds: [...this.#tokens],
      text: this.models.tokenizer ? this.#text : null,
      acceptanceLengths: this.#tally.rounds.map(({ tokens }) => tokens.length),
      finishReason,
      stats: this.#tally.finish(finishReason),
    };
  }

  /** Feeds the prompt's next chunk; the last one gives the first token. */
  async #prefill(state: DecodeState, from: number): Promise<DecodeChunk | undefined> {
    const { promptIds } = this.request;
    const startedAt = performance.now();
    const chunk = promptIds.slice(from, from + PREFILL_CHUNK);
    const best = scope(() => this.#prefillChunk(state, chunk, from + chunk.length === promptIds.length));
    await settle(
      best,
      state.caches.map((cache) => cache.arrays()),
      state.draft.arrays(),
    );
    this.#requireInvariants(state, from + chunk.length);
    const first = best && mx.numbers(best);
    dispose(best);
    this.#tally.prefillMs += performance.now() - startedAt;
    return first && this.#first(first);
  }

  /** Only the last chunk reaches the head, and only with its last row. */
  #prefillChunk(state: DecodeState, chunk: readonly number[], isLast: boolean): mx.MxArray | undefined {
    const { target, drafter } = this.models;
    const ids = tokenArray(chunk, target.config.vocabSize);
    const { hidden, taps } = target.forward(ids, state.caches, drafter.taps);
    state.draft.commit(chunk, taps);
    if (!isLast) return undefined;
    const last = mx.slice(hidden, 1, chunk.length - 1, chunk.length);
    return mx.reshape(mx.argmax(target.logits(last)), -1);
  }

  async #round(state: DecodeState): Promise<DecodeChunk> {
    const { target, drafter } = this.models;
    const startedAt = performance.now();
    const anchor = this.#tokens.at(-1) ?? 0;
    // The last token of a full round is the target's own, so it needs no draft.
    const count = Math.min(this.request.draftLength, drafter.maxDraftTokens, this.#ending.remaining - 1);
    const verified = await verifyRound(target, state, drafter.taps, anchor, count);
    const cut = this.#ending.cut(verified.tokens);
    commitRound(state, verified, anchor, cut.tokens.length);
    this.#requireInvariants(
      state,
      this.request.promptIds.length + this.#tokens.length - 1 + cut.tokens.length,
    );
    const { draftMs, verifyMs, buildMs } = verified;
    const accepted = Math.min(verified.accepted, cut.tokens.length);
    const round = {
      source: verified.drafts.length > 0 ? drafter.name : undefined,
      drafted: verified.drafts.length,
      accepted,
      tokens: cut.tokens,
      draftMs,
      verifyMs,
      buildMs,
    };
    this.#finishReason = cut.finishReason;
    const chunk = this.#chunk(cut.tokens, cut.text, round);
    this.#tally.round(round, performance.now() - startedAt);
    return chunk;
  }

  #first(tokens: readonly number[]): DecodeChunk {
    const cut = this.#ending.cut(tokens);
    this.#finishReason = cut.finishReason;
    this.#tally.firstToken();
    return this.#chunk(cut.tokens, cut.text, undefined);
  }

  #chunk(tokens: readonly number[], text: string, round: Round | undefined): DecodeChunk {
    this.#tokens.push(...tokens);
    this.#text += text;
    return { tokens, text, round };
  }

  #aborted(): boolean {
    const { signal } = this.request;
    if (signal.aborted) this.#finishReason ??= signal.reason === 'superseded' ? 'superseded' : 'cancelled';
    return signal.aborted;
  }

  /** I1 and I2 of speculative-decoding.md: both memories hold every committed token but the last. */
  #requireInvariants({ caches, draft }: DecodeState, length: number): void {
    const offsets = [...caches.map((cache) => cache.offset), draft.offset];
    if (offsets.every((offset) => offset === length)) return;
    throw new Error(`Expected all caches to hold ${String(length)} tokens, got ${offsets.join(', ')}`);
  }
}
