// The second half of token healing: the output has to begin with the text that `healing` has removed from the prompt.
// HealedOutput adapts the limits of the decode to that text, and removes it from the chunks of the output.
import type { DecodeChunk } from '../../engine/decode/decode';
import type { DecodeLimits } from '../decoder';
import type { Spelling } from './healing';

/** A piece of output, with the tokens and log-probabilities that a decoder reports. */
export interface Chunk {
  readonly text: string;
  readonly tokens?: DecodeChunk<null>['tokens'];
  readonly logprobs?: DecodeChunk<null>['logprobs'];
}

/** Limits of the output after the cursor, or of the whole output. */
export interface OutputLimits {
  readonly maxTokens: number;
  readonly isComplete?: DecodeLimits['isComplete'];
}

export class HealedOutput {
  /** Number of tokens left out of the chunks. A token that spans the cursor stays. */
  skipped = 0;
  /** Removed text that the output has not repeated yet. */
  #missing: string;
  /** Number of removed characters whose tokens have not arrived yet. */
  #untokenized: number;

  /** Without `spelling`, `maxTokens` does not grow and no tokens are left out. */
  constructor(
    private readonly removed: string,
    private readonly spelling?: Spelling,
  ) {
    this.#missing = removed;
    this.#untokenized = spelling === undefined ? 0 : removed.length;
  }

  /** Whether the output so far begins with the whole removed text. */
  get isRepeated(): boolean {
    return this.#missing === '';
  }

  /**
   * Returns the limits of the whole output, given those of the output after the cursor: `isComplete` gets the text
   * after the removed one, and `maxTokens` grows by its tokens.
   */
  limits({ maxTokens, isComplete }: OutputLimits): OutputLimits {
    const { removed, spelling } = this;
    if (removed === '') return { maxTokens, isComplete };
    return {
      maxTokens: maxTokens + (spelling?.encodeText(removed).length ?? 0),
      // Stops reading an output that does not repeat the removed text.
      isComplete: (output) =>
        !repeats(output, removed) || (isComplete?.(output.slice(removed.length)) ?? false),
    };
  }

  /**
   * Adds a chunk, and returns its part after the cursor; undefined if the output does not begin with the removed text.
   */
  push<C extends Chunk>(chunk: C): C | undefined {
    if (this.isRepeated && this.#untokenized === 0) return chunk;
    const { text, tokens, logprobs } = chunk;
    if (!repeats(text, this.#missing)) return undefined;
    const shared = Math.min(text.length, this.#missing.length);
    this.#missing = this.#missing.slice(shared);
    const skipped = this.#skip(tokens ?? []);
    this.skipped += skipped;
    return {
      ...chunk,
      text: text.slice(shared),
      ...(tokens && { tokens: tokens.slice(skipped) }),
      ...(logprobs && { logprobs: logprobs.slice(skipped) }),
    };
  }

  /** Returns how many of the first tokens consist of removed text only. */
  #skip(tokens: readonly number[]): number {
    let skipped = 0;
    for (const token of tokens) {
      const { length } = this.spelling?.decode([token]) ?? '';
      if (this.#untokenized === 0 || length > this.#untokenized) break;
      this.#untokenized -= length;
      skipped += 1;
    }
    if (skipped < tokens.length) this.#untokenized = 0;
    return skipped;
  }
}

/** Returns whether an output begins with `removed`, or can still become one that does. */
export function repeats(output: string, removed: string): boolean {
  return output.startsWith(removed) || removed.startsWith(output);
}
