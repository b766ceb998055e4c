// Whether drafts stay: by the target's own choice, or by rejection sampling (Leviathan et al., Chen et al.), which keeps
// the target's distribution. Pure.
import { certain, draw, probabilityOf, residual } from './distribution';
import type { RowDraws } from './rowDraws';
import type { Drafted, TargetRows } from './sampler';
import { drawsDrafts, type Sampling } from '../request/sampling';

/** `target` has a row for each draft and one more. */
export function judgeDrafts(
  { tokens, distributions }: Drafted,
  target: RowDraws,
  sampling: Sampling,
): TargetRows['tokenAt'] {
  return (row) => {
    const [p, rng, draft] = [target.from(row, tokens), target.rng(row), tokens[row]];
    if (draft === undefined || !drawsDrafts(sampling)) return draw(p, rng.token);
    // If the draft was not drawn, all probability is on it.
    const q = distributions?.[row] ?? certain(draft);
    if (rng.accept * probabilityOf(q, draft) < probabilityOf(p, draft)) return draft;
    // Never the refused draft, unless rounding leaves nothing of the residual: then p and q are the same, and to go
    // on behind the draft is right too.
    return draw(residual(p, q), rng.token);
  };
}
