// The layers of a block drafter: one pass over a block of rows. The target's taps enter as keys and values only. The
// layers are the same whether a row predicts its own token or the next one.
import { loadAttention, type PreparedAttention } from '../../decoder/attention';
import { attentionMask, type AttentionPattern } from '../../decoder/attentionMask';
import { compiled, type Arrays } from '../../mlx/compiled';
import { decoderBlock } from '../../decoder/decoderBlock';
import { gatedMlp } from '../../decoder/gatedMlp';
import { KVCache } from '../../decoder/kvCache';
import type { Linear } from '../../mlx/linear';
import * as mx from '../../mlx/ops';
import { newRope } from '../../decoder/rope';
import type { TargetConfig } from '../../decoder/target';
import type { Weights } from '../../checkpoint/weights';
import { convolved } from './groupedConv';
import type { BlockConfig } from './blockConfig';

export class Backbone {
  readonly #config: BlockConfig;
  readonly #dtype: mx.Dtype;
  readonly #layers: readonly ReturnType<typeof loadLayer>[];
  readonly #rotateAt: ReturnType<typeof newRope>;
  /** Projection of the taps. */
  readonly #fc: Linear;
  /** Weights of the norm after that projection. */
  readonly #hiddenNorm: mx.MxArray;
  readonly #norm: mx.MxArray;

  /** Takes the layers of the drafter, its projection of the target's taps and its norms from `weights`. */
  constructor(weights: Weights, config: BlockConfig, target: TargetConfig) {
    const { hiddenSize, targetLayerIds } = config;
    this.#config = config;
    this.#dtype = weights.device.dtype;
    this.#layers = config.layerPatterns.map((pattern, i) =>
      loadLayer(weights, `layers.${String(i)}`, config, pattern),
    );
    this.#rotateAt = newRope(config.rope, weights);
    this.#fc = weights.linear('fc', hiddenSize, targetLayerIds.length * target.hiddenSize);
    this.#hiddenNorm = weights.vector('hidden_norm.weight', hiddenSize);
    this.#norm = weights.vector('norm.weight', hiddenSize);
  }

  /** Creates empty caches, one per layer, for the keys and values of the taps that the layer attends to. */
  newContexts(expectedRows: number): KVCache[] {
    const { numKeyValueHeads: heads, headDim, layerPatterns } = this.#config;
    const dtype = this.#dtype;
    return layerPatterns.map(({ window }) => new KVCache({ heads, headDim, dtype, window }, expectedRows));
  }

  /** Projects taps [1, rows, taps · hiddenSize] to the rows that all layers attend to, [1, rows, hiddenSize]. */
  project(taps: mx.MxArray): mx.MxArray {
    return mx.rmsNorm(this.#fc.forward(taps), this.#hiddenNorm, this.#config.rmsNormEps);
  }

  /** Appends the keys and values of `projectedTaps` to the context of every layer. */
  absorb(projectedTaps: mx.MxArray, contexts: readonly KVCache[]): void {
    const rows = projectedTaps.shape[1] ?? 0;
    const rotate = this.#rotateAt(offsetOf(contexts), rows);
    for (const [i, { attention }] of this.#layers.entries()) {
      const [keys, values] = attention.keysValues(projectedTaps, rows);
      contexts[i]?.append(rotate(keys), values);
    }
  }

  /**
   * Runs a block of embedded rows [1, rows, hiddenSize] through all layers, without the final norm. The rows attend, by
   * the pattern of each layer, to the contexts, to `projectedTaps` and to each other. The contexts absorb
   * `projectedTaps` in the same operations.
   */
  forward(rows: mx.MxArray, contexts: readonly KVCache[], projectedTaps?: mx.MxArray): mx.MxArray {
    const count = rows.shape[1] ?? 0;
    const absorbed = offsetOf(contexts);
    const pendingCount = projectedTaps?.shape[1] ?? 0;
    const start = absorbed + pendingCount;
    const rotate = this.#rotateAt(start, count);
    const rotateAll = projectedTaps ? this.#rotateAt(absorbed, pendingCount + count) : rotate;
    const masks = this.#masks(start, count);
    return this.#layers.reduce((h, { attention, before, finish, pattern }, i) => {
      const context = contexts[i];
      if (context === undefined) return h;
      const [keys, values, queries, ...gates] = before(h, count, projectedTaps);
      const seen = context.append(rotateAll(keys), values, count);
      const mixed = attention.attend([queries, ...gates], { rotate, mask: masks.get(pattern) }, seen);
      // Drops the block's own keys and values again: O(1), no copy.
      context.trimTo(start);
      return finish(count, h, ...mixed)[0];
    }, rows);
  }

  /** Makes one mask per pattern, for `count` rows from position `start` on. */
  #masks(start: number, count: number): ReadonlyMap<AttentionPattern, mx.Mask> {
    const patterns = new Set(this.#config.layerPatterns);
    return new Map(
      [...patterns].map((pattern) => [pattern, attentionMask(pattern, start, count, this.#dtype)]),
    );
  }

  /** Applies the final norm, [1, rows, hiddenSize]. */
  normed(h: mx.MxArray): mx.MxArray {
    return mx.rmsNorm(h, this.#norm, this.#config.rmsNormEps);
  }
}

/** Loads the layer at `path`, whose rows attend by `pattern`. */
function loadLayer(weights: Weights, path: string, config: BlockConfig, pattern: AttentionPattern) {
  const attention = loadAttention(weights, `${path}.self_attn`, config);
  const prepare = (x: mx.MxArray, rows: number, seen?: mx.MxArray): PreparedAttention => [
    ...attention.keysValues(seen ? mx.concatenate([seen, x], 1) : x, rows + (seen?.shape[1] ?? 0)),
    ...attention.queries(x, rows),
  ];
  const base = {
    mixer: { ...attention, prepare },
    feedForward: gatedMlp(weights, `${path}.mlp`, config),
  };
  const { conv } = config;
  const parts = conv ? convolved(weights, path, { conv, hiddenSize: config.hiddenSize }, base) : base;
  const { before, after } = decoderBlock(weights, path, config, parts);
  const finish = compiled(weights, (rows, h: mx.MxArray, ...mixed: Arrays) => [after(h, mixed, rows)]);
  return { pattern, attention, before, finish };
}

function offsetOf([first]: readonly KVCache[]): number {
  return first?.offset ?? 0;
}
