// The contract of a target model: it verifies tokens. It holds weights only; every call names its caches.
import type { ConfigFields } from '../checkpoint/configFields';
import type { Device } from '../mlx/device';
import type { LayerCache } from './layerCache';
import type { Factor } from './linear';
import type { MxArray } from '../mlx/addonTypes';

export interface TargetConfig {
  readonly modelType: string;
  readonly hiddenSize: number;
  readonly numHiddenLayers: number;
  readonly vocabSize: number;
  /** Positions the model was trained for; a prompt plus its output must fit. */
  readonly maxPositionEmbeddings: number;
  /** Maximum number of rows of a pass that its memory can take back; by default all. */
  readonly maxBlockSize?: number | undefined;
  /** Tokens that end a text. */
  readonly eosTokenIds: readonly number[];
}

export interface Forward {
  /** After the final norm, [1, rows, hiddenSize]. */
  readonly hidden: MxArray;
  /** Outputs of the tapped layers, concatenated in the order asked for, [1, rows, taps · hiddenSize]. */
  readonly taps: MxArray | undefined;
}

/** Token table and output head, for drafters that carry copies: [vocabSize, hiddenSize] each. */
export interface TargetTables {
  readonly table: Factor;
  readonly head: Factor;
  /** Factor of embedded rows, and soft cap of logits; none where they are left out. */
  readonly embeddingScale?: number | undefined;
  readonly finalLogitSoftcapping?: number | undefined;
}

export interface TargetModel {
  readonly config: TargetConfig;
  /** Undefined where it has none. */
  readonly tables?: TargetTables | undefined;
  /** Empty caches, one per layer that has a memory of its own; `expectedRows` is a hint for their first allocation. */
  newCaches(expectedRows: number): LayerCache[];
  /**
   * Runs `tokens` [rows] (int32, each below vocabSize) at the positions after those in `caches`, which must come from
   * newCaches and then remember these rows too. Lazy: nothing is computed before the results are settled.
   */
  forward(tokens: MxArray, caches: readonly LayerCache[], taps: readonly number[]): Forward;
  /** The output head, a soft cap included: [1, rows, hiddenSize] to [1, rows, vocabSize] in float32. Slice the rows first. */
  logits(hidden: MxArray): MxArray;
  /** Token ids [rows] to the input of the first layer [1, rows, hiddenSize], scaled if the family does so. */
  embed(tokens: MxArray): MxArray;
  /** Frees the weights. */
  dispose(): void;
}

/** Called with 0 to 1 while the weights are read. */
export type OnProgress = (fraction: number) => void;

/** Called with a line for the log about something that the user might not expect. */
export type OnNote = (line: string) => void;

/** Where a model comes from and where it runs. */
export interface ModelFiles {
  readonly directory: string;
  /** Its config.json. */
  readonly fields: ConfigFields;
  readonly device: Device;
  readonly onProgress?: OnProgress | undefined;
  readonly onNote?: OnNote | undefined;
}

/** Reads the model of one family. */
export interface LoadTarget {
  (files: ModelFiles): Promise<TargetModel>;
  /** Throws InputError for a config.json that it cannot load. Reads no weights. */
  readonly parse: (fields: ConfigFields) => unknown;
}
