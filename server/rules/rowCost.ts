// Estimates the cost of a pass by its number of rows, for the engine until it has measurements, and for advice before a
// download. The unit is a plain step: a pass of one row. On Metal, models the kernels that the addon's MLX selects
// (docs/internals/results.md).

/** Bits per weight of models that are not quantised. */
export const UNPACKED_BITS = 16;

/** Facts of a target that determine the cost of rows. */
export interface RowFacts {
  readonly processor: 'cpu' | 'gpu';
  /** Bits per weight. */
  readonly bits: number;
  /** True for a mixture, whose rows read the weights of different experts. */
  readonly isMixture: boolean;
  /** True if starting kernels on a GPU takes longer than reading the weights. */
  readonly isSmall?: boolean;
}

export const ON_CPU: RowFacts = { processor: 'cpu', bits: UNPACKED_BITS, isMixture: false };

/**
 * Cost of each further row in plain steps, on a CPU or for a small target on a GPU. Measured on a CPU in float32: 16
 * rows take 1.5 to 2 times as long as one.
 */
const CPU_ROW = 0.05;

/**
 * From FIRST_TILED_ROWS rows on, packed weights are multiplied in tiles of TILE_ROWS rows. Each tile costs the same,
 * full or not.
 */
const FIRST_TILED_ROWS = 6;
const TILE_ROWS = 32;
/**
 * Cost of each further row below FIRST_TILED_ROWS, in plain steps: each row is its own matrix-vector product, which
 * finds some of the weights in the cache. Published for newer releases of MLX, whose rows share more of the cache: 0.75
 * to 0.83 (M3 Ultra, mlx issue 4265), 0.3 (M4 Pro, issue 3839).
 */
const VECTOR_ROW = 0.75;
/**
 * Cost of a tile (plain steps) times the bits per weight: a tile takes equally long for any bits, while a plain step
 * takes as long as reading the weights. Published for 4 bits: 3.9 plain steps (M3 Max, mlx pull request 3863), 4.5 (M4
 * Pro, issue 3852), 6.3 (M3 Ultra).
 */
const TILE_BITS = 20;
/** Bits per weight for the scale and bias of its group. */
const SCALE_BITS = 0.5;

/**
 * Cost of two rows with dense weights, which do not run in the matrix-vector kernel, and of each further row, in plain
 * steps. Published: 2.0 for 2 to 16 rows (M3 Ultra, mlx issue 4265), 2.5 for 16 rows of Qwen3-4B (M4 Max).
 */
const TWO_DENSE_ROWS = 1.9;
const DENSE_ROW = 0.04;

/** Cost of each further row of a mixture, in plain steps. Published for a 35B-A3B with 4 bits: 2 rows cost 1.59. */
const MIXTURE_ROW: readonly (readonly [maxBits: number, cost: number])[] = [
  [4, 0.6],
  [8, 0.5],
  [16, 0.4],
];

/**
 * Returns the cost of a pass of `rows` rows, in plain steps. With packed weights, numbers of rows that need the same
 * number of tiles cost the same.
 */
export function passCost({ processor, bits, isMixture, isSmall = false }: RowFacts, rows: number): number {
  const further = rows - 1;
  if (processor === 'cpu' || isSmall) return 1 + CPU_ROW * further;
  if (further <= 0) return 1;
  if (isMixture) return 1 + further * (MIXTURE_ROW.find(([maxBits]) => bits <= maxBits)?.[1] ?? DENSE_ROW);
  if (bits > 8) return TWO_DENSE_ROWS + DENSE_ROW * (further - 1);
  if (rows < FIRST_TILED_ROWS) return 1 + VECTOR_ROW * further;
  return (Math.ceil(rows / TILE_ROWS) * TILE_BITS) / (bits + SCALE_BITS);
}
