// The short causal convolution over the inputs of a gated delta layer, each channel by itself. Shifted products and
// sums: a step has few rows, for which the general kernel is slow on the CPU.
import * as mx from '../ops';

/**
 * `window` [1, taps - 1 + rows, channels], of which the first rows are those before, and `kernel` [taps, channels]
 * to [1, rows, channels].
 */
export function shortConvolution(window: mx.MxArray, kernel: mx.MxArray): mx.MxArray {
  const [taps = 0] = kernel.shape;
  const rows = (window.shape[1] ?? 0) - taps + 1;
  const shifted = (tap: number): mx.MxArray =>
    mx.multiply(mx.slice(window, 1, tap, tap + rows), mx.slice(kernel, 0, tap, tap + 1));
  let sum = shifted(0);
  for (let tap = 1; tap < taps; tap++) sum = mx.add(sum, shifted(tap));
  return sum;
}
