// The layers of a decoder, one after the other: each has a mixer, which the family provides, a feed-forward part, and a
// cache, either its own or that of an earlier layer.
import { compiled, type Arrays } from '../mlx/compiled';
import { decoderBlock, type FeedForwardParts, type Mixer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { besideExperts } from './besideExperts';
import { gatedMlp } from './gatedMlp';
import { inParts } from '../mlx/inParts';
import type { LayerCache } from './layerCache';
import type * as mx from '../mlx/ops';
import { perLayerInputs } from './perLayerInputs';
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

export interface DecoderLayers {
  /** Creates empty caches, one per layer with its own; `expectedRows` is a hint for the first allocation. */
  readonly newCaches: (expectedRows: number) => LayerCache[];
  /** Runs tokens [rows] with their embeddings [1, rows, hidden] through all layers. */
  run(
    tokens: mx.MxArray,
    embedded: mx.MxArray,
    caches: readonly LayerCache[],
    taps: readonly number[],
  ): LayerOutputs;
}

/** Loads the layers at `root`. */
export function decoderLayers<Pass>(
  weights: Weights,
  root: string,
  config: DecoderConfig,
  mixers: Mixers<Pass>,
): DecoderLayers {
  const inputs = config.perLayer && perLayerInputs(weights, root, { ...config, ...config.perLayer });
  const layers = Array.from({ length: config.numHiddenLayers }, (_, i) => {
    const path = `${root}.layers.${String(i)}`;
    const mixer = mixers.load(path, i);
    const parts = { ...loadFeedForward(weights, path, config, i), mixer, addInput: inputs?.loadAdding(path) };
    return { mixer, block: decoderBlock(weights, path, config, parts) };
  });
  const first = layers[0]?.block;
  const start = compiled(weights, (rows, h: mx.MxArray) => first?.before(h, rows) ?? [h]);
  // Spans from one use of a cache to the next: the end of a layer and the beginning of the following one.
  const spans = layers.map(({ mixer, block }, i) => {
    const next = layers[i + 1]?.block;
    const end = compiled(weights, (rows, h: mx.MxArray, ...[input, ...mixed]: EndInputs): Arrays => {
      const output = block.after(h, mixed, rows, input);
      return [output, ...(next?.before(output, rows) ?? [])];
    });
    return { mixer, end };
  });
  const memories = layers.map(({ mixer }) => mixer.memory);
  const cacheOfLayer = cacheIndices(memories);
  const factories = memories.filter((memory) => typeof memory !== 'number');
  return {
    newCaches: (expectedRows) => factories.map((newCache) => newCache(expectedRows)),

    run(tokens, embedded, caches, taps) {
      if (caches.length !== factories.length) throw wrongCount(factories.length, caches.length);
      const rows = tokens.size;
      const pass = mixers.pass(caches[0]?.offset ?? 0, rows);
      const inputOf = inputs?.at(tokens, embedded);
      const tapped = new Map<number, mx.MxArray>();
      let h = embedded;
      let prepared: mx.MxArray[] = start(rows, h);
      inParts(weights.device.name, spans.length, rows, (from, to) => {
        for (const [i, { mixer, end }] of [...spans.entries()].slice(from, to)) {
          const cache = caches[cacheOfLayer[i] ?? NaN];
          if (cache === undefined) throw wrongCount(factories.length, caches.length);
          const mixed = mixer.attend(prepared, pass, cache);
          // Most layers have no additional input and ignore the array that they get instead.
          [h, ...prepared] = end(rows, h, inputOf?.(i) ?? h, ...mixed);
          if (taps.includes(i)) tapped.set(i, h);
        }
        return { h, needed: [...prepared, ...tapped.values()] };
      });
      return { h, tapped: taps.flatMap((layer) => tapped.get(layer) ?? []) };
    },
  };
}

function wrongCount(expected: number, got: number): RangeError {
  return new RangeError(`Expected ${String(expected)} caches, got ${String(got)}`);
}

/** Returns the index of each layer's cache: its own, or that of the layer whose memory it shares. */
function cacheIndices(memories: readonly Mixer<never>['memory'][]): readonly number[] {
  const indices: number[] = [];
  let count = 0;
  for (const memory of memories)
    indices.push(typeof memory === 'number' ? (indices[memory] ?? NaN) : count++);
  return indices;
}

/** Loads the feed-forward part of the layer at `path`. */
function loadFeedForward(
  weights: Weights,
  path: string,
  config: DecoderConfig,
  layer: number,
): FeedForwardParts {
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
