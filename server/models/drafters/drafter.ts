// The contract of a drafter: it proposes a block of tokens that the target then verifies. A Drafter holds
// weights only; what one decode has to remember is a DraftState, owned by that decode.
import type { LayerCache } from '../decoder/layerCache';
import type { MxArray } from '../mlx/binding';
import type { ModelFiles, TargetConfig, TargetModel, TargetTables } from '../decoder/target';

/** Knows which drafts go together, which the logits of a row cannot: they do not depend on the draft before it. */
export interface Selector {
  /** How many of the most probable tokens of each row it chooses from. */
  readonly candidates: number;
  /**
   * Lazy. What the logits of tokens gain [rows, n, n] when `ids` [rows, n] are candidates of the rows: at [row, i, j]
   * candidate j after candidate i of the row before; in row 0 after the anchor, whatever i is.
   */
  gains(ids: MxArray): MxArray;
}

/** A distribution for each drafted position. */
export interface ProposedLogits {
  /** [1, rows, vocabSize], one row per position. */
  readonly logits: MxArray;
  /** Of tokens that go together. */
  readonly selector?: Selector | undefined;
}

/** A distribution for each drafted position, of which each depends on the drafts before it. */
export interface ProposedChain {
  /**
   * Lazy, to be called once: one graph, in which nothing is read back. Has `choose` draft from each row's logits
   * [1, 1, vocabSize] in turn, the id as an array [1], and goes on behind that. Returns how sure the drafter is of each
   * row, natural logarithms [rows]: by the drafts before the row, never by its own ("blind length").
   */
  readonly draft: (choose: (logits: MxArray, row: number) => MxArray) => MxArray;
}

/**
 * Logits, or token ids picked without a distribution: as many as were requested or fewer, maybe none. `confidence` is
 * how sure the drafter is of each of them, from 0 to 1; what that is worth is measured.
 */
export type Proposal =
  | ProposedLogits
  | ProposedChain
  | { readonly tokens: readonly number[]; readonly confidence: readonly number[] };

/**
 * The drafter's memory of one decode: its rows are the committed positions ("memory rule"). Its methods are lazy and must be called inside a scope.
 */
export interface DraftState extends Omit<LayerCache, 'fork'> {
  /** Shows the next committed tokens and the target's taps for them, [1, tokens, taps · hiddenSize]. */
  commit(tokens: readonly number[], taps: MxArray | undefined): void;
  /**
   * Proposes `count` tokens, 1 to maxDraftTokens, that follow `anchor`. Leaves the state as it was. The output may also
   * repeat `related` text, in addition to what is committed.
   */
  propose(anchor: number, count: number, related?: readonly number[]): Proposal;
  /** A copy that has seen the first `length` positions, with room for `expectedRows`. */
  fork(length: number, expectedRows: number): DraftState;
}

export interface Drafter {
  /** For statistics: where accepted tokens came from. */
  readonly name: string;
  /** Whether a proposal costs so little that one may be requested in vain. */
  readonly isFree: boolean;
  /** Maximum number of tokens that one call proposes; 0 means it never drafts. */
  readonly maxDraftTokens: number;
  /** Rows of its narrowest pass, the anchor's included; undefined where all its passes are equally wide. */
  readonly minBlockSize?: number | undefined;
  /** Positions that it was made for; undefined for any number. */
  readonly maxPositions?: number | undefined;
  /** Stands for a token to be drafted, and must never be emitted. */
  readonly maskTokenId?: number | undefined;
  /** Target layers whose outputs it reads, in this order. */
  readonly taps: readonly number[];
  /** `expectedRows` is a hint for the first allocation of its context. */
  newState(target: TargetModel, expectedRows: number): DraftState;
  /** Frees the weights. */
  dispose(): void;
}

/** What a drafter is read from. */
export interface DrafterFiles extends ModelFiles {
  /** Bits per weight of its layers and tables; as stored where it is left out. */
  readonly bits?: number | undefined;
  /** Of the target, for drafters that carry copies of them, which are left out then. */
  readonly tables?: TargetTables | undefined;
}

/** Reads a drafter of one kind for a target. */
export type LoadDrafter = (files: DrafterFiles, target: TargetConfig) => Promise<Drafter>;
