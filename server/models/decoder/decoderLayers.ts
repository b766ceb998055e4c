// The layers of a decoder, one after the other: each has a mixer, which the family provides, a feed-forward part, and a
// cache, either its own or that of an earlier layer.
import { compiled, type Arrays, type Build } from '../mlx/compiled';
import type { DeviceName } from '../mlx/device';
import { decoderBlock, type DecoderBlock, type FeedForwardParts, type Mixer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { withParallelExperts } from './parallelExperts';
import { gatedMlp } from './gatedMlp';
import { inParts } from '../mlx/inParts';
import type { LayerCache } from './layerCache';
import type * as mx from '../mlx/ops';
import { perLayerInputs, type PerLayerInputs } from './perLayerInputs';
import { isSparse, sparseMlp } from './sparseMlp';
import type { Weights } from '../checkpoint/weights';

/** The mixers of a family. */
export interface Mixers<Pass> {
  /** Creates the data that all layers share in a pass of `rows` after `offset` earlier ones. */
  pass(offset: number, rows: number): Pass;
  /** Loads the mixer of the layer with this index, whose tensors are at `path`. */
  load(path: string, index: number): Mixer<Pass>;
}

/** The additional input of a layer, and its mixed rows. */
type EndInputs = [input: mx.MxArray, ...mixed: Arrays];

/** Outputs of layers, [1, rows, hidden] each. */
export interface LayerOutputs {
  /** Output of the last layer. */
  readonly h: mx.MxArray;
  /** Outputs of the tapped layers, in the order of `taps`. */
  readonly tapped: readonly mx.MxArray[];
}

/**
 * The steps of a layer from its use of the cache to the next layer's. Layers are divided there because only the part
 * between two uses of caches can be compiled.
 */
interface Span<Pass> {
  /** Mixer of the layer, which uses the cache. */
  readonly mixer: Mixer<Pass>;
  /**
   * Ends the layer and begins the next one: takes the layer's input `h` [1, rows, hidden], and returns its output and
   * the prepared rows of the next layer.
   */
  readonly end: Build<[h: mx.MxArray, ...EndInputs], Arrays>;
}

export class DecoderLayers<Pass> {
  readonly #device: DeviceName;
  readonly #inputs: PerLayerInputs | undefined;
  /** Prepares the rows of the first layer. */
  readonly #start: Build<[embedded: mx.MxArray], Arrays>;
  readonly #spans: readonly Span<Pass>[];
  /** Functions that create the caches: one for each layer that has its own cache. */
  readonly #factories: readonly ((expectedRows: number) => LayerCache)[];
  /** Index of the cache of each layer. */
  readonly #cacheOfLayer: readonly number[];

  /** Takes the layers at `root` from `weights`. */
  constructor(
    weights: Weights,
    root: string,
    config: DecoderConfig,
    private readonly mixers: Mixers<Pass>,
  ) {
    const inputs = config.perLayer && perLayerInputs(weights, root, { ...config, ...config.perLayer });
    const layers = Array.from({ length: config.numHiddenLayers }, (_, i) => {
      const path = `${root}.layers.${String(i)}`;
      const mixer = mixers.load(path, i);
      const feedForward = loadFeedForward(weights, path, config, i);
      const parts = { ...feedForward, mixer, addInput: inputs?.loadAdding(path) };
      return { mixer, block: decoderBlock(weights, path, config, parts) };
    });
    const first = layers[0]?.block;
    this.#device = weights.device.name;
    this.#inputs = inputs;
    this.#start = compiled(weights, (rows, h: mx.MxArray) => first?.before(h, rows) ?? [h]);
    this.#spans = layers.map(({ mixer, block }, i) => ({
      mixer,
      end: compiledEnd(weights, block, layers[i + 1]?.block),
    }));
    const cacheSources = layers.map(({ mixer }) => mixer.cacheSource);
    this.#cacheOfLayer = cacheIndices(cacheSources);
    this.#factories = cacheSources.filter((source) => typeof source !== 'number');
  }

  /** Creates the empty caches of all layers that have their own; `expectedRows` is a hint for the first allocation. */
  newCaches(expectedRows: number): LayerCache[] {
    return this.#factories.map((newCache) => newCache(expectedRows));
  }

  /**
   * Runs tokens [rows] with their embeddings [1, rows, hidden] through all layers. `caches` come from
   * `newCaches`; `taps` are indices of layers whose outputs to return. Throws RangeError for a wrong number
   * of caches.
   */
  run(
    tokens: mx.MxArray,
    embedded: mx.MxArray,
    caches: readonly LayerCache[],
    taps: readonly number[],
  ): LayerOutputs {
    if (caches.length !== this.#factories.length) throw wrongCount(this.#factories.length, caches.length);
    const rows = tokens.size;
    const pass = this.mixers.pass(caches[0]?.offset ?? 0, rows);
    const inputOf = this.#inputs?.at(tokens, embedded);
    const tapped = new Map<number, mx.MxArray>();
    let h = embedded;
    let prepared: mx.MxArray[] = this.#start(rows, h);
    inParts(this.#device, this.#spans.length, rows, (from, to) => {
      for (const [i, { mixer, end }] of [...this.#spans.entries()].slice(from, to)) {
        const cache = caches[this.#cacheOfLayer[i] ?? NaN];
        if (cache === undefined) throw wrongCount(this.#factories.length, caches.length);
        const mixed = mixer.attend(prepared, pass, cache);
        // Most layers have no additional input and ignore the array that they get instead.
        [h, ...prepared] = end(rows, h, inputOf?.(i) ?? h, ...mixed);
        if (taps.includes(i)) tapped.set(i, h);
      }
      return { h, needed: [...prepared, ...tapped.values()] };
    });
    return { h, tapped: taps.flatMap((layer) => tapped.get(layer) ?? []) };
  }
}

/** Compiles the end of a layer with the beginning of the next one, if there is one. */
function compiledEnd(
  weights: Weights,
  block: DecoderBlock,
  next: DecoderBlock | undefined,
): Span<never>['end'] {
  return compiled(weights, (rows, h: mx.MxArray, ...[input, ...mixed]: EndInputs): Arrays => {
    const output = block.after(h, mixed, rows, input);
    return [output, ...(next?.before(output, rows) ?? [])];
  });
}

function wrongCount(expected: number, got: number): RangeError {
  return new RangeError(`Expected ${String(expected)} caches, got ${String(got)}`);
}

/** Returns the index of each layer's cache: its own, or that of the earlier layer whose cache it shares. */
function cacheIndices(sources: readonly Mixer<never>['cacheSource'][]): readonly number[] {
  const indices: number[] = [];
  let count = 0;
  for (const source of sources) indices.push(typeof source === 'number' ? (indices[source] ?? NaN) : count++);
  return indices;
}

/** Loads the feed-forward part of the layer at `path`. */
function loadFeedForward(
  weights: Weights,
  path: string,
  config: DecoderConfig,
  layer: number,
): FeedForwardParts {
  const { sparse, sharing, parallelExperts } = config;
  if (sparse && isSparse(sparse, layer)) {
    return { feedForward: sparseMlp(weights, `${path}.mlp`, sparse) };
  }
  const isSharing = sharing !== undefined && layer >= sharing.firstLayer;
  const { intermediateSize } = isSharing ? sharing : config;
  const mlp = gatedMlp(weights, `${path}.mlp`, { ...config, intermediateSize });
  if (parallelExperts === undefined) return { feedForward: mlp };
  return withParallelExperts(weights, path, { ...config, ...parallelExperts }, mlp);
}
