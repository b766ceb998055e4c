// Near ties: two logits so close that rounding decides between their tokens.

export type NumberType = 'float32' | 'float16' | 'bfloat16';

/**
 * Maximum gaps of near ties, from the logits of tokens that differed with and without drafts: up to 1e-3 in float32,
 * and 0 to 0.31 in bfloat16 (an H100, the built-in pair). The latter is raised by half, since other GPUs add in other
 * orders. float16 has three bits more than bfloat16, so an eighth of its gap.
 */
const GAPS: Readonly<Record<NumberType, number>> = {
  float32: 1e-3,
  float16: 0.06,
  bfloat16: 0.5,
};

/**
 * Returns the gap between two logits below which a different token is a near tie and no error, for the number type in
 * which the model computes. Passes of one row and of several rows add in different orders, and so do devices.
 */
export function nearTieGap(type: NumberType): number {
  return GAPS[type];
}
