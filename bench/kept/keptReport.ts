// What thresholds would have hidden, judged by weights that were fitted without the file in question, and the weights of
// all files together.
import { table } from '../../server/cli/statsTable';
import { fitWeights, probability, type Sample } from './fitWeights';

export interface FileSample extends Sample {
  readonly path: string;
}

export interface KeptReport {
  readonly samples: number;
  readonly weights: readonly number[];
  readonly thresholds: readonly Threshold[];
}

interface Threshold {
  /** Percent. */
  readonly hideBelow: number;
  readonly shown: number;
  /** Of what is shown, the share of which a person would accept some. */
  readonly precision: number;
  /** Of all such, the share that is hidden. */
  readonly lost: number;
}

const FOLDS = 6;
const STEP = 5;
const MOST = 80;

export function keptReport(samples: readonly FileSample[]): KeptReport {
  const judged = crossValidated(samples);
  const all = judged.filter(({ isKept }) => isKept).length;
  const thresholds = Array.from({ length: MOST / STEP + 1 }, (_, i) => {
    const shown = judged.filter((each) => 100 * each.probability >= i * STEP);
    const kept = shown.filter(({ isKept }) => isKept).length;
    return {
      hideBelow: i * STEP,
      shown: shown.length,
      precision: kept / Math.max(1, shown.length),
      lost: 1 - kept / Math.max(1, all),
    };
  });
  return { samples: samples.length, weights: fitWeights(samples), thresholds };
}

export function renderKept({ samples, weights, thresholds }: KeptReport): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const rows = thresholds.map(({ hideBelow, shown, precision, lost }) => [
    String(hideBelow),
    String(shown),
    percent(precision),
    percent(lost),
  ]);
  const head = ['hideBelow', 'shown', 'precision', 'lost'];
  const fitted = weights.map((weight) => weight.toFixed(3)).join(', ');
  return `Kept (${String(samples)} suggestions)\n${table([head, ...rows])}\n\nWeights: ${fitted}\n`;
}

/** Whole files are left out, as holes of one file are alike. */
function crossValidated(samples: readonly FileSample[]) {
  const paths = [...new Set(samples.map(({ path }) => path))].sort();
  const foldOf = ({ path }: FileSample): number => paths.indexOf(path) % FOLDS;
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const weights = fitWeights(samples.filter((each) => foldOf(each) !== fold));
    return samples
      .filter((each) => foldOf(each) === fold)
      .map(({ features, isKept }) => ({ isKept, probability: probability(weights, features) }));
  });
}
