// Reads the output of a model after the cursor. Decodes a healed prompt first (see healing.ts), and the plain prompt if
// the healed one gives no output. If an entry of the IntelliSense list is selected, the model can be required to write
// that entry first.
import type { FinishReason } from '../../engine/request/stats';
import type { TokenLogprobs } from '../../engine/sampling/sampler';
import type { DecodeLimits, Decoder, Tokenizer } from '../decoder';
import type { CompletionContext } from './context';
import { HealedOutput, repeats } from './healedOutput';
import { healing, type Healing } from './healing';
import { completionPrompt } from './prompt';
import type { PromptParts } from './promptParts';

/** The parts of a prompt and the limits of its output. `isComplete` is called with the output after the cursor. */
export type CursorOutputRequest = Pick<PromptParts, 'context' | 'snippets' | 'budget'> &
  Pick<DecodeLimits, 'maxTokens' | 'isComplete' | 'promptLookupIds' | 'greedyLogprobs' | 'signal'>;

/**
 * One prompt to try: a healing, and the part of a selected entry that the output must repeat after the removed text.
 */
interface Attempt extends Healing {
  readonly entry: string;
}

export class CursorOutput {
  /** Prompts to decode, in this order. */
  #attempts: readonly Attempt[];
  /** Output of the latest decode, with the repeated removed text. */
  #written = '';
  /** One entry per token of the latest output, if the decoder reports them. */
  #logprobs: TokenLogprobs[] = [];
  /** Number of characters before the cursor that the latest output had to repeat. */
  #removedLength = 0;
  /** Reason why the latest decode has ended. */
  finishReason: FinishReason | undefined;
  /** Whether there is no output because the model writes another text than the selected entry. */
  isEntryRejected = false;

  /**
   * With `mustConfirmEntry`, there is no output unless the model writes the selected entry. An entry that replaces text
   * after the cursor needs no confirmation.
   */
  constructor(
    private readonly request: CursorOutputRequest,
    private readonly decoder: Decoder,
    mustConfirmEntry = false,
  ) {
    this.#attempts = attemptsAt(request.context, decoder.tokenizer, mustConfirmEntry);
  }

  /** Returns the log-probabilities (base e) of the tokens in the first `length` characters after the cursor. */
  logprobs(length: number): readonly number[] {
    let start = -this.#removedLength;
    return this.#logprobs.flatMap(({ token, logprob }) => {
      const tokenLength = this.decoder.tokenizer.decode([token]).length;
      const isIn = start < length && start + tokenLength > 0;
      start += tokenLength;
      return isIn ? [logprob] : [];
    });
  }

  /** Yields the output, greedy or drawn with `sampling`. Later calls decode the prompt that gave the first output. */
  async *pieces(sampling?: DecodeLimits['sampling']): AsyncGenerator<string, void, undefined> {
    for (const attempt of this.#attempts) {
      if (this.request.signal.aborted) return;
      if ((yield* this.#readAttempt(attempt, sampling)) || this.isEntryRejected) return;
    }
  }

  /**
   * Yields the output after the removed text and the entry. Yields nothing and returns false if the output does not
   * begin with these, or ends after them; but if it ends after an entry, first decodes a prompt that ends with that
   * entry. The next attempt can still give output: with the cursor at | in `split(|)`, a model often writes an argument
   * if the prompt ends with the bracket, but none if it has to write the bracket itself.
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
    const healed = new HealedOutput(removed);
    const { ids, parts, stopStrings, stopTokenIds } = prompt;
    const limits = { ...request, ...healed.limits(request), ...(sampling && { sampling }) };
    const onEnd = (reason: FinishReason): void => {
      this.finishReason = reason;
    };
    const pieces = this.decoder.decode(ids, { ...limits, parts, stopStrings, stopTokenIds, onEnd });
    let isBegun = false;
    for await (const piece of pieces) {
      this.#logprobs.push(...(piece.logprobs ?? []));
      this.#written += piece.text;
      const rest = healed.push(piece);
      if (rest === undefined) break;
      if (rest.text === '') continue;
      this.#attempts = [attempt];
      isBegun = true;
      yield rest.text;
    }
    if (isBegun) return true;
    this.isEntryRejected = !repeats(this.#written, removed) && this.#written.startsWith(attempt.removed);
    // The model writes the entry and ends. The list shows the entry already, so ask for text after it.
    if (healed.isRepeated && attempt.entry !== '')
      return yield* this.#readAttempt({ kept: context.prefix, removed: '', entry: '' }, sampling);
    return false;
  }
}

/**
 * Returns the attempts in their order. With `mustConfirmEntry`, the model has to write the part of the selected entry
 * that is not typed yet, unless the entry replaces text after the cursor.
 */
function attemptsAt(
  { prefix, selected }: CompletionContext,
  tokenizer: Tokenizer,
  mustConfirmEntry: boolean,
): Attempt[] {
  const entry =
    mustConfirmEntry && selected?.after === '' ? selected.opening.slice(selected.before.length) : '';
  const kept = prefix.slice(0, prefix.length - entry.length);
  const healed = healing(kept, tokenizer, selected !== undefined && entry === '');
  const unhealed = { kept, removed: '' };
  return [...(healed ? [healed] : []), unhealed].map((prompt) => ({ ...prompt, entry }));
}
