// A whole decoder of the Llama shape: token table, layers, final norm, tied or own head. Tensor names equal the
// checkpoint's. The family brings what mixes the rows of its layers; nothing here knows about decoding.
import { softCap } from './attention';
import { decoderBlock, type DecoderBlock, type FeedForward, type Mixer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { inStreams } from './device';
import { gatedMlp } from './gatedMlp';
import type { LayerCache } from './layerCache';
import type { Embedding, Linear } from './linear';
import * as mx from './ops';
import { isSparse, sparseMlp } from './sparseMlp';
import type { Forward, ModelFiles, TargetModel } from './target';
import { Weights } from './weights';

/** What mixes the rows of each layer, and what all of these share. */
export interface Mixers<Pass> {
  /** Made once for each pass of `rows` after `offset` others, and given to every layer. */
  pass(offset: number, rows: number): Pass;
  /** Takes the tensors under `path` for the layer of that index. */
  load(path: string, index: number): Mixer<Pass>;
}

interface Layer<Pass> {
  readonly mixer: Mixer<Pass>;
  readonly feedForward: FeedForward;
  readonly block: DecoderBlock;
}

/** Before all names, where mlx-community nests the text part of a model that reads images too. */
const PREFIXES = ['', 'language_model.'];
/** The module of everything but the head in such a model as it is published. */
const NESTED = 'model.language_model';
/** What exporters add and no pass needs. */
const WITHOUT_USE = /rotary_emb\.inv_freq$/;

export class DecoderStack<Pass> implements TargetModel {
  private constructor(
    readonly config: DecoderConfig,
    private readonly weights: Weights,
    readonly embedTokens: Embedding,
    private readonly newPass: Mixers<Pass>['pass'],
    readonly layers: readonly Layer<Pass>[],
    readonly norm: mx.MxArray,
    readonly head: Linear,
  ) {}

  static async load<Pass>(
    files: ModelFiles,
    config: DecoderConfig,
    loadMixers: (weights: Weights) => Mixers<Pass>,
  ): Promise<DecoderStack<Pass>> {
    const { vocabSize, hiddenSize, normOffset, otherParts } = config;
    return await Weights.load({ ...files, prefixes: PREFIXES, normOffset }, (weights) => {
      const root = weights.hasModule(NESTED) ? NESTED : 'model';
      const embedTokens = weights.embedding(`${root}.embed_tokens`, vocabSize, hiddenSize);
      const mixers = loadMixers(weights);
      const layers = Array.from({ length: config.numHiddenLayers }, (_, i) => {
        const path = `${root}.layers.${String(i)}`;
        const mixer = mixers.load(path, i);
        const feedForward = loadFeedForward(weights, `${path}.mlp`, config, i);
        return { mixer, feedForward, block: decoderBlock(weights, path, config) };
      });
      const norm = weights.norm(`${root}.norm`, hiddenSize);
      weights.ignore(WITHOUT_USE);
      if (otherParts) weights.ignore(otherParts);
      const head = loadHead(weights, embedTokens, config);
      const newPass = mixers.pass.bind(mixers);
      return new DecoderStack(config, weights, embedTokens, newPass, layers, norm, head);
    });
  }

  newCaches(expectedRows: number): LayerCache[] {
    return this.layers.map(({ mixer }) => mixer.newCache(expectedRows));
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
    const pass = this.newPass(caches[0]?.offset ?? 0, tokens.size);
    const outputs: mx.MxArray[] = [];
    let h = this.embed(tokens);
    for (const [i, cache] of caches.entries()) {
      const { mixer, feedForward, block } = this.#layer(i);
      h = block(h, (x) => mixer.forward(x, pass, cache), feedForward);
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
    const logits = this.head.forward(hidden);
    return cap === undefined ? logits : softCap(logits, cap);
  }

  embed(tokens: mx.MxArray): mx.MxArray {
    const { embeddingScale: scale } = this.config;
    const rows = this.embedTokens.embed(tokens);
    return scale === undefined ? rows : mx.multiply(rows, scale);
  }

  dispose(): void {
    this.weights.dispose();
  }

  #layer(index: number): Layer<Pass> {
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

function loadFeedForward(weights: Weights, path: string, config: DecoderConfig, layer: number): FeedForward {
  const { sparse } = config;
  return sparse && isSparse(sparse, layer)
    ? sparseMlp(weights, path, sparse)
    : gatedMlp(weights, path, config);
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
