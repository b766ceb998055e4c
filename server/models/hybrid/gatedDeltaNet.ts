// A gated delta layer (Qwen3-Next, Qwen3.5): projections, a short convolution, the gated delta rule, a gated norm.
// Names equal the checkpoint's. Knows nothing about decoding.
import type { Mixer } from '../decoderBlock';
import type { Device } from '../device';
import { cacheOf } from '../layerCache';
import * as mx from '../ops';
import type { Weights } from '../weights';
import { advance, deltaRule, type Block, type DeltaInputs } from './deltaRule';
import { channelsOf, type DeltaSizes, type LoadProjections } from './projections';
import { RecurrentCache } from './recurrentCache';

/** Of the sum of squares of a query or a key. */
const UNIT_EPS = 1e-6;

/** What such layers share in one pass. */
interface BlockedPass {
  readonly blocks: readonly Block[];
}

/** Takes the tensors under `path`. */
export function gatedDeltaNet(
  weights: Weights,
  path: string,
  sizes: DeltaSizes,
  loadProjections: LoadProjections,
  { dtype }: Device,
): Mixer<BlockedPass> {
  const { hiddenSize, rmsNormEps, linearNumKeyHeads: keyHeads, linearNumValueHeads: heads } = sizes;
  const { linearKeyHeadDim: keyDim, linearValueHeadDim: valueDim } = sizes;
  const perHead = (a: mx.MxArray): mx.MxArray => mx.reshape(a, keyHeads, -1, 1, 1);
  const project = loadProjections(weights, path, sizes);
  // In float32: [taps, channels]; -exp(A_log) and the bias, [Hk, R, 1, 1]; weights with which a norm yields unit
  // vectors, [keyDim].
  const conv1d = loadKernel(weights, `${path}.conv1d.weight`, sizes);
  const decay = weights.tensor(`${path}.A_log`, [heads], (log) => perHead(mx.multiply(mx.exp(log), -1)));
  const dtBias = weights.tensor(`${path}.dt_bias`, [heads], perHead);
  const norm = weights.vector(`${path}.norm.weight`, valueDim);
  const unit = weights.constant(Array<number>(keyDim).fill(keyDim ** -0.5), mx.float32);
  const outProj = weights.linear(`${path}.out_proj`, hiddenSize, heads * valueDim);

  /** The outputs of the convolution, [1, rows, channels], and of `b` and `a`, [1, rows, value heads]. */
  const inputsOf = (mixed: mx.MxArray, b: mx.MxArray, a: mx.MxArray): DeltaInputs => {
    const rows = mixed.shape[1] ?? 0;
    const keys = 2 * keyHeads * keyDim;
    const asked = mx.reshape(mx.slice(mixed, 2, 0, keys), rows, 2, keyHeads, keyDim);
    const byHead = (y: mx.MxArray, width: number): mx.MxArray => {
      const exact = mx.astype(y, mx.float32);
      if (rows === 1) return mx.reshape(exact, keyHeads, -1, 1, width);
      return mx.transpose(mx.reshape(exact, rows, keyHeads, -1, width), 1, 2, 0, 3);
    };
    const units = mx.rmsNorm(mx.astype(mx.transpose(asked, 2, 1, 0, 3), mx.float32), unit, UNIT_EPS / keyDim);
    return {
      queriesAndKeys: mx.reshape(units, keyHeads, 1, 2 * rows, keyDim),
      values: byHead(mx.slice(mixed, 2, keys, mixed.shape[2] ?? 0), valueDim),
      rates: mx.sigmoid(byHead(b, 1)),
      decays: mx.multiply(decay, mx.softplus(mx.add(byHead(a, 1), dtBias))),
    };
  };

  /** Normed per head and multiplied by silu(z): [Hk, R, rows, valueDim] to [1, rows, value heads · valueDim]. */
  const gated = (outputs: mx.MxArray, z: mx.MxArray): mx.MxArray => {
    // Queries should have been divided by the root of their length, which only the norm's eps can tell.
    const normed = mx.rmsNorm(outputs, norm, rmsNormEps * keyDim);
    const byRow = mx.reshape(mx.transpose(normed, 2, 0, 1, 3), 1, outputs.shape[2] ?? 0, -1);
    return mx.astype(mx.multiply(byRow, mx.silu(mx.astype(z, mx.float32))), dtype);
  };

  return {
    memory: () => new RecurrentCache(sizes, dtype),

    forward(x, { blocks }, layerCache) {
      const rows = x.shape[1] ?? 0;
      const cache = cacheOf(RecurrentCache, layerCache);
      const { qkv, z, b, a } = project(x);
      const { memory, inputs } = cache.state();
      const window = mx.concatenate([inputs, qkv], 1);
      const mixed = mx.silu(shortConvolution(window, conv1d));
      const outputs: mx.MxArray[] = [];
      let state = memory;
      for (const { from, to, mask } of blocks) {
        const part = (y: mx.MxArray): mx.MxArray => (to - from === rows ? y : mx.slice(y, 1, from, to));
        const block = deltaRule(inputsOf(part(mixed), part(b), part(a)), state, mask);
        outputs.push(block.outputs);
        if (to < rows) {
          state = advance(state, block.rows);
          continue;
        }
        // The last block is recorded.
        const kept = inputs.shape[1] ?? 0;
        const before = from === 0 ? inputs : mx.copy(mx.slice(window, 1, from, from + kept));
        const recorded = from === 0 ? qkv : mx.copy(part(qkv));
        cache.append(rows, { memory: state, inputs: before }, { ...block.rows, inputs: recorded });
      }
      const [only] = outputs;
      return outProj.forward(gated(only && outputs.length === 1 ? only : mx.concatenate(outputs, 2), z));
    },
  };
}

/** [channels, 1, taps] as Hugging Face stores it, or [channels, taps, 1] as mlx-lm does, to [taps, channels]. */
function loadKernel(weights: Weights, name: string, sizes: DeltaSizes): mx.MxArray {
  const [channels, taps] = [channelsOf(sizes), sizes.linearConvKernelDim];
  const shape = weights.shapeOf(name)?.at(-1) === 1 ? [channels, taps, 1] : [channels, 1, taps];
  return weights.tensor(name, shape, (stored) =>
    mx.copy(mx.transpose(mx.reshape(stored, channels, taps), 1, 0)),
  );
}

/**
 * The short causal convolution, each channel separately, by shifted products and sums: a step has few rows, for which
 * the general kernel is slow on the CPU. `window` [1, taps - 1 + rows, channels], of which the first rows are those
 * before, and `kernel` [taps, channels] to [1, rows, channels].
 */
function shortConvolution(window: mx.MxArray, kernel: mx.MxArray): mx.MxArray {
  const [taps = 0] = kernel.shape;
  const rows = (window.shape[1] ?? 0) - taps + 1;
  const shifted = (tap: number): mx.MxArray =>
    mx.multiply(mx.slice(window, 1, tap, tap + rows), mx.slice(kernel, 0, tap, tap + 1));
  let sum = shifted(0);
  for (let tap = 1; tap < taps; tap++) sum = mx.add(sum, shifted(tap));
  return sum;
}
