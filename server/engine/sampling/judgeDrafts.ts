// What the rounds of a decode do with chance: drafts are drawn, and then judged, in the way that a request has chosen.
// Knows neither logits nor how a distribution is made of them.
import { acceptMatching, acceptRejecting, type Acceptance } from '../accept';
import type { Chances } from './chances';
import { certain, draw, type Distribution } from './distribution';
import { drawsDrafts, type Sampling } from './sampling';
import type { Drafted } from './sampler';

/** The rows of one pass of a model. */
export interface Draws {
  /** What the row's token is drawn from, where as many of the drafts come before it as there are rows before it. */
  readonly from: (row: number, drafts: readonly number[]) => Distribution;
  /** Those of the position of the row's token. */
  readonly chances: (row: number) => Chances;
}

/** `target` has a row for each draft and one more. */
export function judgeDrafts(drafted: Drafted, target: Draws, sampling: Sampling): Acceptance {
  const { tokens } = drafted;
  const targetAt = (row: number): Distribution => target.from(row, tokens);
  if (!drawsDrafts(sampling))
    return acceptMatching(tokens, (row) => draw(targetAt(row), target.chances(row).token));
  return acceptRejecting(tokens, (row) => ({
    target: targetAt(row),
    draft: draftAt(drafted, row),
    chances: target.chances(row),
  }));
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

/** What a draft was drawn from; all on its token when chance had no part in it. */
function draftAt({ tokens, distributions }: Drafted, row: number): Distribution {
  return distributions?.[row] ?? certain(tokens[row] ?? 0);
}
