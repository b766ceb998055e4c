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
  /** As in DecodeLimits, of the text after the cursor. */
  readonly isComplete?: (text: string) => boolean;
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
    const { context, snippets, budget, maxTokens, signal, related, isComplete } = this.request;
    const prompt = completionPrompt({ context, prefix: healed.kept, snippets, budget }, this.decoder);
    if (prompt === undefined) return false;
    const { ids, stopStrings, stopTokenIds } = prompt;
    const wishes = { ...(related && { related }), ...(sampling && { sampling }) };
    let missing = healed.removed;
    const wanted = isComplete && { isComplete: isCompleteBehind(missing, isComplete) };
    const limits = { maxTokens, stopStrings, stopTokenIds, signal, ...wishes, ...wanted };
    for await (const { text } of this.decoder.decode(ids, limits)) {
      const shared = Math.min(text.length, missing.length);
      if (!agree(text, missing)) return false;
      missing = missing.slice(shared);
      if (missing === '') this.#healings = [healed];
      if (text.length > shared) yield text.slice(shared);
    }
    return missing === '';
  }
}

/** Whether one of them begins with the other. */
function agree(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

/** Of an output that repeats `removed` first. Where it does not, nobody reads on either. */
function isCompleteBehind(
  removed: string,
  isComplete: (text: string) => boolean,
): (output: string) => boolean {
  return (output) => !agree(output, removed) || isComplete(output.slice(removed.length));
}
