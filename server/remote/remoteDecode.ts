// One decode by a remote engine: chunks of text, and its statistics. The time to the first token is measured here and
// includes the network; the server reports all other numbers.
import type { DecodeChunk, DecodeRequest, Decode, DecodeResult } from '../engine/decode/decode';
import type { FinishReason } from '../engine/request/stats';
import type { CompletionEvent } from './completionEvents';

/** Matches replacement characters or half of a surrogate pair at the end, where a token limit cut a character. */
const INCOMPLETE = /(?:\uFFFD+|[\uD800-\uDBFF])$/;

export class RemoteDecode implements Decode<null> {
  #text = '';
  /** End of the text that is held back, as it can be an incomplete character. */
  #held = '';
  #finishReason: FinishReason | undefined;
  #usage: NonNullable<CompletionEvent['usage']> = {};
  #speculation: Partial<NonNullable<CompletionEvent['flashline']>> = {};
  #startedAt = 0;
  #firstAt: number | undefined;

  constructor(
    /** Sends the request and returns its events. */
    private readonly open: () => AsyncIterable<CompletionEvent>,
    private readonly request: DecodeRequest,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<DecodeChunk<null>, void, undefined> {
    const { signal } = this.request;
    this.#startedAt = performance.now();
    try {
      if (signal?.aborted) return;
      for await (const event of this.open()) {
        const text = this.#read(event);
        if (signal?.aborted) return;
        if (text !== '') yield { tokens: null, text };
      }
      this.#finishReason ??= 'stop';
    } finally {
      if (signal?.aborted) this.#finishReason = signal.reason === 'superseded' ? 'superseded' : 'cancelled';
    }
  }

  async finish(): Promise<DecodeResult<null>> {
    for await (const { text } of this) void text;
    return this.result;
  }

  get result(): DecodeResult<null> {
    const { seed, temperature = 0 } = this.request.sampling ?? {};
    const {
      prompt_tokens: promptTokens,
      completion_tokens: emitted,
      prompt_tokens_details: details,
    } = this.#usage;
    const speculation = this.#speculation;
    const emittedTokens = emitted ?? null;
    const finishReason = this.#finishReason ?? 'abandoned';
    const stats = {
      promptTokens: promptTokens ?? null,
      reusedTokens: details?.cached_tokens ?? null,
      emittedTokens,
      rounds: speculation.rounds ?? null,
      roundTokens: emittedTokens === null ? null : Math.max(0, emittedTokens - 1),
      draftedTokens: speculation.draftedTokens ?? null,
      acceptedTokens: speculation.acceptedTokens ?? null,
      acceptedByPosition: speculation.acceptedByPosition ?? [],
      draftedByPosition: speculation.draftedByPosition ?? [],
      wholeRounds: speculation.wholeRounds ?? null,
      mismatchesByPosition: speculation.mismatchesByPosition ?? [],
      sources: [],
      timeToFirstTokenMs: this.#firstAt === undefined ? null : this.#firstAt - this.#startedAt,
      queuedMs: null,
      prefillMs: speculation.prefillMs ?? null,
      draftMs: speculation.draftMs ?? null,
      verifyMs: speculation.verifyMs ?? null,
      buildMs: null,
      // Not measured by arrival: an event can have several tokens, and delayed events arrive together.
      decodeMs: speculation.decodeMs ?? null,
      peakMemoryBytes: null,
      finishReason,
      speculationOff: undefined,
      seed: temperature > 0 ? seed : undefined,
    };
    return { tokenIds: null, text: this.#text, acceptanceLengths: null, finishReason, stats };
  }

  /** Adds an event to the result; returns the text that is now certain. */
  #read({ choices, usage, metrics, flashline }: CompletionEvent): string {
    const arrived = this.#held + choices.map((choice) => choice.text).join('');
    const reason = choices.find(
      ({ finish_reason: finishReason }) => typeof finishReason === 'string',
    )?.finish_reason;
    if (reason) this.#finishReason = reason === 'length' ? 'length' : 'stop';
    const text = this.#finishReason === 'stop' ? arrived : arrived.replace(INCOMPLETE, '');
    this.#held = arrived.slice(text.length);
    if (arrived !== '') this.#firstAt ??= performance.now();
    this.#text += text;
    if (usage) this.#usage = { ...this.#usage, ...usage };
    const { speculative_decoding: counts } = metrics ?? {};
    if (counts)
      this.#speculation = {
        rounds: counts.num_spec_steps,
        draftedTokens: counts.num_draft_tokens,
        acceptedTokens: counts.num_accepted_draft_tokens,
      };
    if (flashline) this.#speculation = flashline;
    return text;
  }
}
