// Candidates of a drafter's selector: their gains on the device, and the confidence in the best of them.
import type { Selector } from '../../models/drafters/drafter';
import * as mx from '../../models/mlx/ops';

/** Returns the gains [rows, n, n] in float32 that the selector adds to the logits of candidates `ids` [rows, n]. Lazy. */
export function selectorGains(selector: Selector, ids: mx.MxArray): mx.MxArray {
  return mx.astype(selector.gains(ids), mx.float32);
}

/**
 * Returns the natural logarithm of the probability [rows] of each row's best token among the selector's candidates. A
 * sum over the whole vocabulary would cost as much as finding the candidates. `values` [rows, n] are their logits, and
 * can contain smaller ones too, in any order. The result depends on the logits of each row alone, never on the tokens
 * drawn in earlier rows ("blind length" in docs/internals/architecture.md).
 */
export function candidateConfidence({ candidates }: Selector, values: mx.MxArray): number[] {
  return mx.rows(values).map((row) => {
    const [best = 0, ...rest] = row.sort((a, b) => b - a).slice(0, candidates);
    return -Math.log(rest.reduce((sum, logit) => sum + Math.exp(logit - best), 1));
  });
}
