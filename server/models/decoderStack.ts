// A whole decoder of the Llama shape: token table, layers, final norm, tied or own head.
// Tensor names equal the checkpoint's. The family brings its layers; nothing here knows about decoding.
import type { ConfigFields } from './configFields';
import type { DecoderLayer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import type { Device } from './device';
import { softCap } from './cappedAttention';
import { inStreams } from './inStreams';
import type { LayerCache } from './layerCache';
import type { Embedding, Head, Linear } from './linear';
import * as mx from './ops';
import { placement } from './placement';
import type { LoadLayers, StackLayer } from './stackLayer';
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
  /** The module of everything but the head; `model` as a rule. */
  readonly root?: string;
  /** Tensors of the checkpoint that are no part of the decoder. */
  readonly ignored?: RegExp;
}

/** Takes the tensors under `path` for the layer of that index. */
export type LoadBlock = (weights: Weights, path: string, index: number) => DecoderLayer;

export class DecoderStack implements TargetModel {
  private constructor(
    readonly config: DecoderConfig,
    private readonly weights: Weights,
    readonly embedTokens: Embedding,
    readonly layers: readonly StackLayer[],
    readonly norm: mx.MxArray,
    readonly head: Head,
  ) {}

  /** A decoder whose layers are attention with a feed-forward part. */
  static async load(source: ModelSource, config: DecoderConfig, loadBlock: LoadBlock): Promise<DecoderStack> {
    return await DecoderStack.loadLayers(source, config, (weights) => {
      const place = placement(config, source.device, weights);
      return (path, index) => place(loadBlock(weights, path, index), index);
    });
  }

  static async loadLayers(
    { directory, fields, device, onProgress, prefixes = [''], root = 'model', ignored }: ModelSource,
    config: DecoderConfig,
    loadLayers: LoadLayers,
  ): Promise<DecoderStack> {
    const { vocabSize, hiddenSize, normOffset } = config;
    const options = { fields, device, prefixes, normOffset, onProgress };
    return await Weights.load(directory, options, (weights) => {
      const embedTokens = weights.embedding(`${root}.embed_tokens`, vocabSize, hiddenSize);
      const loadLayer = loadLayers(weights);
      const layers = Array.from({ length: config.numHiddenLayers }, (_, i) =>
        loadLayer(`${root}.layers.${String(i)}`, i),
      );
      const norm = weights.norm(`${root}.norm`, hiddenSize);
      weights.ignore(/rotary_emb\.inv_freq$/);
      if (ignored) weights.ignore(ignored);
      const head = loadHead(weights, embedTokens, config);
      return new DecoderStack(config, weights, embedTokens, layers, norm, head);
    });
  }

  newCaches(expectedRows: number): LayerCache[] {
    return this.layers.map((layer) => layer.newCache(expectedRows));
  }

  forward(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    // Where not all rows can be taken back, the caches remember where passes ended: these stay whole.
    if (this.config.maxBlockSize !== undefined) return this.#pass(tokens, caches, taps);
    const parts = inStreams(tokens.size, (from, to) => {
      const part = from === 0 && to === tokens.size ? tokens : mx.slice(tokens, 0, from, to);
      return this.#pass(part, caches, taps);
    });
    const tapped = parts.flatMap((part) => part.taps ?? []);
    return {
      hidden: joinRows(parts.map(({ hidden }) => hidden)),
      taps: tapped.length > 0 ? joinRows(tapped) : undefined,
    };
  }

  #pass(tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward {
    const step = { offset: caches[0]?.offset ?? 0, rows: tokens.size };
    const outputs: mx.MxArray[] = [];
    let h = this.embed(tokens);
    for (const [i, cache] of caches.entries()) {
      h = this.#layer(i).forward(h, step, cache);
      outputs.push(h);
    }
    const tapped = taps.map((layer) => outputs[layer]).filter((output) => output !== undefined);
    return {
      hidden: mx.rmsNorm(h, this.norm, this.config.rmsNormEps),
      taps: tapped.length > 0 ? mx.concatenate(tapped, 2) : undefined,
    };
  }

  logits(hidden: mx.MxArray, part = this.head): mx.MxArray {
    const { finalLogitSoftcapping: cap } = this.config;
    const logits = part.forward(hidden);
    return cap === undefined ? logits : softCap(logits, cap);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    const { embeddingScale: scale } = this.config;
    const rows = this.embedTokens.embed(tokens);
    return scale === undefined ? rows : mx.multiply(rows, scale);
  }

  linears(): Linear[] {
    return [...this.layers.flatMap((layer) => layer.linears()), this.head];
  }

  dispose(): void {
    this.weights.dispose();
  }

  #layer(index: number): StackLayer {
    const layer = this.layers[index];
    if (layer === undefined) throw new RangeError(`Expected ${String(this.layers.length)} caches, got more`);
    return layer;
  }
}

/** [1, rows, width] each to all rows. */
function joinRows(parts: readonly mx.MxArray[]): mx.MxArray {
  const [first] = parts;
  return first && parts.length === 1 ? first : mx.concatenate(parts, 1);
}

/**
 * The embedding table when the file says so, else a head of its own. A file that says nothing means what its
 * weights hold, as the defaults of exporters differ.
 */
function loadHead(weights: Weights, embedTokens: Embedding, config: DecoderConfig): Head {
  if (config.tieWordEmbeddings ?? !weights.has('lm_head.weight')) {
    weights.ignore(/^lm_head\./);
    return embedTokens.asLinear();
  }
  return weights.linear('lm_head', config.vocabSize, config.hiddenSize);
}
