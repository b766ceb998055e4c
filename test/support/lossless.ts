// Result of a check against the target alone, with the criterion for losslessness.

export interface Losslessness {
  /** Decodes that emitted at least one token. */
  readonly requests: number;
  readonly equal: number;
  /** Decodes that differ only where the target's own token and the emitted one have nearly equal logits. */
  readonly nearTies: number;
  readonly different: number;
  /** Emitted tokens of all decodes, and how many of these are near ties that were decided differently. */
  readonly tokens: number;
  readonly tiedTokens: number;
}

/** Largest accepted share of tied tokens. Rounding alone changes far fewer, as each token is judged separately. */
const MAX_TIED = 0.02;

/** Returns whether no decode differs and rounding explains the count of tied tokens. One tied token always passes. */
export function isLossless({ different, tokens, tiedTokens }: Losslessness): boolean {
  return different === 0 && tiedTokens <= Math.max(1, MAX_TIED * tokens);
}
