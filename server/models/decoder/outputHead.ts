// The product of an output head. Its outputs are always float32: near ties, confidence and probabilities depend on
// differences that 16 bits do not have (steps of 0.125 for a logit of 20).
import { Linear } from './linear';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

/** Packed weights are multiplied in float32; of dense ones only the outputs are converted. [.., hidden] to [.., out] */
export function outputHead(weights: Weights, head: Linear): (hidden: mx.MxArray) => mx.MxArray {
  const { weights: factor, bias } = head;
  if (weights.device.dtype === mx.float32) return (hidden) => head.forward(hidden);
  if ('dense' in factor) return (hidden) => mx.astype(head.forward(hidden), mx.float32);
  const exact = (array: mx.MxArray) => weights.arrays.make([], () => mx.astype(array, mx.float32));
  const [scales, biases] = [exact(factor.scales), exact(factor.biases)];
  const product = new Linear({ ...factor, scales, biases, result: undefined }, bias);
  return (hidden) => product.forward(hidden);
}
