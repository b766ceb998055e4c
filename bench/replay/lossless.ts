// What a check against the target alone has come to, and whether that is good enough.

export interface Losslessness {
  /** Decodes that gave out at least one token. */
  readonly requests: number;
  readonly equal: number;
  /** Different only where the target's own token and the one that was given out are nearly equal. */
  readonly nearTies: number;
  readonly different: number;
  /** Given out by all of them, and how many of these are near-ties that fell differently. */
  readonly tokens: number;
  readonly tiedTokens: number;
}

/** Each token is judged by itself, so this is their share; rounding moves far fewer. */
const MOST_TIED = 0.02;

/** No decode is different, and no more tokens are excused than rounding explains; a single one always is. */
export function isLossless({ different, tokens, tiedTokens }: Losslessness): boolean {
  return different === 0 && tiedTokens <= Math.max(1, MOST_TIED * tokens);
}
