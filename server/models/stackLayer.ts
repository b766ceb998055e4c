// The contract between a decoder and its layers, of whatever kind and with whatever memory.
import type { LayerCache } from './layerCache';
import type { Linear } from './linear';
import type { MxArray } from './mlxCore';
import type { Weights } from './weights';

/** One pass through all layers; what some of them share in it they may remember under this object. */
export interface Step {
  /** Rows that the caches hold. */
  readonly offset: number;
  /** New ones. */
  readonly rows: number;
}

export interface StackLayer {
  /** `expectedRows` is a hint for the first allocation. */
  newCache(expectedRows: number): LayerCache;
  /** [1, rows, hidden] to the same shape; `cache`, which newCache made, remembers the rows. */
  forward(h: MxArray, step: Step, cache: LayerCache): MxArray;
  linears(): Linear[];
}

/** Makes what layers share, and gives a function that takes the tensors under `path` for the layer of that index. */
export type LoadLayers = (weights: Weights) => (path: string, index: number) => StackLayer;
