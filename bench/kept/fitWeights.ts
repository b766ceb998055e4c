// Logistic regression with a ridge, by Newton's method: deterministic, for a handful of features.

/** `features` begin with a constant 1, which the ridge leaves free. */
export interface Sample {
  readonly features: readonly number[];
  readonly isKept: boolean;
}

const RIDGE = 1;
const STEPS = 30;

export function fitWeights(samples: readonly Sample[]): number[] {
  const width = samples[0]?.features.length ?? 0;
  const indices = Array.from({ length: width }, (_, i) => i);
  let weights = indices.map((): number => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = indices.map((i): number => (i === 0 ? 0 : RIDGE * at(weights, i)));
    const hessian = indices.map((i) => indices.map((j): number => (i === j && i > 0 ? RIDGE : 0)));
    for (const { features, isKept } of samples) {
      const p = probability(weights, features);
      for (const i of indices) {
        gradient[i] = at(gradient, i) + (p - Number(isKept)) * at(features, i);
        const row = hessian[i] ?? [];
        for (const j of indices) row[j] = at(row, j) + p * (1 - p) * at(features, i) * at(features, j);
      }
    }
    const change = solved(hessian, gradient);
    weights = weights.map((weight, i) => weight - at(change, i));
  }
  return weights;
}

export function probability(weights: readonly number[], features: readonly number[]): number {
  return 1 / (1 + Math.exp(-features.reduce((sum, value, i) => sum + value * at(weights, i), 0)));
}

/** x of `matrix` · x = `values`, by elimination; the matrix is positive definite, so no row needs to move. */
function solved(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, at(values, i)]);
  for (const [i, pivot] of rows.entries())
    for (const [j, row] of rows.entries()) {
      if (i === j) continue;
      const factor = at(row, i) / at(pivot, i);
      for (let k = i; k < row.length; k++) row[k] = at(row, k) - factor * at(pivot, k);
    }
  return rows.map((row, i) => at(row, row.length - 1) / at(row, i));
}

function at(values: readonly number[], i: number): number {
  return values[i] ?? 0;
}
