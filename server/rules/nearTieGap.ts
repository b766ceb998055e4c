// The tie rule: how close two logits must be for rounding to decide between them.

export type NumberType = 'float32' | 'float16' | 'bfloat16';

/**
 * In float32, gaps of tokens that differed were measured at up to 1e-3. In bfloat16 they were at 0 to 0.31 (an H100, the
 * built-in pair, with and without drafts); the limit is half as much again, as other GPUs add in yet other orders.
 * float16 has three bits more, an eighth of that.
 */
const GAPS: Readonly<Record<NumberType, number>> = {
  float32: 1e-3,
  float16: 0.06,
  bfloat16: 0.5,
};

/**
 * Below this gap between two logits, a token that differs is a near tie and not an error, by the number type that the
 * model computes in: passes of one row and of several add in different orders, and so do devices.
 */
export function nearTieGap(type: NumberType): number {
  return GAPS[type];
}
