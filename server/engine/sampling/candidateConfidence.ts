// How sure a drafter is of its rows, from the candidates that were read of them anyway: a sum over the whole vocabulary
// costs as much as finding the candidates does. Pure arithmetic.

/**
 * Natural logarithms of the probability [rows] that the best of each row's `count` largest logits has among them. By the
 * bare logits of each row alone: it must not depend on what was drawn in the rows before (speculative-decoding.md G.3).
 * `values` [rows, n] hold those logits and maybe smaller ones, in any order.
 */
export function candidateConfidence(values: readonly (readonly number[])[], count: number): number[] {
  return values.map((row) => {
    const candidates = row.toSorted((a, b) => b - a).slice(0, count);
    const best = candidates[0] ?? 0;
    return -Math.log(candidates.reduce((sum, logit) => sum + Math.exp(logit - best), 0));
  });
}
