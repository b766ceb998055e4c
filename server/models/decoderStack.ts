// A whole decoder of the Llama shape: token table, layers, final norm, tied or own head. Tensor names equal the
// checkpoint's. The family brings what mixes the rows of its layers; nothing here knows about decoding.
import { softCap } from './attention';
import { decoderBlock, type BlockParts, type FeedForward, type Mixer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { inStreams } from './device';
import { besideExperts } from './expertsBeside';
import { gatedMlp } from './gatedMlp';
import type { LayerCache } from './layerCache';
import type { Embedding, Linear } from './linear';
import * as mx from './ops';
import { perLayerInputs } from './perLayerInputs';
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

/** Before all names, where mlx-community nests the text part of a model that reads images too. */
const PREFIXES = ['', 'language_model.'];
/** The module of everything but the head in such a model as it is published. */
const NESTED = 'model.language_model';
/** What exporters add and no pass needs. */
const WITHOUT_USE = /rotary_emb\.inv_freq$/;

/** `loadMixers` takes what mixes the rows of the layers; the rest is taken here. */
export async function decoderStack<Pass>(
  files: ModelFiles,
  config: DecoderConfig,
  loadMixers: (weights: Weights) => Mixers<Pass>,
): Promise<TargetModel> {
  return await Weights.load({ ...files, prefixes: PREFIXES, normOffset: config.normOffset }, (weights) =>
    stackOf(weights, config, loadMixers(weights)),
  );
}

function stackOf<Pass>(weights: Weights, config: DecoderConfig, mixers: Mixers<Pass>): TargetModel {
  const { vocabSize, hiddenSize, rmsNormEps, embeddingScale, finalLogitSoftcapping: cap } = config;
  const root = weights.hasModule(NESTED) ? NESTED : 'model';
  const embedTokens = weights.embedding(`${root}.embed_tokens`, vocabSize, hiddenSize);
  const inputs = config.perLayer && perLayerInputs(weights, root, { ...config, ...config.perLayer });
  const layers = Array.from({ length: config.numHiddenLayers }, (_, i) => {
    const path = `${root}.layers.${String(i)}`;
    const mixer = mixers.load(path, i);
    const { feedForward, beside } = loadFeedForward(weights, path, config, i);
    const addInput = inputs?.loadAdding(path);
    return { mixer, block: decoderBlock(weights, path, config, feedForward, { beside, addInput }) };
  });
  const memories = layers.map(({ mixer }) => mixer.memory);
  const places = memoryPlaces(memories);
  const own = memories.filter((memory) => typeof memory !== 'number');
  const norm = weights.norm(`${root}.norm`, hiddenSize);
  weights.ignore(WITHOUT_USE);
  if (config.otherParts) weights.ignore(config.otherParts);
  const head = loadHead(weights, embedTokens, config);

  const embed = (tokens: mx.MxArray): mx.MxArray => {
    const rows = embedTokens.embed(tokens);
    return embeddingScale === undefined ? rows : mx.multiply(rows, embeddingScale);
  };

  const runPass = (tokens: mx.MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward => {
    const pass = mixers.pass(caches[0]?.offset ?? 0, tokens.size);
    const outputs: mx.MxArray[] = [];
    let h = embed(tokens);
    const inputOf = inputs?.at(tokens, h);
    for (const [i, { mixer, block }] of layers.entries()) {
      const cache = caches[places[i] ?? NaN];
      if (cache === undefined || caches.length > own.length)
        throw new RangeError(`Expected ${String(own.length)} caches, got ${String(caches.length)}`);
      h = block(h, (x) => mixer.forward(x, pass, cache), inputOf?.(i));
      outputs.push(h);
    }
    const tapped = taps.map((layer) => outputs[layer]).filter((output) => output !== undefined);
    return {
      hidden: mx.rmsNorm(h, norm, rmsNormEps),
      taps: tapped.length > 0 ? mx.concatenate(tapped, 2) : undefined,
    };
  };

  return {
    config,
    tables: { table: embedTokens.table, head: head.weights },
    newCaches: (expectedRows) => own.map((newCache) => newCache(expectedRows)),

    forward(tokens, caches, taps) {
      // Where not all rows can be taken back, the caches remember where passes ended: these stay whole.
      if (config.maxBlockSize !== undefined) return runPass(tokens, caches, taps);
      const parts = inStreams(tokens.size, (from, to) => {
        const part = from === 0 && to === tokens.size ? tokens : mx.slice(tokens, 0, from, to);
        return runPass(part, caches, taps);
      });
      const tapped = parts.flatMap((part) => part.taps ?? []);
      return {
        hidden: joinRows(parts.map(({ hidden }) => hidden)),
        taps: tapped.length > 0 ? joinRows(tapped) : undefined,
      };
    },

    logits(hidden) {
      const logits = head.forward(hidden);
      return cap === undefined ? logits : softCap(logits, cap);
    },

    embed,
    dispose: () => {
      weights.dispose();
    },
  };
}

/** [1, rows, width] each to all rows. */
function joinRows(parts: readonly mx.MxArray[]): mx.MxArray {
  const [first] = parts;
  return first && parts.length === 1 ? first : mx.concatenate(parts, 1);
}

/** Where among the caches of a decode each layer finds its own, or that of the layer whose memory it shares. */
function memoryPlaces(memories: readonly Mixer<never>['memory'][]): readonly number[] {
  const places: number[] = [];
  let own = 0;
  for (const memory of memories) places.push(typeof memory === 'number' ? (places[memory] ?? NaN) : own++);
  return places;
}

/** Takes the tensors of what follows the mixer of a layer. */
function loadFeedForward(
  weights: Weights,
  path: string,
  config: DecoderConfig,
  layer: number,
): { readonly feedForward: FeedForward } & Pick<BlockParts, 'beside'> {
  const { sparse, sharing, expertsBeside } = config;
  if (sparse && isSparse(sparse, layer)) {
    return { feedForward: sparseMlp(weights, `${path}.mlp`, sparse) };
  }
  const shared = sharing !== undefined && layer >= sharing.firstLayer;
  const { intermediateSize } = shared ? sharing : config;
  const mlp = gatedMlp(weights, `${path}.mlp`, { ...config, intermediateSize });
  if (expertsBeside === undefined) return { feedForward: mlp };
  return besideExperts(weights, path, { ...config, ...expertsBeside }, mlp);
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
