// What the rows of a pass cost before anything is measured: the first guess of the engine, and advice before a download.

/** How a target computes. */
export interface RowFacts {
  readonly processor: 'cpu' | 'gpu';
  /** Of the weights; 16 where they are not quantised. */
  readonly bits: number;
  /** Rows of a mixture read the weights of other experts. */
  readonly isMixture: boolean;
}

/** Measured in float32: 16 rows take 1.5 to 2 times as long as one. */
export const ON_CPU = 0.05;
/** Published for an M4 Max and Qwen3-4B: 16 rows of bf16 take 2.5 times as long as one. */
const DENSE = 0.1;
/**
 * The addon's MLX has no kernels for few rows of packed weights. Published with 4 bits: 4 rows 1.9 times, 8 rows 3.4 (M4
 * Pro), 16 rows 5 (M4 Max). With 8 bits less; how much less nobody publishes.
 */
const PACKED: readonly (readonly [bits: number, cost: number])[] = [
  [4, 0.3],
  [8, 0.2],
];
/** Published for a 35B-A3B with 4 bits: 2 rows 1.59 times. */
const OTHER_EXPERTS = 0.3;

/** The fraction of a plain step that each further row of a pass costs. */
export function rowCost({ processor, bits, isMixture }: RowFacts): number {
  if (processor === 'cpu') return ON_CPU;
  const [, cost = DENSE] = PACKED.find(([most]) => bits <= most) ?? [];
  return cost + (isMixture ? OTHER_EXPERTS : 0);
}
