// Which drafts of a round stay: those that equal the target's tokens, up to the
// first that does not. Row i of the target stands after the anchor and the first i drafts, so it judges draft i.
// Knows nothing of how the target chooses its tokens.

export interface Acceptance {
  /** Leading drafts that stay. */
  readonly accepted: number;
  /** The accepted drafts and the target's own next token: a correction, or a bonus when all stayed. */
  readonly tokens: readonly number[];
}

/**
 * `tokenAt` is the token that the output gets in a row if all drafts before it stay: the row's draft, or what takes its
 * place. Called row by row, and no further than needed.
 */
export function accept(drafts: readonly number[], tokenAt: (row: number) => number): Acceptance {
  const tokens: number[] = [];
  for (let row = 0; row <= drafts.length; row++) {
    const token = tokenAt(row);
    tokens.push(token);
    if (token !== drafts[row]) break;
  }
  return { accepted: tokens.length - 1, tokens };
}
