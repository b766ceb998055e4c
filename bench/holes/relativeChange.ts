// By how much one pair is better than another at the same holes, and how certain that is. Holes of one file are alike,
// so whole files are sampled (a cluster bootstrap).
import { Rng } from '../rng';

/** Sums of the same figure over the holes of one file. */
export interface FileSums {
  readonly ours: number;
  readonly theirs: number;
}

export interface Change {
  /** 0.15 is 15 % more; infinite against nothing. */
  readonly relative: number;
  /** The bounds of 95 % of the samples. */
  readonly low: number;
  readonly high: number;
}

const SAMPLES = 10_000;
const SEED = 1;
const OUTSIDE = 0.025;

/** Deterministic: the same sums give the same result. */
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
