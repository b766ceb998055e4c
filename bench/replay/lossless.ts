// The result of a check against the target alone, and whether it is good enough.

export interface Losslessness {
  /** Decodes that emitted at least one token. */
  readonly requests: number;
  readonly equal: number;
  /** Different only where the target's own token and the emitted one have nearly equal logits. */
  readonly nearTies: number;
  readonly different: number;
  /** Emitted by all of them, and how many of these are near-ties that fell differently. */
  readonly tokens: number;
  readonly tiedTokens: number;
}

/** Each token is judged separately, so this is their share; rounding moves far fewer. */
const MOST_TIED = 0.02;

/** No decode is different, and no more tokens are excused than rounding explains; a single one always is. */
export function isLossless({ different, tokens, tiedTokens }: Losslessness): boolean {
  return different === 0 && tiedTokens <= Math.max(1, MOST_TIED * tokens);
}
