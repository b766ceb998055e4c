// Contract of a sampler: it judges drafts by the target's logits and picks drafts from a drafter's logits.
import type { ProposedChain, ProposedLogits } from '../../models/drafters/drafter';
import type { MxArray } from '../../models/mlx/addonTypes';
import type { Distribution } from './distribution';

/** The text before the first token that a pass judges. */
export interface TokenContext {
  /** Committed tokens of prompt and output, up to and including the anchor. */
  readonly history: readonly number[];
  /** Number of output tokens so far, which seeds the random numbers of the next ones. */
  readonly position: number;
}

export interface DraftedTokens {
  readonly tokens: readonly number[];
  /** Distribution that each token was drawn from; undefined if tokens were not drawn at random. */
  readonly distributions?: readonly Distribution[] | undefined;
  /**
   * Natural logarithm of the drafter's confidence in each row: the probability of the best candidate of a selector, or
   * the value that a chain reports. Undefined for plain logits, whose largest probability serves instead.
   */
  readonly logConfidence?: readonly number[] | undefined;
}

export interface TokenLogprob {
  readonly token: number;
  /** Natural logarithm of the probability, after penalties and before truncation. */
  readonly logprob: number;
}

export interface TokenLogprobs extends TokenLogprob {
  /** The most probable tokens in descending order. */
  readonly top: readonly TokenLogprob[];
}

/** The target's verdict on a block, row by row. Valid until the arrays it was read from are freed. */
export interface TargetRows {
  /**
   * Returns the output's token in `row`, provided that all drafts before it were accepted: the draft itself, or the
   * token in its place. Called row by row, no further than needed.
   */
  readonly tokenAt: (row: number) => number;
  /** Returns log-probabilities for `token` in `row`; only if requested. */
  readonly logprobsAt?: ((row: number, token: number) => TokenLogprobs) | undefined;
}

/** A value that can be read once its arrays are evaluated. The caller evaluates them, reads, and frees them. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- an interface is not assignable to Tree
export type Pending<T> = {
  readonly arrays: Readonly<Record<string, MxArray | readonly MxArray[] | undefined>>;
  readonly read: () => T;
};

export interface Sampler {
  /** Whether drafts are drawn at random: then even a seeded text depends on where rounds begin. */
  readonly drawsDrafts: boolean;
  /** Judges `drafted` by the target's logits [1, drafts + 1, vocabSize]. Lazy. */
  verify(logits: MxArray, drafted: DraftedTokens, context: TokenContext): Pending<TargetRows>;
  /** Picks one draft from each row of a drafter's logits, with its selector if it has one. Lazy. */
  sample(proposed: ProposedLogits | ProposedChain, context: TokenContext): Pending<DraftedTokens>;
}
