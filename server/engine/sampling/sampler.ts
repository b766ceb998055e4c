// How a request makes tokens of logits: of the target's, which judge drafts, and of a drafter's.
import type { ProposedChain, ProposedLogits } from '../../models/drafter';
import type { MxArray } from '../../models/mlxCore';
import type { Distribution } from './distribution';

/** Where in a text the first row of a pass stands. */
export interface Place {
  /** Committed tokens of the prompt and the output, the anchor included; enough of the last ones for a window. */
  readonly history: readonly number[];
  /** Tokens of the output so far. */
  readonly position: number;
}

export interface Drafted {
  readonly tokens: readonly number[];
  /** What each was drawn from; undefined for tokens that were picked without chance. */
  readonly distributions?: readonly Distribution[] | undefined;
  /**
   * How sure the drafter is of each row, as natural logarithms: of the best token's probability among the candidates of
   * a selector, or what a chain says. Undefined where the bare logits are all there is.
   */
  readonly confidence?: readonly number[] | undefined;
}

export interface Alternative {
  readonly token: number;
  /** Natural logarithm of its probability, after the penalties and before anything is cut off. */
  readonly logprob: number;
}

export interface TokenLogprobs extends Alternative {
  /** The most probable tokens in falling order. */
  readonly top: readonly Alternative[];
}

/** What the target says about a block, row by row, once its logits are read and until they are freed. */
export interface TargetRows {
  /**
   * The token that the output gets in `row`, if all drafts before it stayed: the draft itself, or what takes its place.
   * Asked row by row, no further than needed.
   */
  readonly tokenAt: (row: number) => number;
  /** Only when they were asked for: of that token in that row. */
  readonly logprobsAt?: ((row: number, token: number) => TokenLogprobs) | undefined;
}

/** Something that is known once its arrays are settled. Who settles them frees them after reading. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- an interface is not a Tree
export type Pending<T> = {
  readonly arrays: Readonly<Record<string, MxArray | readonly MxArray[] | undefined>>;
  readonly read: () => T;
};

export interface Sampler {
  /** Whether chance has a part in drafts, so that with a seed the tokens depend on where rounds begin. */
  readonly drawsDrafts: boolean;
  /** Reads target logits [1, drafts + 1, vocabSize], whose first row stands at `at`. Lazy. */
  judge(logits: MxArray, drafted: Drafted, at: Place): Pending<TargetRows>;
  /** Makes one draft of each row of a drafter's logits, by its selector if it has one. Lazy. */
  pick(proposed: ProposedLogits | ProposedChain, at: Place): Pending<Drafted>;
}
