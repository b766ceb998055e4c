// What steps of each family cost compared with those of the dense one, by turns so that a change in the machine's load
// affects both. Ratios are of two consecutive steps, then the median.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../../server/rules/median';
import { VerifySteps } from '../decode/verifySteps';
import type { Device } from '../../server/models/mlx/device';
import { loadTarget } from '../../server/models/families/registry';
import type { Family } from './families';
import { sizeOfAll, writeRandomCheckpoint } from './randomCheckpoint';

/** Rows of the steps: a plain one and two verify passes. */
export const ROWS = [1, 4, 16] as const;

export interface FamilyResult {
  readonly name: string;
  readonly size: string;
  /** The number of all weights. */
  readonly parameters: number;
  /** In the order of ROWS. */
  readonly ms: readonly number[];
  /** Over the dense step with as many rows. */
  readonly overDense: readonly number[];
}

export interface CompareOptions {
  readonly dense: Family;
  readonly families: readonly Family[];
  readonly repeats: number;
  readonly device: Device;
  readonly progress: (text: string) => void;
}

/** The dense one first, compared with itself: any difference from 1 there is noise. */
export async function compareFamilies(options: CompareOptions): Promise<FamilyResult[]> {
  const { dense, families, repeats, device, progress } = options;
  const beside = await LoadedFamily.load(dense, device);
  const results: FamilyResult[] = [];
  try {
    for (const family of [dense, ...families]) {
      progress(family.name);
      const loaded = family === dense ? beside : await LoadedFamily.load(family, device);
      try {
        results.push(await compare(loaded, beside, repeats));
      } finally {
        if (loaded !== beside) loaded.dispose();
      }
    }
  } finally {
    beside.dispose();
  }
  return results;
}

async function compare(mine: LoadedFamily, dense: LoadedFamily, repeats: number): Promise<FamilyResult> {
  const pairs = ROWS.map((): { own: number; other: number }[] => []);
  // The first pass warms up and is not counted.
  for (let repeat = 0; repeat <= repeats; repeat++) {
    for (const [i, rows] of ROWS.entries()) {
      const pair = { other: await dense.steps.run(rows - 1), own: await mine.steps.run(rows - 1) };
      if (repeat > 0) pairs[i]?.push(pair);
    }
  }
  const { name, size, plan } = mine.family;
  return {
    name,
    size,
    parameters: sizeOfAll(plan),
    ms: pairs.map((each) => median(each.map(({ own }) => own))),
    overDense: pairs.map((each) => median(each.map(({ own, other }) => own / other))),
  };
}

class LoadedFamily {
  private constructor(
    readonly family: Family,
    readonly steps: VerifySteps,
    readonly dispose: () => void,
  ) {}

  static async load(family: Family, device: Device): Promise<LoadedFamily> {
    const folder = mkdtempSync(join(tmpdir(), 'flashline-families-'));
    try {
      writeRandomCheckpoint(folder, family.plan);
      const target = await loadTarget(folder, device);
      const prompt = Array.from(
        { length: target.config.vocabSize },
        (_, i) => (i * 7919) % target.config.vocabSize,
      );
      const steps = await VerifySteps.prepare(target, prompt);
      return new LoadedFamily(family, steps, () => {
        steps.dispose();
        target.dispose();
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
