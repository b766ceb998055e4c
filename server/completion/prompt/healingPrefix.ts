// The second half of token healing: the output has to begin with the text that `healing` has removed from the prompt.
// HealingPrefix removes it from the chunks of the output.
import type { DecodeChunk } from '../../engine/decode/decode';
import type { Spelling } from './healing';

/** A piece of output, with the tokens and log-probabilities that a decoder reports. */
export interface Chunk {
  readonly text: string;
  readonly tokens?: DecodeChunk<null>['tokens'];
  readonly logprobs?: DecodeChunk<null>['logprobs'];
}

export class HealingPrefix {
  /** Removed text that the output has not repeated yet. */
  missing: string;
  /** Number of tokens left out of the chunks. A token that spans the cursor stays. */
  skipped = 0;
  /** Number of removed characters whose tokens have not arrived yet. */
  #untokenized: number;

  /** Without `spelling`, no tokens are left out. */
  constructor(
    removed: string,
    private readonly spelling?: Spelling,
  ) {
    this.missing = removed;
    this.#untokenized = spelling === undefined ? 0 : removed.length;
  }

  /** Returns the part of a chunk after the cursor; undefined if the output does not repeat the removed text. */
  withoutRemoved<C extends Chunk>(chunk: C): C | undefined {
    if (this.missing === '' && this.#untokenized === 0) return chunk;
    const { text, tokens, logprobs } = chunk;
    if (!repeats(text, this.missing)) return undefined;
    const shared = Math.min(text.length, this.missing.length);
    this.missing = this.missing.slice(shared);
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
