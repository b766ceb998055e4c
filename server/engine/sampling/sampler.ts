// How a request turns logits into tokens: the target's logits, which judge drafts, and a drafter's.
import type { ProposedChain, ProposedLogits } from '../../models/drafters/drafter';
import type { MxArray } from '../../models/mlx/binding';
import type { Distribution } from './distribution';

/** The place in a text of the first row of a pass. */
export interface Place {
  /** Committed tokens of the prompt and the output, the anchor included; enough of the last ones for a window. */
  readonly history: readonly number[];
  /** Tokens of the output so far. */
  readonly position: number;
}

export interface Drafted {
  readonly tokens: readonly number[];
  /** What each was drawn from; undefined for tokens that were not picked at random. */
  readonly distributions?: readonly Distribution[] | undefined;
  /**
   * How sure the drafter is of each row, as natural logarithms: of the best token's probability among the candidates of
   * a selector, or what a chain says. Undefined where the bare logits are all there is.
   */
  readonly logConfidence?: readonly number[] | undefined;
}

export interface Alternative {
  readonly token: number;
  /** Natural logarithm of its probability, after the penalties and before truncation. */
  readonly logprob: number;
}

export interface TokenLogprobs extends Alternative {
  /** The most probable tokens in descending order. */
  readonly top: readonly Alternative[];
}

/** The target's verdict on a block, row by row, from when its logits are read until they are freed. */
export interface TargetRows {
  /**
   * The token that the output gets in `row`, if all drafts before it stayed: the draft itself, or what takes its place.
   * Called row by row, no further than needed.
   */
  readonly tokenAt: (row: number) => number;
  /** Of that token in that row; only if requested. */
  readonly logprobsAt?: ((row: number, token: number) => TokenLogprobs) | undefined;
}

/** Something that is known once its arrays are settled. Whoever settles them frees them after reading. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- an interface is not a Tree
export type Pending<T> = {
  readonly arrays: Readonly<Record<string, MxArray | readonly MxArray[] | undefined>>;
  readonly read: () => T;
};

export interface Sampler {
  /** Whether drafts are drawn at random, so that even with a seed the tokens depend on where rounds begin. */
  readonly drawsDrafts: boolean;
  /** Reads target logits [1, drafts + 1, vocabSize], whose first row stands at `at`. Lazy. */
  verify(logits: MxArray, drafted: Drafted, at: Place): Pending<TargetRows>;
  /** Makes one draft of each row of a drafter's logits, by its selector if it has one. Lazy. */
  sample(proposed: ProposedLogits | ProposedChain, at: Place): Pending<Drafted>;
}
