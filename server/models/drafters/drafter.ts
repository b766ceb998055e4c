// Contract of a drafter, which proposes tokens for the target to verify. A Drafter holds weights only; the memory of
// one decode is a DraftState, which that decode owns. Rules in quotes are explained in docs/internals/architecture.md,
// "The rules of a round".
import type { LayerCache } from '../decoder/layerCache';
import type { MxArray } from '../mlx/addonTypes';
import type { ModelFiles } from '../checkpoint/modelFolder';
import type { TargetConfig, TargetModel, TargetTables } from '../decoder/target';

/**
 * Scores pairs of neighbouring drafts. The logits of a row cannot do that: they do not depend on the draft before it.
 */
export interface Selector {
  /** Number of most probable tokens per row to choose from. */
  readonly candidates: number;
  /**
   * Returns the gains [rows, n, n] to add to the logits of candidates `ids` [rows, n]: at [row, i, j] for candidate j
   * after candidate i of the previous row; in row 0 for candidate j after the anchor, for any i. Lazy.
   */
  gains(ids: MxArray): MxArray;
}

/** One distribution per drafted position; they do not depend on each other's drafts. */
export interface ProposedLogits {
  /** [1, rows, vocabSize], one row per position. */
  readonly logits: MxArray;
  readonly selector?: Selector | undefined;
}

/** One distribution per drafted position; each depends on the drafts before it. */
export interface ProposedChain {
  /**
   * Builds one lazy graph, without reading anything back. Calls `choose` for each row in turn with its logits [1, 1,
   * vocabSize]; the returned token id, an array [1], conditions the next row. Returns the drafter's confidence in each
   * row, natural logarithms [rows], which depend on earlier drafts but never on the row's own ("blind length"). Call
   * once.
   */
  readonly draft: (choose: (logits: MxArray, row: number) => MxArray) => MxArray;
}

/**
 * Logits, a chain, or token ids without a distribution: at most as many as requested, possibly none. `confidence` has
 * one value per token, 0 to 1; the length policy measures how it relates to acceptance.
 */
export type Proposal =
  | ProposedLogits
  | ProposedChain
  | { readonly tokens: readonly number[]; readonly confidence: readonly number[] };

/**
 * The drafter's memory of one decode; its rows are the committed tokens except the last, which is the anchor ("memory
 * rule"). All methods are lazy; `commit` and `propose` must be called inside a scope.
 */
export interface DraftState extends LayerCache {
  /**
   * Appends committed tokens with the target's taps for them, [1, tokens, taps · hiddenSize]; these can be undefined if
   * this drafter reads none.
   */
  commit(tokens: readonly number[], taps: MxArray | undefined): void;
  /**
   * Proposes `count` tokens, 1 to maxDraftTokens, after `anchor`, and leaves the state as it was. `lookupIds` are
   * tokens that the output is likely to repeat, in addition to the committed ones.
   */
  propose(anchor: number, count: number, lookupIds?: readonly number[]): Proposal;
  /** Returns a copy of the first `length` positions, with room for `expectedRows`. */
  fork(length: number, expectedRows: number): DraftState;
}

export interface Drafter {
  /** Name in statistics and profiles. */
  readonly name: string;
  /** Whether a proposal costs next to nothing, so that one can be requested even if it is not used. */
  readonly isFree: boolean;
  /** Maximum number of tokens that one call proposes; 0 means it never drafts. */
  readonly maxDraftTokens: number;
  /** Rows of its narrowest pass, the anchor's included; undefined if all its passes have the same width. */
  readonly minBlockSize?: number | undefined;
  /** Maximum number of positions that it was trained for; undefined for no limit. */
  readonly maxPositions?: number | undefined;
  /** Placeholder token of the positions to draft; must never be emitted. */
  readonly maskTokenId?: number | undefined;
  /** Indices of the target layers whose outputs it reads, in this order. */
  readonly taps: readonly number[];
  /** Creates an empty state; `expectedRows` is a hint for the first allocation. */
  newState(target: TargetModel, expectedRows: number): DraftState;
  /** Frees the weights. */
  dispose(): void;
}

/** Files of a drafter, and how to load them. */
export interface DrafterFiles extends ModelFiles {
  /** Bits per weight to pack layers and tables into; by default they stay as stored. */
  readonly bits?: number | undefined;
  /** Tables of the target; a drafter's copies that equal them are not kept. */
  readonly tables?: TargetTables | undefined;
}

/** Loads one kind of drafter for a target. Throws UserError if it does not fit the target. */
export type LoadDrafter = (files: DrafterFiles, target: TargetConfig) => Promise<Drafter>;
