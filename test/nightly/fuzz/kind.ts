// A kind of input, and what is to be held against it: the one interface between the harness and what it tries.
import type * as fc from 'fast-check';

export interface FuzzKind<T> {
  readonly name: string;
  /** Made in the harness, sent to the subject's process as a structured clone. */
  readonly inputs: fc.Arbitrary<T>;
  /** How many are tried in each run of the tests. */
  readonly runs: number;
  /** What the inputs go to; opened in a process of its own, which an input may take down. */
  readonly open: () => Promise<Subject<T>> | Subject<T>;
}

/** Both throw when the product breaks its promise; neither throws for an input that is rightly refused. */
export interface Subject<T> {
  readonly attempt: (input: T) => unknown;
  /** A right input gives the result that is known for it. Called between others, and at the end. */
  readonly sound: () => unknown;
  /** Leaves nothing that would keep the process alive. */
  readonly close?: () => unknown;
}

/** Kinds of any input, as a list has them: what one makes goes to its own subject alone. */
export type AnyKind = FuzzKind<unknown>;

export function fuzzKind<T>(kind: FuzzKind<T>): AnyKind {
  return kind as unknown as AnyKind;
}
