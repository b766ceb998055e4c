// The layers of a decoder in a row: each has a part that mixes rows, which the family brings, a feed-forward part, and
// a memory, its own or that of an earlier layer.
import { compiled, type Arrays } from '../mlx/compiled';
import { decoderBlock, type BlockParts, type FeedForward, type Mixer } from './decoderBlock';
import type { DecoderConfig } from './decoderConfig';
import { besideExperts } from './besideExperts';
import { gatedMlp } from './gatedMlp';
import { inParts } from '../mlx/inParts';
import type { LayerCache } from './layerCache';
import type * as mx from '../mlx/ops';
import { perLayerInputs } from './perLayerInputs';
import { isSparse, sparseMlp } from './sparseMlp';
import type { Weights } from '../checkpoint/weights';

/** What mixes the rows of each layer, and what all of these share. */
export interface Mixers<Pass> {
  /** Made once for each pass of `rows` after `offset` others, and given to every layer. */
  pass(offset: number, rows: number): Pass;
  /** Takes the tensors under `path` for the layer of that index. */
  load(path: string, index: number): Mixer<Pass>;
}

/** [1, rows, hidden] each. */
export interface LayerOutputs {
  readonly h: mx.MxArray;
  readonly tapped: readonly mx.MxArray[];
}

export interface DecoderLayers {
  /** Empty caches, one per layer with a memory of its own; `expectedRows` is a hint for their first allocation. */
  readonly newCaches: (expectedRows: number) => LayerCache[];
  /** For tokens [rows] and their embeddings, the outputs of the last layer and of those in `taps`. */
  run(
    tokens: mx.MxArray,
    embedded: mx.MxArray,
    caches: readonly LayerCache[],
    taps: readonly number[],
  ): LayerOutputs;
}

/** Takes the tensors of the layers under `root`. */
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
    const { feedForward, beside } = loadFeedForward(weights, path, config, i);
    const addInput = inputs?.loadAdding(path);
    return { mixer, block: decoderBlock(weights, path, config, mixer, feedForward, { beside, addInput }) };
  });
  const first = layers[0]?.block;
  const start = compiled(weights, (rows, h: mx.MxArray) => first?.before(h, rows) ?? [h]);
  // From one use of a memory to the next: the end of a layer, and the beginning of the one behind it.
  const ends = layers.map(({ mixer, block }, i) => {
    const next = layers[i + 1]?.block;
    const end = compiled(weights, (rows, h: mx.MxArray, own: mx.MxArray, ...mixed: Arrays): Arrays => {
      const output = block.after(h, mixed, rows, own);
      return [output, ...(next?.before(output, rows) ?? [])];
    });
    return { mixer, end };
  });
  const memories = layers.map(({ mixer }) => mixer.memory);
  const places = memoryPlaces(memories);
  const own = memories.filter((memory) => typeof memory !== 'number');
  return {
    newCaches: (expectedRows) => own.map((newCache) => newCache(expectedRows)),

    run(tokens, embedded, caches, taps) {
      if (caches.length !== own.length) throw wrongCount(own.length, caches.length);
      const rows = tokens.size;
      const pass = mixers.pass(caches[0]?.offset ?? 0, rows);
      const inputOf = inputs?.at(tokens, embedded);
      const tapped = new Map<number, mx.MxArray>();
      let h = embedded;
      let prepared: mx.MxArray[] = start(rows, h);
      inParts(weights.device, ends.length, rows, (from, to) => {
        for (const [i, { mixer, end }] of [...ends.entries()].slice(from, to)) {
          const cache = caches[places[i] ?? NaN];
          if (cache === undefined) throw wrongCount(own.length, caches.length);
          const mixed = mixer.attend(prepared, pass, cache);
          // Most layers have no input of their own; what they get instead is not looked at.
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

/** For each layer, which of the caches it uses: its own, or that of the layer whose memory it shares. */
function memoryPlaces(memories: readonly Mixer<never>['memory'][]): readonly number[] {
  const places: number[] = [];
  let own = 0;
  for (const memory of memories) places.push(typeof memory === 'number' ? (places[memory] ?? NaN) : own++);
  return places;
}

/** Takes the tensors of the feed-forward part of the layer at `path`. */
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
