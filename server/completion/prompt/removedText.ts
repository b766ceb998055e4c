// Takes the text that healing removed from a prompt off the beginning of the output, which repeats it.
import type { DecodeChunk } from '../../engine/decode/decode';
import type { DecodeLimits } from '../decoder';
import type { Spelling } from './healing';

/** A prompt that leaves out the last characters before the cursor: its output must begin with them. */
export interface HealedPrompt {
  readonly ids: readonly number[];
  readonly removed: string;
}

/** With room for what was removed, if `spelling` tells how much that takes. */
export function healedLimits(
  { maxTokens, isComplete }: Pick<DecodeLimits, 'maxTokens' | 'isComplete'>,
  removed: string,
  spelling?: Spelling,
) {
  if (removed === '') return { maxTokens, isComplete };
  const again = spelling?.encodeText(removed).length ?? 0;
  // If the output does not repeat what was removed, nobody reads on either.
  const isOver = (output: string): boolean =>
    !agree(output, removed) || (isComplete?.(output.slice(removed.length)) ?? false);
  return { maxTokens: maxTokens + again, isComplete: isOver };
}

/** The beginning of an output that repeats what was removed before the cursor, taken off piece by piece. */
export class RemovedText {
  /** What the output has yet to begin with. */
  missing: string;
  /** Tokens that were left out. The one that spans the cursor stays. */
  skipped = 0;
  /** Characters of `removed` whose tokens have yet to come. */
  #untold: number;

  constructor(
    removed: string,
    private readonly spelling?: Spelling,
  ) {
    this.missing = removed;
    this.#untold = removed.length;
  }

  /** What stands after the cursor; undefined if the output goes another way. */
  without<Piece extends Pick<DecodeChunk<null>, 'text' | 'tokens' | 'logprobs'>>(
    piece: Piece,
  ): Piece | undefined {
    if (this.missing === '' && this.#untold === 0) return piece;
    const { text, tokens, logprobs } = piece;
    if (!agree(text, this.missing)) return undefined;
    const shared = Math.min(text.length, this.missing.length);
    this.missing = this.missing.slice(shared);
    const out = this.#tokensOf(tokens ?? []);
    this.skipped += out;
    const rest = { text: text.slice(shared), tokens: tokens?.slice(out) ?? null };
    return { ...piece, ...rest, ...(logprobs && { logprobs: logprobs.slice(out) }) };
  }

  /** How many tokens have nothing but what was removed. */
  #tokensOf(tokens: readonly number[]): number {
    let out = 0;
    for (const token of tokens) {
      const { length } = this.spelling?.decode([token]) ?? '';
      if (this.#untold === 0 || length > this.#untold) break;
      this.#untold -= length;
      out += 1;
    }
    if (out < tokens.length) this.#untold = 0;
    return out;
  }
}

/** Whether one of the texts begins with the other. */
function agree(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}
