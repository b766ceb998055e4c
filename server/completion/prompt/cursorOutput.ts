// The output of a model after the cursor, of the first prompt that gives one: prompts are healed ones, whose output
// HealedDecode cuts, and then plain ones. For a selected entry of the IntelliSense list, only output that begins with
// that entry counts.
import type { DecodedPiece, DecodeLimits, Decoder, FinishReason, TokenLogprobs, Tokenizer } from '../decoder';
import type { CompletionContext } from './context';
import { HealedDecode } from './healedDecode';
import { healing, type Healing } from './healing';
import { completionPrompt } from './prompt';
import type { Prompt, PromptParts } from './promptParts';
import { repeats } from './healingPrefix';

/** A prompt's parts and the limits of its output; `isComplete` is called with the text after the cursor. */
export type CursorOutputRequest = Omit<PromptParts, 'prefix'> &
  Omit<DecodeLimits, 'stopStrings' | 'stopTokenIds' | 'sampling' | 'parts' | 'onEnd'>;

/** A healing, and the part of a selected entry that the output must repeat after the removed text. */
interface Attempt extends Healing {
  readonly entry: string;
}

export class CursorOutput {
  /** Prompts to decode, in this order. */
  #attempts: readonly Attempt[];
  /** Output of the latest decode, removed text included. */
  #written = '';
  /** One entry per token of that output. */
  #logprobs: TokenLogprobs[] = [];
  /** Number of characters before the cursor that the latest output had to repeat. */
  #removedLength = 0;
  /** Reason why the latest decode has ended. */
  finishReason: FinishReason | undefined;
  /** Whether there is no output because the model would write something else than the selected entry. */
  isOtherEntry = false;

  /** With `judgesEntry`, the model has to write the selected entry; if it would not, there is no output. */
  constructor(
    private readonly request: CursorOutputRequest,
    private readonly decoder: Decoder,
    judgesEntry = false,
  ) {
    this.#attempts = attemptsAt(request.context, decoder.tokenizer, judgesEntry);
  }

  /** Returns the log-probabilities of the tokens that make up the first `length` characters after the cursor. */
  logprobs(length: number): readonly number[] {
    let start = -this.#removedLength;
    return this.#logprobs.flatMap(({ token, logprob }) => {
      const tokenLength = this.decoder.tokenizer.decode([token]).length;
      const isIn = start < length && start + tokenLength > 0;
      start += tokenLength;
      return isIn ? [logprob] : [];
    });
  }

  /** Yields the most probable output, or a drawn one. Later calls use the prompt that led to the first output. */
  async *pieces(sampling?: DecodeLimits['sampling']): AsyncGenerator<string, void, undefined> {
    for (const attempt of this.#attempts) {
      if (this.request.signal.aborted) return;
      if ((yield* this.#readAttempt(attempt, sampling)) || this.isOtherEntry) return;
    }
  }

  /**
   * Yields the output after the removed text and the entry. Returns false, with nothing yielded, if the output does not
   * begin with these or ends after them. The next prompt can still give text: with the cursor in `split(|)`, a model
   * often writes an argument if the prompt ends with the bracket, but none if it has to write the bracket itself.
   */
  async *#readAttempt(
    attempt: Attempt,
    sampling: DecodeLimits['sampling'],
  ): AsyncGenerator<string, boolean, undefined> {
    const { context, snippets, budget, ...request } = this.request;
    const prompt = completionPrompt({ context, prefix: attempt.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const removed = attempt.removed + attempt.entry;
    this.#removedLength = removed.length;
    this.#written = '';
    this.#logprobs = [];
    const healed = new HealedDecode(request, (_, limits) =>
      this.#decode(prompt, { ...request, ...limits, ...(sampling && { sampling }) }),
    );
    let isBegun = false;
    for await (const { text } of healed.readOne({ ids: prompt.ids, removed })) {
      if (text === '') continue;
      this.#attempts = [attempt];
      isBegun = true;
      yield text;
    }
    if (isBegun) return true;
    this.isOtherEntry = !repeats(this.#written, removed) && this.#written.startsWith(attempt.removed);
    // The list shows the entry; only text after it is worth showing.
    if (healed.isRepeated && attempt.entry !== '')
      return yield* this.#readAttempt({ kept: context.prefix, removed: '', entry: '' }, sampling);
    return false;
  }

  /** Decodes a prompt, and records the output with its log-probabilities. */
  async *#decode(
    { ids, parts, stopStrings, stopTokenIds }: Prompt,
    limits: Omit<DecodeLimits, 'stopStrings'>,
  ): AsyncGenerator<DecodedPiece, void, undefined> {
    const onEnd = (reason: FinishReason): void => {
      this.finishReason = reason;
    };
    const pieces = this.decoder.decode(ids, { ...limits, parts, stopStrings, stopTokenIds, onEnd });
    for await (const piece of pieces) {
      this.#logprobs.push(...(piece.logprobs ?? []));
      this.#written += piece.text;
      yield piece;
    }
  }
}

/**
 * Returns the attempts in the order in which they are made. With `judgesEntry`, the model has to write the part of the
 * selected entry that is not typed yet.
 */
function attemptsAt(
  { prefix, selected }: CompletionContext,
  tokenizer: Tokenizer,
  judgesEntry: boolean,
): Attempt[] {
  const entry = judgesEntry && selected?.after === '' ? selected.text.slice(selected.before.length) : '';
  const kept = prefix.slice(0, prefix.length - entry.length);
  const healed = healing(kept, tokenizer, selected !== undefined && entry === '');
  const unhealed = { kept, removed: '' };
  return [...(healed ? [healed] : []), unhealed].map((prompt) => ({ ...prompt, entry }));
}
