// What the right answers are: prompts and outputs of the built-in pair, by the reference implementation. `npm run
// goldens` writes the file.
import { readFileSync } from 'node:fs';
import { mediaPath } from '../machine/mediaPath';

export const GOLDENS = 'doctor/goldens.json';

/** Greedy. */
export interface PairGolden {
  readonly promptIds: readonly number[];
  readonly outputIds: readonly number[];
}

/** The first is short. */
export function readGoldens(): PairGolden[] {
  return (JSON.parse(readFileSync(mediaPath(GOLDENS), 'utf8')) as { readonly pair: PairGolden[] }).pair;
}
