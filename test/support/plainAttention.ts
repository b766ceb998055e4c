// Attention with grouped heads, one number after the other: what the fast forms are compared with.

/** Heads of queries, heads of keys and values, and the width of each. */
export const [HEADS, GROUPS, DIM] = [4, 2, 8];

/**
 * softmax(squeeze(q·kᵀ / √DIM) + mask)·v for q [HEADS, rows, DIM], k and v [GROUPS, keys, DIM] and the mask
 * [rows, keys].
 */
export function attended(
  q: readonly number[],
  k: readonly number[],
  v: readonly number[],
  mask: readonly number[],
  squeeze: (score: number) => number = (score) => score,
): number[] {
  const [rows, keys] = [q.length / HEADS / DIM, k.length / GROUPS / DIM];
  const result: number[] = [];
  for (let head = 0; head < HEADS; head++) {
    const group = Math.floor(head / (HEADS / GROUPS));
    const at = (table: readonly number[], block: number, length: number, row: number, d: number) =>
      table[(block * length + row) * DIM + d] ?? NaN;
    for (let row = 0; row < rows; row++) {
      const scores = Array.from({ length: keys }, (_, key) => {
        let dot = 0;
        for (let d = 0; d < DIM; d++) dot += at(q, head, rows, row, d) * at(k, group, keys, key, d);
        return Math.exp(squeeze(dot / Math.sqrt(DIM)) + (mask[row * keys + key] ?? NaN));
      });
      const total = scores.reduce((sum, score) => sum + score, 0);
      for (let d = 0; d < DIM; d++) {
        const sum = scores.reduce((acc, score, key) => acc + score * at(v, group, keys, key, d), 0);
        result.push(sum / total);
      }
    }
  }
  return result;
}
