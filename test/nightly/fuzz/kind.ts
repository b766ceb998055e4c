// A kind of input and its checks: the interface between the harness and each kind.
import type * as fc from 'fast-check';

export interface FuzzKind<T> {
  readonly name: string;
  /**
   * Generated in the subject's process. To reduce a failed input, the harness generates it again and sends each smaller
   * one to that process as a structured clone.
   */
  readonly inputs: fc.Arbitrary<T>;
  /** Number of inputs in a run of the tests, which multiply it by a factor. */
  readonly runs: number;
  /** Opens the subject that receives the inputs, in a separate process, which an input can crash. */
  readonly open: () => Promise<Subject<T>> | Subject<T>;
}

/** `attempt` and `checkValid` throw if a check fails, but not for an input that is refused correctly. */
export interface Subject<T> {
  readonly attempt: (input: T) => unknown;
  /** Checks that a valid input gives its known result. Called between inputs, and at the end. */
  readonly checkValid: () => unknown;
  /** Releases everything that would keep the process alive. */
  readonly close?: () => unknown;
}

/** Any kind, for lists; its inputs go only to its own subject. */
export type AnyKind = FuzzKind<unknown>;

export function fuzzKind<T>(kind: FuzzKind<T>): AnyKind {
  return kind as unknown as AnyKind;
}
