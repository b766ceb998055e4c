// Contract of a target model, which verifies tokens. It holds weights only; the caller owns the caches and passes them
// to every call.
import type { ConfigFields } from '../checkpoint/configFields';
import type { ModelFiles } from '../checkpoint/modelFolder';
import type { LayerCache } from './layerCache';
import type { Factor } from '../mlx/linear';
import type { MxArray } from '../mlx/addonTypes';

export interface TargetConfig {
  readonly modelType: string;
  readonly hiddenSize: number;
  readonly numHiddenLayers: number;
  readonly vocabSize: number;
  /** Positions that the model was trained for; a prompt and its output must fit. */
  readonly maxPositionEmbeddings: number;
  /** Maximum number of rows at the end of a pass that its caches can forget again; by default all. */
  readonly maxBlockSize?: number | undefined;
  /** Tokens that end a text. */
  readonly eosTokenIds: readonly number[];
}

export interface Forward {
  /** Rows after the final norm, [1, rows, hiddenSize]. */
  readonly hidden: MxArray;
  /**
   * Outputs of the tapped layers, concatenated in the requested order, [1, rows, taps · hiddenSize]; undefined if none
   * are tapped.
   */
  readonly taps: MxArray | undefined;
}

/** Token table and output head, for drafters that carry copies: [vocabSize, hiddenSize] each. */
export interface TargetTables {
  readonly table: Factor;
  readonly head: Factor;
  /** Factor of embedded rows; 1 by default. */
  readonly embeddingScale?: number | undefined;
  /** Soft cap of the logits; none by default. */
  readonly finalLogitSoftcapping?: number | undefined;
}

export interface TargetModel {
  readonly config: TargetConfig;
  /** Tables to compare a drafter's copies with; undefined for test doubles without tables. */
  readonly tables?: TargetTables | undefined;
  /**
   * Creates empty caches, one per layer that does not share an earlier layer's; `expectedRows` is a hint for the first
   * allocation.
   */
  newCaches(expectedRows: number): LayerCache[];
  /**
   * Runs `tokens` [rows] (int32, each below vocabSize) at the positions after those in `caches`, which come from
   * `newCaches` and append these rows. `taps` are indices of layers whose outputs to return. Lazy.
   */
  forward(tokens: MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward;
  /**
   * Applies the output head and its soft cap: [1, rows, hiddenSize] to [1, rows, vocabSize] in float32. Pass only the
   * rows that are needed.
   */
  logits(hidden: MxArray): MxArray;
  /** Embeds token ids [rows] as the input of the first layer, [1, rows, hiddenSize]. */
  embed(tokens: MxArray): MxArray;
  /** Frees the weights. */
  dispose(): void;
}

/** Loads a target. Throws UserError. */
export type LoadTarget = (files: ModelFiles) => Promise<TargetModel>;

/**
 * Targets of one kind of network: parses a config.json and returns the loader of its weights. Throws UserError for a
 * variant that is not supported.
 */
export type TargetFamily = (fields: ConfigFields) => LoadTarget;
