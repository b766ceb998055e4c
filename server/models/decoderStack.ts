// A whole decoder of the Llama shape: token table, equal layers on one rotation, final norm, tied or own head.
// Tensor names equal the checkpoint's. The family brings its layers; nothing here knows about decoding.
import type { ConfigFields } from './configFields';
import type { DecoderBlock } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import type { Device } from './device';
import { KVCache } from './kvCache';
import { cacheOf, type LayerCache } from './layerCache';
import type { Embedding, Linear } from './linear';
import * as mx from './ops';
import { newRope, type Rope } from './rope';
import type { Forward, OnProgress, TargetModel } from './target';
import { Weights } from './weights';

/** Where a model comes from and where it runs. */
export interface ModelSource {
  readonly directory: string;
  readonly fields: ConfigFields;
  readonly device: Device;
  readonly onProgress?: OnProgress | undefined;
}

/** Takes the tensors under `path` for the layer of that index. */
export type LoadBlock = (weights: Weights, path: string, index: number) => DecoderBlock;

export class DecoderStack implements TargetModel {
  private constructor(
    readonly config: DecoderConfig,
    private readonly device: Device,
    private readonly weights: Weights,
    readonly rope: Rope,
    readonly embedTokens: Embedding,
    readonly layers: readonly DecoderBlock[],
    readonly norm: mx.MxArray,
    readonly lmHead: Linear,
  ) {}

  static async load(
    { directory, fields, device, onProgress }: ModelSource,
    config: DecoderConfig,
    loadBlock: LoadBlock,
  ): Promise<DecoderStack> {
    const { vocabSize, hiddenSize, numHiddenLayers } = config;
    return await Weights.load(directory, { fields, device }, async (weights) => {
      const rope = newRope(config.rope, device, weights);
      const embedTokens = weights.embedding('model.embed_tokens', vocabSize, hiddenSize);
      const layers: DecoderBlock[] = [];
      for (let i = 0; i < numHiddenLayers; i++) {
        layers.push(loadBlock(weights, `model.layers.${String(i)}`, i));
        await weights.settle();
        onProgress?.((i + 1) / numHiddenLayers);
      }
      const norm = weights.vector('model.norm.weight', hiddenSize);
      weights.ignore(/rotary_emb\.inv_freq$/);
      const head = loadHead(weights, embedTokens, config);
      return new DecoderStack(config, device, weights, rope, embedTokens, layers, norm, head);
    });
  }

  newCaches(expectedRows: number): KVCache[] {
    const { numKeyValueHeads: heads, headDim } = this.config;
    return this.layers.map(() => new KVCache({ heads, headDim, dtype: this.device.dtype }, expectedRows));
  }

  forward(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    const rows = tokens.size;
    const offset = caches[0]?.offset ?? 0;
    const mask = mx.causalMask(rows, offset, this.device.dtype);
    const rotate = this.rope.at(offset, rows);
    const outputs: mx.MxArray[] = [];
    let h = this.embed(tokens);
    for (const [i, cache] of caches.entries()) {
      h = this.#layer(i).forward(h, rotate, mask, cacheOf(KVCache, cache));
      outputs.push(h);
    }
    const tapped = taps.map((layer) => outputs[layer]).filter((output) => output !== undefined);
    return {
      hidden: mx.rmsNorm(h, this.norm, this.config.rmsNormEps),
      taps: tapped.length > 0 ? mx.concatenate(tapped, 2) : undefined,
    };
  }

  logits(hidden: mx.MxArray): mx.MxArray {
    return this.lmHead.forward(hidden);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    return this.embedTokens.embed(tokens);
  }

  linears(): Linear[] {
    return [...this.layers.flatMap((layer) => layer.linears()), this.lmHead];
  }

  dispose(): void {
    this.weights.dispose();
  }

  #layer(index: number): DecoderBlock {
    const layer = this.layers[index];
    if (layer === undefined) throw new RangeError(`Expected ${String(this.layers.length)} caches, got more`);
    return layer;
  }
}

/**
 * The embedding table when the file says so, else a head of its own. A file that says nothing means what its
 * weights hold, as the defaults of exporters differ.
 */
function loadHead(weights: Weights, embedTokens: Embedding, config: DecoderConfig): Linear {
  if (config.tieWordEmbeddings ?? !weights.has('lm_head.weight')) {
    weights.ignore(/^lm_head\./);
    return embedTokens.asLinear();
  }
  return weights.linear('lm_head', config.vocabSize, config.hiddenSize);
}
