// Decodes healed prompts: makes room in the limits for the text that `healing` has removed from the prompt, and removes
// that text from the output with HealingPrefix. If an output does not begin with it, decodes the next prompt instead.
import type { DecodeLimits } from '../decoder';
import type { Spelling } from './healing';
import { HealingPrefix, repeats, type Chunk } from './healingPrefix';

/** A prompt without the last characters before the cursor, and these characters: its output must begin with them. */
export interface HealedPrompt {
  readonly ids: readonly number[];
  readonly removed: string;
}

/** Limits of the output after the cursor. */
export interface OutputLimits {
  readonly maxTokens: number;
  readonly isComplete?: DecodeLimits['isComplete'];
}

export class HealedDecode<D extends AsyncIterable<Chunk>> {
  /** Whether the latest output began with the text removed from its prompt; known once the output has ended. */
  isRepeated = false;
  #healing: HealingPrefix | undefined;
  #latest: D | undefined;

  /**
   * `start` begins the decode of a prompt, within limits adapted to the removed text. With `spelling`, `maxTokens`
   * grows by the tokens of that text, and chunks leave these tokens out.
   */
  constructor(
    private readonly limits: OutputLimits & { readonly signal?: AbortSignal | undefined },
    private readonly start: (prompt: HealedPrompt, limits: OutputLimits) => D,
    private readonly spelling?: Spelling,
  ) {}

  /** Number of tokens left out of the latest decode's chunks, because they only repeat removed text. */
  get skipped(): number {
    return this.#healing?.skipped ?? 0;
  }

  /** Latest decode. Throws before the output is read. */
  get latest(): D {
    if (this.#latest === undefined) throw new Error('The result is not known before the output is read.');
    return this.#latest;
  }

  /** Yields the output after the cursor, of the first prompt whose output begins with the text removed from it. */
  async *read(prompts: Iterable<HealedPrompt>): AsyncGenerator<Chunk, void, undefined> {
    for (const prompt of prompts) {
      yield* this.readOne(prompt);
      if (this.isRepeated || this.limits.signal?.aborted) return;
    }
  }

  /** Yields the output after the cursor, of one prompt; no text if the output does not begin with the removed text. */
  async *readOne(prompt: HealedPrompt): AsyncGenerator<Chunk, void, undefined> {
    const healing = new HealingPrefix(prompt.removed, this.spelling);
    this.#healing = healing;
    this.isRepeated = false;
    this.#latest = this.start(prompt, healedLimits(this.limits, prompt.removed, this.spelling));
    for await (const chunk of this.#latest) {
      const rest = healing.withoutRemoved(chunk);
      if (rest === undefined) return;
      yield rest;
    }
    this.isRepeated = healing.missing === '';
  }
}

/**
 * Adapts the limits of an output to the removed text at its start: `isComplete` gets the text after it, and with
 * `spelling`, `maxTokens` grows by its tokens.
 */
export function healedLimits(
  { maxTokens, isComplete }: OutputLimits,
  removed: string,
  spelling?: Spelling,
): OutputLimits {
  if (removed === '') return { maxTokens, isComplete };
  return {
    maxTokens: maxTokens + (spelling?.encodeText(removed).length ?? 0),
    // Stops reading an output that does not repeat the removed text.
    isComplete: (output) =>
      !repeats(output, removed) || (isComplete?.(output.slice(removed.length)) ?? false),
  };
}
