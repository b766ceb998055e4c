// The state of a gated delta layer and the record of what rows did to it. Arrays are immutable, so a state of before
// is a reference and no copy. Knows nothing of who keeps them.
import * as mx from '../ops';
import { advance, type DeltaRows } from './deltaRule';

export interface RecurrentState {
  /** [Hk, R, keyDim, valueDim], float32. */
  readonly memory: mx.MxArray;
  /** The inputs that the next rows' convolution sees: [1, taps - 1, channels]. */
  readonly inputs: mx.MxArray;
}

/** What a number of rows did: enough to have the state after any of them, from the state before them. */
export interface RecurrentRows {
  readonly delta: DeltaRows;
  /** Before the convolution: [1, rows, channels]. */
  readonly inputs: mx.MxArray;
}

export function rowCount({ inputs }: RecurrentRows): number {
  return inputs.shape[1] ?? 0;
}

/** The state after all of `rows`. */
export function stateAfter(state: RecurrentState, rows: RecurrentRows): RecurrentState {
  const count = rowCount(rows);
  const kept = state.inputs.shape[1] ?? 0;
  const inputs =
    count < kept
      ? mx.concatenate([mx.slice(state.inputs, 1, count, kept), rows.inputs], 1)
      : mx.copy(mx.slice(rows.inputs, 1, count - kept, count));
  return { memory: advance(state.memory, rows.delta), inputs };
}

/** Views of some of the rows. */
export function sliceRows(rows: RecurrentRows, from: number, to: number): RecurrentRows {
  if (from === 0 && to === rowCount(rows)) return rows;
  const { keys, deltas, decays } = rows.delta;
  return {
    delta: {
      keys: mx.slice(keys, 2, from, to),
      deltas: mx.slice(deltas, 2, from, to),
      decays: mx.slice(decays, 2, from, to),
    },
    inputs: mx.slice(rows.inputs, 1, from, to),
  };
}

export function joinRows(parts: readonly RecurrentRows[]): RecurrentRows {
  const join = (axis: number, of: (part: RecurrentRows) => mx.MxArray): mx.MxArray =>
    mx.concatenate(parts.map(of), axis);
  return {
    delta: {
      keys: join(2, ({ delta }) => delta.keys),
      deltas: join(2, ({ delta }) => delta.deltas),
      decays: join(2, ({ delta }) => delta.decays),
    },
    inputs: join(1, ({ inputs }) => inputs),
  };
}
