// The output of a model after the cursor: first of a healed prompt, then, if its output does not begin with the text that
// healing removed, of the prompt that ends at the cursor.
import type { DecodeLimits, Decoder, FinishReason, TokenLogprobs } from '../decoder';
import type { CompletionContext } from './context';
import { healing, type Healing, type Spelling } from './healing';
import { completionPrompt, type PromptParts } from './prompt';
import { healedLimits, RemovedText } from './removedText';

/** In the order in which they are tried. With `judgesEntry`, the model has to write what a selected entry adds. */
function healings(
  { prefix, selected }: CompletionContext,
  tokenizer: Spelling,
  judgesEntry: boolean,
): Healing[] {
  const entry = judgesEntry && selected?.behind === '' ? selected.text.slice(selected.before.length) : '';
  const kept = prefix.slice(0, prefix.length - entry.length);
  const healed = healing(kept, tokenizer, selected !== undefined && entry === '');
  return [...(healed ? [healed] : []), { kept, removed: '' }].map((each) => ({ ...each, entry }));
}

/** `isComplete` is about the text after the cursor. */
export type HealedRequest = Omit<PromptParts, 'prefix'> &
  Omit<DecodeLimits, 'stopStrings' | 'stopTokenIds' | 'sampling' | 'parts' | 'onEnd'>;

/** The output after the cursor, piece by piece. */
export class HealedOutput {
  /** The prompts to decode, in this order. */
  #healings: readonly Healing[];
  /** Of the tokens after the last prompt. */
  #logprobs: TokenLogprobs[] = [];
  #removed = 0;
  /** Why the last output has ended. */
  finishReason: FinishReason | undefined;
  /** Whether there was none, as the model would write something else than the selected entry. */
  isOtherEntry = false;

  /** With `judgesEntry`, nothing follows a selected entry that the model would not have begun with. */
  constructor(
    private readonly request: HealedRequest,
    private readonly decoder: Decoder,
    judgesEntry = false,
  ) {
    this.#healings = healings(request.context, decoder.tokenizer, judgesEntry);
  }

  /** The log-probabilities of the tokens that the first `length` characters after the cursor are made of. */
  logprobs(length: number): readonly number[] {
    let start = -this.#removed;
    return this.#logprobs.flatMap(({ token, logprob }) => {
      const own = this.decoder.tokenizer.decode([token]).length;
      const isIn = start < length && start + own > 0;
      start += own;
      return isIn ? [logprob] : [];
    });
  }

  /** The most probable output, or a drawn one. Later ones use the prompt that led to the first. */
  async *pieces(sampling?: DecodeLimits['sampling']): AsyncGenerator<string, void, undefined> {
    for (const each of this.#healings) {
      if (this.request.signal.aborted) return;
      if ((yield* this.#continued(each, sampling)) || this.isOtherEntry) return;
    }
  }

  /**
   * Emits the output after `removed` and the entry. Returns false, with nothing emitted, if the output begins otherwise or
   * has nothing more: after `split(` before `)`, a model can end a prompt without the bracket where it fills one
   * with it.
   */
  async *#continued(
    healed: Healing,
    sampling: DecodeLimits['sampling'],
  ): AsyncGenerator<string, boolean, undefined> {
    const { entry = '' } = healed;
    const { context, snippets, budget, ...limits } = this.request;
    const prompt = completionPrompt({ context, prefix: healed.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const { ids, parts, stopStrings, stopTokenIds } = prompt;
    const removed = healed.removed + entry;
    this.#logprobs = [];
    this.#removed = removed.length;
    const options = {
      ...limits,
      ...healedLimits(limits, removed),
      parts,
      stopStrings,
      stopTokenIds,
      onEnd: (reason: FinishReason) => {
        this.finishReason = reason;
      },
      ...(sampling && { sampling }),
    };
    const heal = new RemovedText(removed);
    let output = '';
    let isEntryAlone = entry !== '';
    let isBegun = false;
    for await (const { text, logprobs = [] } of this.decoder.decode(ids, options)) {
      this.#logprobs.push(...logprobs);
      output += text;
      const rest = heal.without({ text, tokens: null });
      if (rest === undefined) {
        this.isOtherEntry = output.startsWith(healed.removed);
        return false;
      }
      if (rest.text === '') continue;
      this.#healings = [healed];
      isEntryAlone = false;
      isBegun = true;
      yield rest.text;
    }
    // The list has the entry; only what follows it is worth showing.
    if (isEntryAlone && heal.missing === '')
      return yield* this.#continued({ kept: context.prefix, removed: '' }, sampling);
    return isBegun;
  }
}
