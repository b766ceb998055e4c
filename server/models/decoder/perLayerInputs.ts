// The additional inputs of every layer in the small Gemma 4 models: a row for each token from a second table, mixed
// with a projection of the token's embedding.
import type { AddInput } from './decoderBlock';
import * as mx from '../mlx/ops';
import type { Weights } from '../checkpoint/weights';

export interface PerLayerSizes {
  /** Width of the input of one layer. */
  readonly hiddenSizePerLayerInput: number;
  /** Rows of the second table. */
  readonly vocabSizePerLayerInput: number;
}

interface Sizes extends PerLayerSizes {
  readonly hiddenSize: number;
  readonly numHiddenLayers: number;
  readonly rmsNormEps: number;
}

export interface PerLayerInputs {
  /**
   * Computes the inputs of all layers from tokens [rows] and their embeddings [1, rows, hidden]. The result returns the
   * input of one layer, [1, rows, width].
   */
  at(tokens: mx.MxArray, embedded: mx.MxArray): (layer: number) => mx.MxArray;
  /** Loads the projections with which the layer at `path` adds its input to its output. */
  loadAdding(path: string): AddInput;
}

/** Loads the tensors at `root` that all layers share. */
export function perLayerInputs(weights: Weights, root: string, sizes: Sizes): PerLayerInputs {
  const { hiddenSizePerLayerInput: width, hiddenSize, numHiddenLayers: layers, rmsNormEps } = sizes;
  const allWidths = layers * width;
  const table = weights.embedding(`${root}.embed_tokens_per_layer`, sizes.vocabSizePerLayerInput, allWidths);
  const projection = weights.linear(`${root}.per_layer_model_projection`, allWidths, hiddenSize);
  const norm = weights.norm(`${root}.per_layer_projection_norm`, width);
  return {
    at(tokens, embedded) {
      const byLayer = (x: mx.MxArray) => mx.reshape(x, 1, tokens.size, layers, width);
      const fromTable = mx.multiply(byLayer(table.embed(tokens)), Math.sqrt(width));
      // The scale comes before the norm, because the norm's epsilon matters for small rows.
      const projected = byLayer(mx.multiply(projection.forward(embedded), hiddenSize ** -0.5));
      const mixed = mx.multiply(mx.add(mx.rmsNorm(projected, norm, rmsNormEps), fromTable), Math.SQRT1_2);
      return (layer) => mx.reshape(mx.slice(mixed, 2, layer, layer + 1), 1, tokens.size, width);
    },

    loadAdding(path) {
      const gate = weights.linear(`${path}.per_layer_input_gate`, width, hiddenSize);
      const back = weights.linear(`${path}.per_layer_projection`, hiddenSize, width);
      const after = weights.norm(`${path}.post_per_layer_input_norm`, hiddenSize);
      return (h, input) => {
        const gated = mx.multiply(mx.gelu(gate.forward(h)), input);
        return mx.add(h, mx.rmsNorm(back.forward(gated), after, rmsNormEps));
      };
    },
  };
}
