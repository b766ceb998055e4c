// Which drafts of a round stay (speculative-decoding.md D.2, D.3): by what the target chooses itself, or by rejection
// sampling. Row i of the target stands after the anchor and the first i drafts, so it judges draft i (I4). Pure.
import type { Chances } from './sampling/chances';
import { draw, probabilityOf, residual, type Distribution } from './sampling/distribution';

export interface Acceptance {
  /** Leading drafts that stay. */
  readonly accepted: number;
  /** The accepted drafts and the target's own next token: a correction, or a bonus when all stayed. */
  readonly tokens: readonly number[];
}

/**
 * `choice` is the target's own choice in a row; asked row by row, and no further than it is needed. Lossless whatever
 * the drafts are, since every token that comes out is the target's choice.
 */
export function acceptMatching(drafts: readonly number[], choice: (row: number) => number): Acceptance {
  const tokens: number[] = [];
  for (let row = 0; row <= drafts.length; row++) {
    const token = choice(row);
    tokens.push(token);
    if (token !== drafts[row]) break;
  }
  return { accepted: tokens.length - 1, tokens };
}

export interface RejectionRow {
  /** What the target would draw from. */
  readonly target: Distribution;
  /** Exactly what the row's draft was drawn from; not asked for after the last draft. */
  readonly draft: Distribution;
  readonly chances: Chances;
}

/** Keeps a draft with probability min(1, p / q) and else draws from what q has too little of. */
export function acceptRejecting(drafts: readonly number[], rowAt: (row: number) => RejectionRow): Acceptance {
  for (const [row, token] of drafts.entries()) {
    const { target, draft, chances } = rowAt(row);
    if (chances.accept * probabilityOf(draft, token) < probabilityOf(target, token)) continue;
    return {
      accepted: row,
      tokens: [...drafts.slice(0, row), draw(residual(target, draft), chances.token)],
    };
  }
  const { target, chances } = rowAt(drafts.length);
  return { accepted: drafts.length, tokens: [...drafts, draw(target, chances.token)] };
}
