// Chance, by seed and position: what is drawn for a position depends on nothing else, however the rounds of a decode
// fall and whatever was drafted before.
import { createHash } from 'node:crypto';

/** Independent numbers from 0 up to, but without, 1. */
export interface Chances {
  readonly draft: number;
  readonly accept: number;
  readonly token: number;
}

const BYTES = 6;

/** For the token at `position` of the output, from 0. A drawn draft that nobody has judged may be drawn again. */
export function chancesAt(seed: number, position: number): Chances {
  const digest = createHash('sha256')
    .update(`${String(seed)} ${String(position)}`)
    .digest();
  const number = (index: number): number => digest.readUIntBE(BYTES * index, BYTES) / 2 ** (8 * BYTES);
  return { draft: number(0), accept: number(1), token: number(2) };
}
