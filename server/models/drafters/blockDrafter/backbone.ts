// The network of a block drafter: one pass over a block of rows. The target's taps enter as keys and values only. It
// does not know which token a row predicts.
import { loadAttention, type PreparedAttention } from '../../decoder/attention';
import { sightMask } from '../../decoder/sightMask';
import { compiled, type Arrays } from '../../mlx/compiled';
import { decoderBlock } from '../../decoder/decoderBlock';
import type { DrafterFiles } from '../drafter';
import { gatedMlp } from '../../decoder/gatedMlp';
import { KVCache } from '../../decoder/kvCache';
import * as mx from '../../mlx/ops';
import { newRope } from '../../decoder/rope';
import type { TargetConfig } from '../../decoder/target';
import { Weights } from '../../checkpoint/weights';
import { convolved } from './groupedConv';
import type { BlockConfig } from './blockConfig';

/** Possible prefixes of all tensor names: some exporters wrap the drafter in a module. */
export const PREFIXES = ['', 'model.'];
/** Modules to repack. Norms, small heads, convolutions and the projection of the taps stay as stored. */
const REPACKED = /^(layers\.\d+\.(self_attn|mlp)\.|embed_tokens$|lm_head$)/;

/** Opens the weights of a drafter and builds a network from them, repacked into `files.bits` if that is given. */
export async function loadWeights<T>(files: DrafterFiles, build: (weights: Weights) => T): Promise<T> {
  const { bits } = files;
  const repacking = bits === undefined ? undefined : { bits, modules: REPACKED };
  return await Weights.load({ ...files, prefixes: PREFIXES, repacking }, build);
}

export type Backbone = ReturnType<typeof loadBackbone>;

/** Loads the layers of a block drafter, its projection of the target's taps and its norms. */
export function loadBackbone(weights: Weights, config: BlockConfig, target: TargetConfig) {
  const { hiddenSize, targetLayerIds, rmsNormEps, numKeyValueHeads: heads, headDim } = config;
  const { dtype } = weights.device;
  const layers = config.layerSights.map((sight, i) => {
    const path = `layers.${String(i)}`;
    const attention = loadAttention(weights, `${path}.self_attn`, config);
    const prepare = (x: mx.MxArray, rows: number, seen?: mx.MxArray): PreparedAttention => [
      ...attention.keysValues(seen ? mx.concatenate([seen, x], 1) : x, rows + (seen?.shape[1] ?? 0)),
      ...attention.queries(x, rows),
    ];
    const plain = {
      mixer: { ...attention, prepare },
      feedForward: gatedMlp(weights, `${path}.mlp`, config),
    };
    const parts = config.conv ? convolved(weights, path, { ...config, conv: config.conv }, plain) : plain;
    const { before, after } = decoderBlock(weights, path, config, parts);
    const finish = compiled(weights, (rows, h: mx.MxArray, ...mixed: Arrays) => [after(h, mixed, rows)]);
    return { sight, attention, before, finish };
  });
  const rotateAt = newRope(config.rope, weights);
  const fc = weights.linear('fc', hiddenSize, targetLayerIds.length * target.hiddenSize);
  const hiddenNorm = weights.vector('hidden_norm.weight', hiddenSize);
  const norm = weights.vector('norm.weight', hiddenSize);

  return {
    /** Creates empty caches, one per layer, for the keys and values of the taps within the layer's sight. */
    newContexts: (expectedRows: number): KVCache[] =>
      layers.map(({ sight: { window } }) => new KVCache({ heads, headDim, dtype, window }, expectedRows)),

    /** Projects taps [1, rows, taps · hiddenSize] to the rows that all layers attend to, [1, rows, hiddenSize]. */
    condition: (taps: mx.MxArray): mx.MxArray => mx.rmsNorm(fc.forward(taps), hiddenNorm, rmsNormEps),

    /** Appends the keys and values of `condition` to the context of every layer. */
    absorb(condition: mx.MxArray, contexts: readonly KVCache[]): void {
      const rows = condition.shape[1] ?? 0;
      const rotate = rotateAt(offsetOf(contexts), rows);
      for (const [i, { attention }] of layers.entries()) {
        const [keys, values] = attention.keysValues(condition, rows);
        contexts[i]?.append(rotate(keys), values);
      }
    },

    /**
     * Runs a block of embedded rows [1, rows, hiddenSize] through all layers. They attend to the contexts, to the rows
     * of `condition`, which the contexts absorb in the same operations, and to each other.
     */
    forward(rows: mx.MxArray, contexts: readonly KVCache[], condition?: mx.MxArray): mx.MxArray {
      const count = rows.shape[1] ?? 0;
      const absorbed = offsetOf(contexts);
      const pendingCount = condition?.shape[1] ?? 0;
      const start = absorbed + pendingCount;
      const rotate = rotateAt(start, count);
      const rotateAll = condition ? rotateAt(absorbed, pendingCount + count) : rotate;
      const sights = new Set(config.layerSights);
      const masks = new Map([...sights].map((sight) => [sight, sightMask(sight, start, count, dtype)]));
      return layers.reduce((h, { attention, before, finish, sight }, i) => {
        const context = contexts[i];
        if (context === undefined) return h;
        const [keys, values, queries, ...gates] = before(h, count, condition);
        const seen = context.append(rotateAll(keys), values, count);
        const mixed = attention.attend([queries, ...gates], { rotate, mask: masks.get(sight) }, seen);
        // Drops the block's own keys and values again: O(1), no copy.
        context.trimTo(start);
        return finish(count, h, ...mixed)[0];
      }, rows);
    },

    /** Applies the final norm, [1, rows, hiddenSize]. */
    normed: (h: mx.MxArray): mx.MxArray => mx.rmsNorm(h, norm, rmsNormEps),
  };
}

function offsetOf([first]: readonly KVCache[]): number {
  return first?.offset ?? 0;
}
