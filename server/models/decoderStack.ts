// A whole decoder of the Llama shape: token table, layers, final norm, tied or own head.
// Tensor names equal the checkpoint's. The family brings its layers; nothing here knows about decoding.
import type { ConfigFields } from './configFields';
import type { DecoderLayer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import type { Device } from './device';
import { softCap } from './cappedAttention';
import type { LayerCache } from './layerCache';
import type { LayerKind } from './layerKind';
import { LayerPositions, type Pass } from './layerPositions';
import type { Embedding, Linear } from './linear';
import * as mx from './ops';
import { newRope } from './rope';
import type { Forward, OnProgress, TargetModel } from './target';
import { Weights } from './weights';

/** Where a model comes from and where it runs. */
export interface ModelSource {
  readonly directory: string;
  readonly fields: ConfigFields;
  readonly device: Device;
  readonly onProgress?: OnProgress | undefined;
  /** What may stand before all tensor names, the usual first. */
  readonly prefixes?: readonly string[];
  /** Tensors of the checkpoint that are no part of the decoder. */
  readonly ignored?: RegExp;
}

/** Takes the tensors under `path` for the layer of that index. */
export type LoadBlock = (weights: Weights, path: string, index: number) => DecoderLayer;

interface PlacedLayer {
  readonly layer: DecoderLayer;
  /** Shared by all layers of its kind. */
  readonly positions: LayerPositions;
}

export class DecoderStack implements TargetModel {
  private constructor(
    readonly config: DecoderConfig,
    private readonly device: Device,
    private readonly weights: Weights,
    readonly embedTokens: Embedding,
    readonly layers: readonly PlacedLayer[],
    readonly norm: mx.MxArray,
    readonly lmHead: Linear,
  ) {}

  static async load(
    { directory, fields, device, onProgress, prefixes = [''], ignored }: ModelSource,
    config: DecoderConfig,
    loadBlock: LoadBlock,
  ): Promise<DecoderStack> {
    const { vocabSize, hiddenSize, normOffset } = config;
    return await Weights.load(directory, { fields, device, prefixes, normOffset }, async (weights) => {
      const embedTokens = weights.embedding('model.embed_tokens', vocabSize, hiddenSize);
      const layers: PlacedLayer[] = [];
      for (const [i, positions] of placeLayers(config, device, weights).entries()) {
        layers.push({ layer: loadBlock(weights, `model.layers.${String(i)}`, i), positions });
        await weights.settle();
        onProgress?.(layers.length / config.numHiddenLayers);
      }
      const norm = weights.norm('model.norm', hiddenSize);
      weights.ignore(/rotary_emb\.inv_freq$/);
      if (ignored) weights.ignore(ignored);
      const head = loadHead(weights, embedTokens, config);
      return new DecoderStack(config, device, weights, embedTokens, layers, norm, head);
    });
  }

  newCaches(expectedRows: number): LayerCache[] {
    const { numKeyValueHeads: heads, headDim } = this.config;
    const shape = { heads, headDim, dtype: this.device.dtype };
    return this.layers.map(({ positions }) => positions.newCache(shape, expectedRows));
  }

  forward(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    const rows = tokens.size;
    const offset = caches[0]?.offset ?? 0;
    const passes = new Map<LayerPositions, Pass>();
    const outputs: mx.MxArray[] = [];
    let h = this.embed(tokens);
    for (const [i, cache] of caches.entries()) {
      const { layer, positions } = this.#layer(i);
      const pass = passes.get(positions) ?? positions.pass(offset, rows, this.device.dtype);
      passes.set(positions, pass);
      h = layer.forward(h, pass.rotate, pass.mask, positions.cacheOf(cache));
      outputs.push(h);
    }
    const tapped = taps.map((layer) => outputs[layer]).filter((output) => output !== undefined);
    return {
      hidden: mx.rmsNorm(h, this.norm, this.config.rmsNormEps),
      taps: tapped.length > 0 ? mx.concatenate(tapped, 2) : undefined,
    };
  }

  logits(hidden: mx.MxArray): mx.MxArray {
    const { finalLogitSoftcapping: cap } = this.config;
    const logits = this.lmHead.forward(hidden);
    return cap === undefined ? logits : softCap(logits, cap);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    const { embeddingScale: scale } = this.config;
    const rows = this.embedTokens.embed(tokens);
    return scale === undefined ? rows : mx.multiply(rows, scale);
  }

  linears(): Linear[] {
    return [...this.layers.flatMap(({ layer }) => layer.linears()), this.lmHead];
  }

  dispose(): void {
    this.weights.dispose();
  }

  #layer(index: number): PlacedLayer {
    const layer = this.layers[index];
    if (layer === undefined) throw new RangeError(`Expected ${String(this.layers.length)} caches, got more`);
    return layer;
  }
}

/** For each layer what it shares with those of its kind. */
function placeLayers(config: DecoderConfig, device: Device, weights: Weights): LayerPositions[] {
  const { rope, numHiddenLayers, attnLogitSoftcapping } = config;
  const kinds = config.layerKinds ?? Array<LayerKind>(numHiddenLayers).fill({ rope });
  const maskForm = attnLogitSoftcapping === undefined ? 'native' : 'numbers';
  const places = new Map<LayerKind, LayerPositions>();
  return kinds.map((kind) => {
    const known = places.get(kind);
    if (known) return known;
    const place = new LayerPositions(newRope(kind.rope, device, weights), kind.window, maskForm);
    places.set(kind, place);
    return place;
  });
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
