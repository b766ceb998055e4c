// Dense Qwen3, tied or untied, after mlx-lm `models/qwen3.py`: attention with per-head norms and a gated MLP.
// Names equal the checkpoint's. Knows nothing about decoding.
import type { ConfigFields } from '../configFields';
import type { Device } from '../device';
import { KVCache } from '../kvCache';
import { cacheOf, type LayerCache } from '../layerCache';
import { AttentionProjections, GatedMlp } from '../layers';
import type { Embedding, Linear } from '../linear';
import * as mx from '../ops';
import { newRope, type Rope, type Rotate } from '../rope';
import type { Forward, TargetModel } from '../target';
import { Weights } from '../weights';
import { parseQwen3Config, type Qwen3Config } from './config';

class Qwen3Block {
  constructor(
    private readonly config: Qwen3Config,
    readonly selfAttn: AttentionProjections,
    readonly mlp: GatedMlp,
    readonly inputLayernorm: mx.MxArray,
    readonly postAttentionLayernorm: mx.MxArray,
  ) {}

  static load(weights: Weights, path: string, config: Qwen3Config): Qwen3Block {
    return new Qwen3Block(
      config,
      AttentionProjections.load(weights, `${path}.self_attn`, config),
      GatedMlp.load(weights, `${path}.mlp`, config.hiddenSize, config.intermediateSize),
      weights.vector(`${path}.input_layernorm.weight`, config.hiddenSize),
      weights.vector(`${path}.post_attention_layernorm.weight`, config.hiddenSize),
    );
  }

  forward(h: mx.MxArray, rotate: Rotate, mask: mx.Mask, cache: KVCache): mx.MxArray {
    const { rmsNormEps } = this.config;
    const x = mx.rmsNorm(h, this.inputLayernorm, rmsNormEps);
    const { keys, values } = cache.append(this.selfAttn.keys(x, rotate), this.selfAttn.values(x));
    const attended = mx.add(h, this.selfAttn.attend(this.selfAttn.queries(x, rotate), keys, values, mask));
    return mx.add(attended, this.mlp.forward(mx.rmsNorm(attended, this.postAttentionLayernorm, rmsNormEps)));
  }
}

export class Qwen3 implements TargetModel {
  private constructor(
    readonly config: Qwen3Config,
    private readonly device: Device,
    private readonly weights: Weights,
    readonly rope: Rope,
    readonly embedTokens: Embedding,
    readonly layers: readonly Qwen3Block[],
    readonly norm: mx.MxArray,
    readonly lmHead: Linear,
  ) {}

  static async load(
    directory: string,
    fields: ConfigFields,
    device: Device,
    onProgress?: (fraction: number) => void,
  ): Promise<Qwen3> {
    const config = parseQwen3Config(directory, fields);
    const { vocabSize, hiddenSize, numHiddenLayers } = config;
    return await Weights.load(directory, { fields, device }, async (weights) => {
      const rope = newRope(config.rope, device, weights);
      const embedTokens = weights.embedding('model.embed_tokens', vocabSize, hiddenSize);
      const layers: Qwen3Block[] = [];
      for (let i = 0; i < numHiddenLayers; i++) {
        layers.push(Qwen3Block.load(weights, `model.layers.${String(i)}`, config));
        await weights.settle();
        onProgress?.((i + 1) / numHiddenLayers);
      }
      const norm = weights.vector('model.norm.weight', hiddenSize);
      weights.ignore(/rotary_emb\.inv_freq$/);
      const head = loadHead(weights, embedTokens, config);
      return new Qwen3(config, device, weights, rope, embedTokens, layers, norm, head);
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
    const inLayers = this.layers.flatMap(({ selfAttn, mlp }) => [...selfAttn.linears(), ...mlp.linears()]);
    return [...inLayers, this.lmHead];
  }

  dispose(): void {
    this.weights.dispose();
  }

  #layer(index: number): Qwen3Block {
    const layer = this.layers[index];
    if (layer === undefined) throw new RangeError(`Expected ${String(this.layers.length)} caches, got more`);
    return layer;
  }
}

/** A separate head when the checkpoint has one and does not call itself tied, else the embedding table. */
function loadHead(weights: Weights, embedTokens: Embedding, config: Qwen3Config): Linear {
  if (config.tieWordEmbeddings) {
    weights.ignore(/^lm_head\./);
    return embedTokens.asLinear();
  }
  return weights.linear('lm_head', config.vocabSize, config.hiddenSize);
}
