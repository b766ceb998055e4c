// The output after the cursor, piece by piece, from a prompt that ends at a token border. Should the model go on
// differently from what the person has typed, the prompt that ends at the cursor is decoded instead.
import type { CompletionContext } from './context';
import type { Chance, Decoder } from './decoder';
import { healing, type Healing } from './healing';
import { completionPrompt } from './prompt';
import type { Snippet } from './snippets';

export interface HealedRequest {
  readonly context: CompletionContext;
  readonly snippets: readonly Snippet[];
  /** Tokens for the prompt and for the output. */
  readonly budget: number;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly related?: readonly number[];
}

export class HealedOutput {
  /** What to decode after, in this order. */
  #healings: readonly Healing[];

  constructor(
    private readonly request: HealedRequest,
    private readonly decoder: Decoder,
  ) {
    const { prefix } = request.context;
    const healed = healing(prefix, decoder);
    const whole = { kept: prefix, removed: '' };
    this.#healings = healed ? [healed, whole] : [whole];
  }

  /** The most probable output, or one that is drawn. Further ones are decoded after the prompt that has led to the first. */
  async *pieces(sampling?: Chance): AsyncGenerator<string, void, undefined> {
    for (const each of this.#healings) {
      if (this.request.signal.aborted) return;
      if (yield* this.#continued(each, sampling)) return;
    }
  }

  /** Gives out what follows `removed`; false when the output does not begin with it, and nothing was given out. */
  async *#continued(
    healed: Healing,
    sampling: Chance | undefined,
  ): AsyncGenerator<string, boolean, undefined> {
    const { context, snippets, budget, maxTokens, signal, related } = this.request;
    const prompt = completionPrompt({ context, prefix: healed.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const { ids, stopStrings, stopTokenIds } = prompt;
    const wishes = { ...(related && { related }), ...(sampling && { sampling }) };
    const limits = { maxTokens, stopStrings, stopTokenIds, signal, ...wishes };
    let missing = healed.removed;
    for await (const { text } of this.decoder.decode(ids, limits)) {
      const shared = Math.min(text.length, missing.length);
      if (text.slice(0, shared) !== missing.slice(0, shared)) return false;
      missing = missing.slice(shared);
      if (missing === '') this.#healings = [healed];
      if (text.length > shared) yield text.slice(shared);
    }
    return missing === '';
  }
}
