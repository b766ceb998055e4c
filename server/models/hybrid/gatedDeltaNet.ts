// A gated delta layer (Qwen3-Next, Qwen3.5): projections, a short convolution, the gated delta rule, a gated norm.
// Names of sizes and tensors are the checkpoint's. In shapes, Hk is the number of key heads, and R the number of value
// heads that share each of them.
import type { Mixer } from '../decoder/decoderBlock';
import { compiled, type Build } from '../mlx/compiled';
import { cacheOf } from '../decoder/layerCache';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';
import { advance, deltaRule, type Block, type DeltaInputs } from './deltaRule';
import { channelsOf, type DeltaSizes, type LoadProjections } from './projections';
import { RecurrentCache } from './recurrentCache';
import { stateAfter, type RecurrentRows, type RecurrentState } from './recurrentHistory';

/** Epsilon of the sum of squares of a query or a key. */
const UNIT_EPS = 1e-6;

/** Data that all gated delta layers share in a pass. */
interface BlockedPass {
  readonly rows: number;
  readonly blocks: readonly Block[];
}

/** Queries, keys and values before the convolution, [1, rows, channels], and the inputs of rates and decays. */
type Projections = [qkv: mx.MxArray, b: mx.MxArray, a: mx.MxArray];
/** Queries, keys and values after the convolution, the inputs of rates and decays, and the masks of the block. */
type BlockInputs = [mixed: mx.MxArray, b: mx.MxArray, a: mx.MxArray, ...mask: mx.MxArray[]];
/** Outputs of the queries, and the changes that the rows make to the state. */
type BlockOutputs = [outputs: mx.MxArray, keys: mx.MxArray, deltas: mx.MxArray, decays: mx.MxArray];
/** A state, and the rows to add to it. */
type StateInputs = [
  ...state: [memory: mx.MxArray, inputs: mx.MxArray],
  ...rows: [keys: mx.MxArray, deltas: mx.MxArray, decays: mx.MxArray, inputs: mx.MxArray],
];

/** Runs the rows of a pass through the delta rule, block by block, and records the last block in the layer's cache. */
class BlockReader {
  readonly #convolve: Build<[before: mx.MxArray, qkv: mx.MxArray], [mx.MxArray]>;
  readonly #recall: Build<[memory: mx.MxArray, ...BlockInputs], BlockOutputs>;
  readonly #advance: Build<StateInputs, [memory: mx.MxArray, inputs: mx.MxArray]>;

  constructor(
    weights: Weights,
    path: string,
    private readonly sizes: DeltaSizes,
  ) {
    const kernel = loadKernel(weights, `${path}.conv1d.weight`, sizes);
    const inputsOf = loadDeltaInputs(weights, path, sizes);
    this.#convolve = compiled(weights, (rows, before: mx.MxArray, qkv: mx.MxArray) => [
      mx.silu(shortConvolution(mx.concatenate([before, qkv], 1), kernel, rows)),
    ]);
    this.#recall = compiled(weights, (rows, memory: mx.MxArray, ...inputs: BlockInputs): BlockOutputs => {
      const [mixed, b, a, ...mask] = inputs;
      const { outputs, rows: changes } = deltaRule(inputsOf(rows, mixed, [b, a]), memory, mask);
      return [outputs, changes.keys, changes.deltas, changes.decays];
    });
    this.#advance = compiled(weights, (_, ...arrays: StateInputs) => {
      const [memory, inputs, keys, deltas, decays, added] = arrays;
      const state = stateAfter({ memory, inputs }, { keys, deltas, decays, inputs: added });
      return [state.memory, state.inputs];
    });
  }

  /**
   * Returns the outputs of each block, [Hk, R, rows, valueDim]. The cache records the rows of the last block, with the
   * state and the inputs of the convolution before it.
   */
  read([qkv, b, a]: Projections, { rows, blocks }: BlockedPass, cache: RecurrentCache): mx.MxArray[] {
    const { memory, inputs } = cache.state((state, added) => this.#stateAfter(state, added));
    const [mixed] = this.#convolve(rows, inputs, qkv);
    const outputs: mx.MxArray[] = [];
    let state = memory;
    for (const { from, to, mask } of blocks) {
      const part = (y: mx.MxArray): mx.MxArray => (to - from === rows ? y : mx.slice(y, 1, from, to));
      const block = this.#recall(to - from, state, part(mixed), part(b), part(a), ...mask);
      const [output, keys, deltas, decays] = block;
      outputs.push(output);
      if (to < rows) {
        state = advance(state, { keys, deltas, decays });
        continue;
      }
      const recorded = from === 0 ? qkv : mx.copy(part(qkv));
      const before = { memory: state, inputs: this.#inputsBefore(from, inputs, qkv) };
      cache.append(rows, before, { keys, deltas, decays, inputs: recorded });
    }
    return outputs;
  }

  #stateAfter(
    { memory, inputs }: RecurrentState,
    { keys, deltas, decays, inputs: added }: RecurrentRows,
  ): RecurrentState {
    const next = this.#advance(added.shape[1] ?? 0, memory, inputs, keys, deltas, decays, added);
    return { memory: next[0], inputs: next[1] };
  }

  /** Returns the inputs before row `from` that its convolution covers, [1, taps - 1, channels]. */
  #inputsBefore(from: number, inputs: mx.MxArray, qkv: mx.MxArray): mx.MxArray {
    if (from === 0) return inputs;
    const window = mx.concatenate([inputs, mx.slice(qkv, 1, 0, from)], 1);
    return mx.copy(mx.slice(window, 1, from, from + this.sizes.linearConvKernelDim - 1));
  }
}

/** Loads the layer at `path`. */
export function gatedDeltaNet(
  weights: Weights,
  path: string,
  sizes: DeltaSizes,
  loadProjections: LoadProjections,
): Mixer<BlockedPass> {
  const project = loadProjections(weights, path, sizes);
  const reader = new BlockReader(weights, path, sizes);
  return {
    cacheSource: () => new RecurrentCache(sizes, weights.device.dtype),

    prepare(x) {
      const { qkv, z, b, a } = project(x);
      return [z, qkv, b, a];
    },

    attend([z, ...projections]: [z: mx.MxArray, ...Projections], pass, cache) {
      const outputs = reader.read(projections, pass, cacheOf(RecurrentCache, cache));
      const [first] = outputs;
      return [first && outputs.length === 1 ? first : mx.concatenate(outputs, 2), z];
    },

    oProj: loadOutput(weights, path, sizes),
  };
}

/**
 * Loads the conversion to inputs of the delta rule, all in float32: from the outputs of the convolution [1, rows,
 * channels] and from `b` and `a`, [1, rows, value heads] each.
 */
function loadDeltaInputs(weights: Weights, path: string, sizes: DeltaSizes) {
  const { linearNumKeyHeads: keyHeads, linearNumValueHeads: heads } = sizes;
  const { linearKeyHeadDim: keyDim, linearValueHeadDim: valueDim } = sizes;
  const channels = channelsOf(sizes);
  const perHead = (array: mx.MxArray): mx.MxArray => mx.reshape(array, keyHeads, -1, 1, 1);
  // -exp(A_log) and the bias of the decays, [Hk, R, 1, 1].
  const decay = weights.tensor(`${path}.A_log`, [heads], (log) => perHead(mx.multiply(mx.exp(log), -1)));
  const dtBias = weights.tensor(`${path}.dt_bias`, [heads], perHead);
  // Weights with which a norm yields unit vectors, [keyDim].
  const unit = weights.constant(Array<number>(keyDim).fill(keyDim ** -0.5), mx.float32);

  return (rows: number, mixed: mx.MxArray, [b, a]: readonly [mx.MxArray, mx.MxArray]): DeltaInputs => {
    const keys = 2 * keyHeads * keyDim;
    const queriesAndKeys = mx.reshape(mx.slice(mixed, 2, 0, keys), rows, 2, keyHeads, keyDim);
    const byHead = (y: mx.MxArray, width: number): mx.MxArray => {
      const exact = mx.astype(y, mx.float32);
      if (rows === 1) return mx.reshape(exact, keyHeads, -1, 1, width);
      return mx.transpose(mx.reshape(exact, rows, keyHeads, -1, width), 1, 2, 0, 3);
    };
    const exact = mx.astype(mx.transpose(queriesAndKeys, 2, 1, 0, 3), mx.float32);
    const units = mx.rmsNorm(exact, unit, UNIT_EPS / keyDim);
    return {
      queriesAndKeys: mx.reshape(units, keyHeads, 1, 2 * rows, keyDim),
      values: byHead(mx.slice(mixed, 2, keys, channels), valueDim),
      rates: mx.sigmoid(byHead(b, 1)),
      decays: mx.multiply(decay, mx.softplus(mx.add(byHead(a, 1), dtBias))),
    };
  };
}

/** Loads the gated norm per head and the output projection: [Hk, R, rows, valueDim] to [1, rows, hidden]. */
function loadOutput(weights: Weights, path: string, sizes: DeltaSizes): Mixer<BlockedPass>['oProj'] {
  const { hiddenSize, rmsNormEps, linearNumValueHeads, linearKeyHeadDim, linearValueHeadDim } = sizes;
  const norm = weights.vector(`${path}.norm.weight`, linearValueHeadDim);
  const outProj = weights.linear(`${path}.out_proj`, hiddenSize, linearNumValueHeads * linearValueHeadDim);
  return ([outputs, z]: [mx.MxArray, mx.MxArray], rows) => {
    // Queries were not divided by the root of their width, so outputs are larger by that factor. The norm cancels it if
    // its epsilon is larger by the square of the factor.
    const normed = mx.rmsNorm(outputs, norm, rmsNormEps * linearKeyHeadDim);
    const byRow = mx.reshape(mx.transpose(normed, 2, 0, 1, 3), 1, rows, -1);
    const gated = mx.multiply(byRow, mx.silu(mx.astype(z, mx.float32)));
    return outProj.forward(mx.astype(gated, weights.device.dtype));
  };
}

/**
 * Loads the kernel of the convolution as [taps, channels] in float32. Hugging Face stores it as [channels, 1, taps],
 * mlx-lm as [channels, taps, 1].
 */
function loadKernel(weights: Weights, name: string, sizes: DeltaSizes): mx.MxArray {
  const channels = channelsOf(sizes);
  const taps = sizes.linearConvKernelDim;
  const shape = weights.shapeOf(name)?.at(-1) === 1 ? [channels, taps, 1] : [channels, 1, taps];
  return weights.tensor(name, shape, (stored) =>
    mx.copy(mx.transpose(mx.reshape(stored, channels, taps), 1, 0)),
  );
}

/**
 * Convolves each channel causally, by shifted products and sums: a step has few rows, for which the general kernel is
 * slow on a CPU. `window` [1, taps - 1 + rows, channels] begins with the earlier rows; `kernel` is [taps, channels].
 * Returns [1, rows, channels].
 */
function shortConvolution(window: mx.MxArray, kernel: mx.MxArray, rows: number): mx.MxArray {
  const [taps = 0] = kernel.shape;
  const shifted = (tap: number): mx.MxArray =>
    mx.multiply(mx.slice(window, 1, tap, tap + rows), mx.slice(kernel, 0, tap, tap + 1));
  let sum = shifted(0);
  for (let tap = 1; tap < taps; tap++) sum = mx.add(sum, shifted(tap));
  return sum;
}
