// By how much one pair is better than another at the same holes, and how sure that is. Holes of one file are alike, so
// chance draws whole files (a bootstrap of clusters).
import { Rng } from '../rng';

/** Sums of the same figure over the holes of one file. */
export interface FileSums {
  readonly ours: number;
  readonly theirs: number;
}

export interface Change {
  /** 0.15 is 15 % more; infinite against nothing. */
  readonly relative: number;
  /** Where 95 % of the samples lie between. */
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 10_000;
const SEED = 1;
const OUTSIDE = 0.025;

/** The same for the same sums. */
export function relativeChange(files: readonly FileSums[]): Change {
  const rng = new Rng(SEED);
  const samples = Array.from({ length: SAMPLES }, () =>
    changeOf(files.map(() => rng.pick(files) ?? { ours: 0, theirs: 0 })),
  ).sort((a, b) => a - b);
  const at = (share: number): number => samples[Math.round(share * (SAMPLES - 1))] ?? NaN;
  return { relative: changeOf(files), low: at(OUTSIDE), high: at(1 - OUTSIDE) };
}

function changeOf(files: readonly FileSums[]): number {
  const sum = (of: keyof FileSums): number => files.reduce((total, file) => total + file[of], 0);
  const [ours, theirs] = [sum('ours'), sum('theirs')];
  return ours === theirs ? 0 : ours / theirs - 1;
}
