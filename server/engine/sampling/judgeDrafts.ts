// What the rounds of a decode do with chance: drafts are drawn, and then judged, in the way that a request has chosen.
// Knows neither logits nor how a distribution is made of them.
import type { Chances } from './chances';
import { certain, draw, probabilityOf, residual, type Distribution } from './distribution';
import { drawsDrafts, type Sampling } from './sampling';
import type { Drafted, TargetRows } from './sampler';

/** The rows of one pass of a model. */
export interface Draws {
  /** What the row's token is drawn from, where as many of the drafts come before it as there are rows before it. */
  readonly from: (row: number, drafts: readonly number[]) => Distribution;
  /** Those of the position of the row's token. */
  readonly chances: (row: number) => Chances;
}

/** `target` has a row for each draft and one more. */
export function judgeDrafts(drafted: Drafted, target: Draws, sampling: Sampling): TargetRows['tokenAt'] {
  const { tokens, distributions } = drafted;
  const targetAt = (row: number): Distribution => target.from(row, tokens);
  if (!drawsDrafts(sampling)) return (row) => draw(targetAt(row), target.chances(row).token);
  return (row) => {
    const [p, chances, draft] = [targetAt(row), target.chances(row), tokens[row]];
    if (draft === undefined) return draw(p, chances.token);
    // All on the draft when chance had no part in it.
    const q = distributions?.[row] ?? certain(draft);
    if (chances.accept * probabilityOf(q, draft) < probabilityOf(p, draft)) return draft;
    // Never the refused draft, but where rounding leaves nothing of the residual: then p and q are the same, and to go
    // on behind the draft is right too.
    return draw(residual(p, q), chances.token);
  };
}

export function drawDrafts(count: number, drafter: Draws): Drafted {
  const tokens: number[] = [];
  const distributions: Distribution[] = [];
  for (let row = 0; row < count; row++) {
    const from = drafter.from(row, tokens);
    tokens.push(draw(from, drafter.chances(row).draft));
    distributions.push(from);
  }
  return { tokens, distributions };
}
