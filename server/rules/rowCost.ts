// Estimates the cost of a pass by its rows: the engine's prior before it has measurements, and advice before a
// download. On Metal it follows the kernels that the addon's MLX picks (docs/internals/architecture.md).

/** Facts of a target that determine the cost of rows. */
export interface RowFacts {
  readonly processor: 'cpu' | 'gpu';
  /** Bits of the weights; 16 where they are not quantised. */
  readonly bits: number;
  /** True for a mixture, whose rows read the weights of different experts. */
  readonly isMixture: boolean;
  /** True if a GPU spends a step on starting kernels rather than on reading weights. */
  readonly isSmall?: boolean;
}

export const ON_CPU: RowFacts = { processor: 'cpu', bits: 16, isMixture: false };

/** Share of a plain step per further row. Measured in float32: 16 rows take 1.5 to 2 times as long as one. */
const CPU_ROW = 0.05;

/** From this many rows on, packed weights are multiplied in tiles of rows; each tile costs the same, full or not. */
const [FIRST_TILED_ROWS, TILE_ROWS] = [6, 32];
/**
 * Share per further row below that: each row is a matrix-vector product of its own, which finds some of the weights in
 * the cache. Published: 0.75 to 0.83 (M3 Ultra, mlx issue 4265), 0.3 (M4 Pro, issue 3839), by releases that share more
 * of it.
 */
const VECTOR_ROW = 0.75;
/**
 * Cost of a tile times the bits of a weight: the products take equally long for any bits, a plain step as long as it
 * reads. Published for 4 bits: 3.9 plain steps (M3 Max, mlx pull request 3863), 4.5 (M4 Pro, issue 3852), 6.3 (M3
 * Ultra).
 */
const TILE_BITS = 20;
/** Bits per weight of the scale and bias of its group. */
const SCALE_BITS = 0.5;

/**
 * Cost of two dense rows, which leave the matrix-vector kernel, and share of each further row. Published: 2.0 plain
 * steps for 2 to 16 rows (M3 Ultra, mlx issue 4265), 2.5 for 16 rows of Qwen3-4B (M4 Max).
 */
const [TWO_DENSE_ROWS, DENSE_ROW] = [1.9, 0.04];

/** Share per further row of a mixture. Published for a 35B-A3B with 4 bits: 2 rows 1.59 times. */
const MIXTURE_ROW: readonly (readonly [bits: number, share: number])[] = [
  [4, 0.6],
  [8, 0.5],
  [16, 0.4],
];

/** Returns the cost of a pass of `rows` as a multiple of a plain step. Equal costs mean one tile. */
export function passCost({ processor, bits, isMixture, isSmall = false }: RowFacts, rows: number): number {
  const further = rows - 1;
  if (processor === 'cpu' || isSmall) return 1 + CPU_ROW * further;
  if (further <= 0) return 1;
  if (isMixture) return 1 + further * (MIXTURE_ROW.find(([most]) => bits <= most)?.[1] ?? DENSE_ROW);
  if (bits > 8) return TWO_DENSE_ROWS + DENSE_ROW * (further - 1);
  if (rows < FIRST_TILED_ROWS) return 1 + VECTOR_ROW * further;
  return (Math.ceil(rows / TILE_ROWS) * TILE_BITS) / (bits + SCALE_BITS);
}
