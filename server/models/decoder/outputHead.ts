// The output head, which turns hidden states into logits, and their soft cap. Targets and drafters use both.
import { Linear } from '../mlx/linear';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

/**
 * Returns the product of an output head, [.., hidden] to [.., out], in float32: near-ties, confidence and probabilities
 * depend on differences that 16 bits cannot express. Packed weights are multiplied in float32; of dense ones only the
 * outputs are converted.
 */
export function outputHead(weights: Weights, head: Linear): (hidden: mx.MxArray) => mx.MxArray {
  const { weights: factor, bias } = head;
  if (weights.device.dtype === mx.float32) return (hidden) => head.forward(hidden);
  if ('dense' in factor) return (hidden) => mx.astype(head.forward(hidden), mx.float32);
  const exact = (array: mx.MxArray) => weights.arrays.make([], () => mx.astype(array, mx.float32));
  const scales = exact(factor.scales);
  const biases = exact(factor.biases);
  const product = new Linear({ ...factor, scales, biases, result: undefined }, bias);
  return (hidden) => product.forward(hidden);
}

/** Returns cap · tanh(x / cap), or `x` itself without a cap. */
export function softCap(x: mx.MxArray, cap: number | undefined): mx.MxArray {
  return cap === undefined ? x : mx.multiply(mx.tanh(mx.multiply(x, 1 / cap)), cap);
}
