// Greedy acceptance over token ids (speculative-decoding.md D.2). Pure.

export interface Acceptance {
  /** Leading drafts that the target would have picked itself. */
  readonly accepted: number;
  /** The accepted drafts and the target's own next token: a correction, or a bonus when all were right. */
  readonly tokens: readonly number[];
}

/** `best[i]` is the target's choice after the anchor and the first i drafts, so it judges `drafts[i]` (I4). */
export function acceptGreedy(drafts: readonly number[], best: readonly number[]): Acceptance {
  if (best.length !== drafts.length + 1) {
    throw new RangeError(`Expected ${String(drafts.length + 1)} verified rows, got ${String(best.length)}`);
  }
  const wrong = drafts.findIndex((draft, i) => draft !== best[i]);
  const accepted = wrong < 0 ? drafts.length : wrong;
  return { accepted, tokens: best.slice(0, accepted + 1) };
}
