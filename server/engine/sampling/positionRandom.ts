// Random numbers of output positions, from the seed and the position. With the acceptance mode `match`, a seeded
// text is therefore the same wherever rounds begin and whatever was drafted before. Draws of a drafter's chain also
// depend on where the chain begins.
import { createHash } from 'node:crypto';

/** Independent random numbers in [0, 1) of one output position. */
export interface PositionRandom {
  readonly draft: number;
  readonly accept: number;
  readonly token: number;
}

const BYTES_PER_NUMBER = 6;

/**
 * Returns the numbers for the token at `position` of the output, from 0. A draft that was drawn but never judged can be
 * drawn again with the same number.
 */
export function positionRandom(seed: number, position: number): PositionRandom {
  const number = hashedNumbers(`${String(seed)} ${String(position)}`);
  return { draft: number(0), accept: number(1), token: number(2) };
}

/**
 * Returns the number for draft `row` of a chain that begins after `position` output tokens. If a later round drafts the
 * same output position again, it gets a new number: how many drafts are verified depends on the drawn tokens, so a
 * second draw must be independent of the first.
 */
export function chainRandom(seed: number, position: number, row: number): number {
  return hashedNumbers(`${String(seed)} ${String(position)} ${String(row)}`)(0);
}

function hashedNumbers(key: string): (index: number) => number {
  const digest = createHash('sha256').update(key).digest();
  return (index) =>
    digest.readUIntBE(BYTES_PER_NUMBER * index, BYTES_PER_NUMBER) / 2 ** (8 * BYTES_PER_NUMBER);
}
