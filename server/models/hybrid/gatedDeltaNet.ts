// A gated delta layer (Qwen3-Next, Qwen3.5): projections, a short convolution, the gated delta rule, a gated norm.
// Names equal the checkpoint's. Knows nothing about decoding.
import type { Mixer } from '../decoder/decoderBlock';
import { compiled } from '../mlx/compiled';
import { cacheOf } from '../decoder/layerCache';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';
import { advance, deltaRule, type Block, type DeltaInputs } from './deltaRule';
import { channelsOf, type DeltaSizes, type LoadProjections } from './projections';
import { RecurrentCache } from './recurrentCache';
import { stateAfter, type StateAfter } from './recurrentHistory';

/** Of the sum of squares of a query or a key. */
const UNIT_EPS = 1e-6;

/** What such layers share in one pass. */
interface BlockedPass {
  readonly rows: number;
  readonly blocks: readonly Block[];
}

/** Of each row: what the state is read and changed by. */
type Inputs = [qkv: mx.MxArray, b: mx.MxArray, a: mx.MxArray];
type PreparedDelta = [z: mx.MxArray, ...Inputs];

/** Takes the tensors under `path`. */
export function gatedDeltaNet(
  weights: Weights,
  path: string,
  sizes: DeltaSizes,
  loadProjections: LoadProjections,
): Mixer<BlockedPass> {
  const { dtype } = weights.device;
  const { hiddenSize, rmsNormEps, linearNumKeyHeads: keyHeads, linearNumValueHeads: heads } = sizes;
  const { linearKeyHeadDim: keyDim, linearValueHeadDim: valueDim, linearConvKernelDim } = sizes;
  const channels = channelsOf(sizes);
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
  const inputsOf = (rows: number, mixed: mx.MxArray, b: mx.MxArray, a: mx.MxArray): DeltaInputs => {
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
      values: byHead(mx.slice(mixed, 2, keys, channels), valueDim),
      rates: mx.sigmoid(byHead(b, 1)),
      decays: mx.multiply(decay, mx.softplus(mx.add(byHead(a, 1), dtBias))),
    };
  };

  const convolved = compiled(weights, (rows, inputs: mx.MxArray, qkv: mx.MxArray) => [
    mx.silu(shortConvolution(mx.concatenate([inputs, qkv], 1), conv1d, rows)),
  ]);

  /** What the rows of a block recall, and what they do to the state. */
  const recalled = compiled(
    weights,
    (rows, memory: mx.MxArray, mixed: mx.MxArray, b: mx.MxArray, a: mx.MxArray, ...mask: mx.MxArray[]) => {
      const { outputs, rows: done } = deltaRule(inputsOf(rows, mixed, b, a), memory, mask);
      return [outputs, done.keys, done.deltas, done.decays];
    },
  );

  const advanced = compiled(
    weights,
    (
      _,
      memory: mx.MxArray,
      inputs: mx.MxArray,
      ...rows: [mx.MxArray, mx.MxArray, mx.MxArray, mx.MxArray]
    ) => {
      const [keys, deltas, decays, added] = rows;
      const state = stateAfter({ memory, inputs }, { keys, deltas, decays, inputs: added });
      return [state.memory, state.inputs];
    },
  );
  const after: StateAfter = (state, { keys, deltas, decays, inputs: added }) => {
    const rows = added.shape[1] ?? 0;
    const [memory, inputs] = advanced(rows, state.memory, state.inputs, keys, deltas, decays, added);
    return { memory, inputs };
  };

  /** Has the last block recorded, with the inputs of the convolution before and in it. */
  const readBlocks = ([qkv, b, a]: Inputs, { rows, blocks }: BlockedPass, cache: RecurrentCache) => {
    const { memory, inputs } = cache.state(after);
    const [mixed] = convolved(rows, inputs, qkv);
    const outputs: mx.MxArray[] = [];
    let state = memory;
    for (const { from, to, mask } of blocks) {
      const part = (y: mx.MxArray): mx.MxArray => (to - from === rows ? y : mx.slice(y, 1, from, to));
      const block = recalled(to - from, state, part(mixed), part(b), part(a), ...mask);
      const [output, keys, deltas, decays] = block;
      outputs.push(output);
      if (to < rows) {
        state = advance(state, { keys, deltas, decays });
        continue;
      }
      const kept = linearConvKernelDim - 1;
      const window = from === 0 ? inputs : mx.concatenate([inputs, mx.slice(qkv, 1, 0, from)], 1);
      const before = from === 0 ? inputs : mx.copy(mx.slice(window, 1, from, from + kept));
      const recorded = from === 0 ? qkv : mx.copy(part(qkv));
      cache.append(rows, { memory: state, inputs: before }, { keys, deltas, decays, inputs: recorded });
    }
    return outputs;
  };

  return {
    memory: () => new RecurrentCache(sizes, dtype),

    prepare(x) {
      const { qkv, z, b, a } = project(x);
      return [z, qkv, b, a];
    },

    attend([z, ...projected]: PreparedDelta, pass, cache) {
      const outputs = readBlocks(projected, pass, cacheOf(RecurrentCache, cache));
      const [only] = outputs;
      return [only && outputs.length === 1 ? only : mx.concatenate(outputs, 2), z];
    },

    /** Normed per head and multiplied by silu(z): [Hk, R, rows, valueDim] to [1, rows, value heads · valueDim]. */
    oProj([outputs, z]: [mx.MxArray, mx.MxArray], rows) {
      // Queries should have been divided by the root of their length, which only the norm's eps can tell.
      const normed = mx.rmsNorm(outputs, norm, rmsNormEps * keyDim);
      const byRow = mx.reshape(mx.transpose(normed, 2, 0, 1, 3), 1, rows, -1);
      return outProj.forward(mx.astype(mx.multiply(byRow, mx.silu(mx.astype(z, mx.float32))), dtype));
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
function shortConvolution(window: mx.MxArray, kernel: mx.MxArray, rows: number): mx.MxArray {
  const [taps = 0] = kernel.shape;
  const shifted = (tap: number): mx.MxArray =>
    mx.multiply(mx.slice(window, 1, tap, tap + rows), mx.slice(kernel, 0, tap, tap + 1));
  let sum = shifted(0);
  for (let tap = 1; tap < taps; tap++) sum = mx.add(sum, shifted(tap));
  return sum;
}
