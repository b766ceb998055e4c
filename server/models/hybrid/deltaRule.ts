// The gated delta rule in closed form (speculative-decoding.md E.2, R6): what a block of rows reads from a state and
// does to it, by products over all heads at once. One row is a block too, so decoding and verifying agree.
// All arrays are float32. Hk are the key heads; R value heads share each of them.
import * as mx from '../ops';
import { solveLower, type BlockMask } from './solveLower';

export interface DeltaInputs {
  /** Queries and then keys, all of unit length or shorter: [Hk, 1, 2 · rows, keyDim]. */
  readonly queriesAndKeys: mx.MxArray;
  /** [Hk, R, rows, valueDim] */
  readonly values: mx.MxArray;
  /** How much of a value replaces what its key recalls, 0 to 1: [Hk, R, rows, 1]. */
  readonly rates: mx.MxArray;
  /** Natural logarithm of what each row leaves of the state, at most 0: [Hk, R, rows, 1]. */
  readonly decays: mx.MxArray;
}

/** What rows did to the state before them: enough to have the state after any of them, from that one. */
export interface DeltaRows {
  /** [Hk, 1, rows, keyDim] */
  readonly keys: mx.MxArray;
  /** What was added under each key: [Hk, R, rows, valueDim]. */
  readonly deltas: mx.MxArray;
  /** [Hk, R, rows, 1] */
  readonly decays: mx.MxArray;
}

export interface DeltaPass {
  /** What the queries recall, each from the state after its own row: [Hk, R, rows, valueDim]. */
  readonly outputs: mx.MxArray;
  readonly rows: DeltaRows;
}

/** Reads and rewrites `state` [Hk, R, keyDim, valueDim], which stays as it is; `mask` is that of so many rows. */
export function deltaRule(
  { queriesAndKeys, values, rates, decays }: DeltaInputs,
  state: mx.MxArray,
  mask: BlockMask,
): DeltaPass {
  const rows = values.shape[2] ?? 0;
  const keys = mx.slice(queriesAndKeys, 2, rows, 2 * rows);
  const recalled = mx.matmul(queriesAndKeys, state); // [Hk, R, 2 · rows, valueDim]
  const alike = mx.matmul(queriesAndKeys, columns(keys)); // [Hk, 1, 2 · rows, rows]
  const since = mx.cumsum(decays, 2);
  const left = mx.exp(since); // of the state, at each row
  const known = mx.multiply(left, mx.slice(recalled, 2, rows, 2 * rows));
  const news = mx.multiply(rates, mx.subtract(values, known));
  const asked = mx.slice(alike, 2, 0, rows);
  // Rows see what earlier ones of the block have added, faded since.
  const faded = mask.causal && mx.exp(mx.add(mx.subtract(since, columns(since)), mask.causal));
  const seen = faded && mx.multiply(mx.multiply(rates, faded), mx.slice(alike, 2, rows, 2 * rows));
  const deltas = seen ? solveLower(seen, news, mask) : news;
  const added = mx.matmul(faded ? mx.multiply(faded, asked) : asked, deltas);
  const outputs = mx.add(mx.multiply(left, mx.slice(recalled, 2, 0, rows)), added);
  return { outputs, rows: { keys, deltas, decays } };
}

/** The state after all of `rows`, from the `state` before them. */
export function advance(state: mx.MxArray, { keys, deltas, decays }: DeltaRows): mx.MxArray {
  const rows = deltas.shape[2] ?? 0;
  const since = mx.cumsum(decays, 2);
  const whole = mx.slice(since, 2, rows - 1, rows);
  const faded = rows === 1 ? deltas : mx.multiply(mx.exp(mx.subtract(whole, since)), deltas);
  return mx.add(mx.multiply(mx.exp(whole), state), mx.matmul(columns(keys), faded));
}

/** A view with the last two axes swapped. */
function columns(a: mx.MxArray): mx.MxArray {
  return mx.transpose(a, 0, 1, 3, 2);
}
