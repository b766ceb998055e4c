// What the rows of a pass are drawn from, with which random numbers. Pure.
import { createHash } from 'node:crypto';
import { draw, type Distribution } from './distribution';
import { occurrences, processRow } from './processRow';
import type { LogitRow } from './readRows';
import type { Drafted, Place } from './sampler';
import type { Sampling } from '../request/sampling';

/** Independent random numbers in [0, 1). */
export interface Rng {
  readonly draft: number;
  readonly accept: number;
  readonly token: number;
}

/** A draft is drawn from so few tokens that the target can be asked for all of them. */
export const DRAFTED_FROM = 16;

const BYTES = 6;

/**
 * For the token at `position` of the output, from 0. What is drawn for a position depends only on it and the seed,
 * wherever rounds begin and whatever was drafted before. A draft that was drawn but never judged may be drawn again.
 */
function rngAt(seed: number, position: number): Rng {
  const number = numbersOf(`${String(seed)} ${String(position)}`);
  return { draft: number(0), accept: number(1), token: number(2) };
}

/**
 * For draft `row` of a chain behind `position` tokens: another number in each round. How many drafts of a chain are
 * verified depends on what was drawn, so what is drawn again must be drawn anew.
 */
export function chainNumber(seed: number, position: number, row: number): number {
  return numbersOf(`${String(seed)} ${String(position)} ${String(row)}`)(0);
}

function numbersOf(key: string): (index: number) => number {
  const digest = createHash('sha256').update(key).digest();
  return (index) => digest.readUIntBE(BYTES * index, BYTES) / 2 ** (8 * BYTES);
}

/** The rows of one pass of a model. */
export interface RowDraws {
  /** What the row's token is drawn from, with one draft before it for each row before it. */
  readonly from: (row: number, drafts: readonly number[]) => Distribution;
  /** That of the position of the row's token. */
  readonly rng: (row: number) => Rng;
}

/** By the chain, with the history that each row has; the first one stands at `at`. */
export function rowDraws(
  rowBehind: (row: number, drafts: readonly number[]) => LogitRow,
  { history, position }: Place,
  sampling: Sampling,
): RowDraws {
  return {
    from: (row, drafts) => {
      const counts = occurrences(sampling, history, drafts.slice(0, row));
      return processRow(rowBehind(row, drafts), counts, sampling);
    },
    rng: (row) => rngAt(sampling.seed, position + row),
  };
}

export function drawDrafts(count: number, drafter: RowDraws): Drafted {
  const tokens: number[] = [];
  const distributions: Distribution[] = [];
  for (let row = 0; row < count; row++) {
    const from = drafter.from(row, tokens);
    tokens.push(draw(from, drafter.rng(row).draft));
    distributions.push(from);
  }
  return { tokens, distributions };
}
