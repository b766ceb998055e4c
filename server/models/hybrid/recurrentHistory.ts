// The history of the rows that a gated delta layer has read: a state, from which no row can be removed, and a tape of
// the changes that the last rows made, from which the state after any of them follows. Plain functions on values:
// arrays are immutable, so keeping an earlier state costs a reference and no copy. RecurrentCache owns the arrays.
import * as mx from '../mlx/ops';
import { advance, type DeltaRows } from './deltaRule';

/**
 * Rows that a shortened tape keeps, all of which can be trimmed: enough for a short output and the last
 * tokens of its prompt, which a key press changes. With the sizes of published models they take little more
 * memory than a single state.
 */
const TAPE_ROWS = 64;
/** Number of passes on the tape at which they are joined into one. */
const MAX_PASSES = 8;

export interface RecurrentState {
  /** [Hk, R, keyDim, valueDim], float32. */
  readonly memory: mx.MxArray;
  /** Last inputs of the convolution, which the next rows need: [1, taps - 1, channels]. */
  readonly inputs: mx.MxArray;
}

/** Changes of rows, from which the state after any of them follows, given the state before them. */
export interface RecurrentRows extends DeltaRows {
  /** Inputs of the convolution: [1, rows, channels]. */
  readonly inputs: mx.MxArray;
}

/** A state that a history can return to. */
interface Mark {
  /** Number of rows before it. */
  readonly length: number;
  readonly state: RecurrentState;
  /** Whether a trim to a row before the tape has returned to it. */
  readonly wasReturnedTo: boolean;
}

interface Pass {
  readonly rows: RecurrentRows;
  /** Number of its first rows that have not been trimmed. */
  readonly count: number;
}

export interface RecurrentHistory {
  /**
   * A mark before the tape, for edits further back. It is near the end of a prefill chunk. Only one is kept, as states
   * are large: one that a trim has returned to, if any, because typing in the middle of a prompt returns to the same
   * mark with each key.
   */
  readonly older: Mark | undefined;
  /** Mark at the beginning of the tape. */
  readonly base: Mark;
  readonly tape: readonly Pass[];
  /** State before the last pass of the tape. */
  readonly before: RecurrentState;
}

/** Computes the state after rows from the state before them. */
export type StateAfter = (state: RecurrentState, rows: RecurrentRows) => RecurrentState;

/** Returns the number of rows read. */
export function lengthOf({ base, tape }: RecurrentHistory): number {
  return tape.reduce((length, { count }) => length + count, base.length);
}

/** Returns the history of the first `length` rows, undefined for 0; the length must be reachable. */
export function cutTo(history: RecurrentHistory, length: number): RecurrentHistory | undefined {
  const { older, base, tape } = history;
  if (length === 0) return undefined;
  if (length < base.length) {
    const mark = older && { ...older, wasReturnedTo: true };
    return mark && { older: undefined, base: mark, tape: [], before: mark.state };
  }
  const surplus = lengthOf(history) - length;
  const last = tape.at(-1);
  if (last === undefined || surplus === 0) return history;
  const earlier = tape.slice(0, -1);
  // In a round, trimming usually stays within the last pass, so the state before that pass is still right.
  if (surplus <= last.count)
    return { ...history, tape: [...earlier, { ...last, count: last.count - surplus }] };
  const shorter = cutPasses(earlier, length - base.length);
  const before = shorter.slice(0, -1).reduce((state, pass) => stateAfter(state, rowsOf(pass)), base.state);
  return { older, base, tape: shorter, before };
}

/** Returns the first `count` rows of the tape. */
function cutPasses(tape: readonly Pass[], count: number): Pass[] {
  const cut: Pass[] = [];
  let left = count;
  for (const pass of tape) {
    if (left === 0) break;
    const kept = Math.min(left, pass.count);
    cut.push({ ...pass, count: kept });
    left -= kept;
  }
  return cut;
}

/**
 * Returns base and tape with room for one more pass: joins many passes into one, and moves the oldest rows
 * beyond TAPE_ROWS into the base.
 */
export function shortened({ base, tape }: RecurrentHistory): { base: Mark; tape: readonly Pass[] } {
  const passes = tape.filter(({ count }) => count > 0);
  if (passes.length < MAX_PASSES) return { base, tape: passes };
  const joined = joinRows(passes.map(rowsOf));
  const count = rowCount(joined);
  const surplus = Math.max(0, count - TAPE_ROWS);
  const kept = { rows: sliceRows(joined, surplus, count), count: count - surplus };
  if (surplus === 0) return { base, tape: [kept] };
  const state = stateAfter(base.state, sliceRows(joined, 0, surplus));
  return { base: { length: base.length + surplus, state, wasReturnedTo: false }, tape: [kept] };
}

function rowsOf({ rows, count }: Pass): RecurrentRows {
  return sliceRows(rows, 0, count);
}

export function rowCount({ inputs }: RecurrentRows): number {
  return inputs.shape[1] ?? 0;
}

/** Returns the state after all of `rows`. */
export function stateAfter(state: RecurrentState, rows: RecurrentRows): RecurrentState {
  const count = rowCount(rows);
  const kept = state.inputs.shape[1] ?? 0;
  const inputs =
    count < kept
      ? mx.concatenate([mx.slice(state.inputs, 1, count, kept), rows.inputs], 1)
      : mx.copy(mx.slice(rows.inputs, 1, count - kept, count));
  return { memory: advance(state.memory, rows), inputs };
}

/** Returns rows `from` to `to` - 1 as views. */
export function sliceRows(rows: RecurrentRows, from: number, to: number): RecurrentRows {
  if (from === 0 && to === rowCount(rows)) return rows;
  return mapArrays((name, axis) => mx.slice(rows[name], axis, from, to));
}

function joinRows(parts: readonly RecurrentRows[]): RecurrentRows {
  return mapArrays((name, axis) =>
    mx.concatenate(
      parts.map((part) => part[name]),
      axis,
    ),
  );
}

/** Builds rows array by array; `axis` is the axis of the rows in the array `name`. */
function mapArrays(make: (name: keyof RecurrentRows, axis: number) => mx.MxArray): RecurrentRows {
  return {
    keys: make('keys', 2),
    deltas: make('deltas', 2),
    decays: make('decays', 2),
    inputs: make('inputs', 1),
  };
}
