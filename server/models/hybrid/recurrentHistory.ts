// The history of the rows that a gated delta layer has read: a state, from which no row can be removed, and a tape of the
// changes that the last rows made, from which the state after any of them follows. Plain functions on values: arrays are
// immutable, so keeping an earlier state costs a reference and no copy. RecurrentCache owns the arrays.
import * as mx from '../mlx/ops';
import { advance, type DeltaRows } from './deltaRule';

/**
 * At least this many of the rows read can be taken back: a key press changes the last few tokens of a prompt, which a
 * short output follows, and these few tokens are read together with drafts. With the
 * sizes of published models the rows take little more memory than one state, which leads back to one place only.
 */
const TAPE_ROWS = 64;
/** Passes on the tape before they are joined into one. */
const MAX_PASSES = 8;

export interface RecurrentState {
  /** [Hk, R, keyDim, valueDim], float32. */
  readonly memory: mx.MxArray;
  /** The inputs that the next rows' convolution sees: [1, taps - 1, channels]. */
  readonly inputs: mx.MxArray;
}

/** What a number of rows did: enough to have the state after any of them, from the state before them. */
export interface RecurrentRows extends DeltaRows {
  /** Before the convolution: [1, rows, channels]. */
  readonly inputs: mx.MxArray;
}

interface Mark {
  readonly length: number;
  readonly state: RecurrentState;
  /** Whether it has been returned to. */
  readonly isReturned: boolean;
}

interface Pass {
  readonly rows: RecurrentRows;
  /** Those of them that have not been taken back. */
  readonly count: number;
}

export interface RecurrentHistory {
  /**
   * A place before the tape, for changes further back: near the end of a prefill chunk, preferably one that was
   * returned to before. Typing in the middle of a prompt returns to it with each key. States are large, so there is
   * only one.
   */
  readonly older: Mark | undefined;
  /** Where the tape begins. */
  readonly base: Mark;
  readonly tape: readonly Pass[];
  /** Before the last pass of the tape. */
  readonly before: RecurrentState;
}

export type StateAfter = (state: RecurrentState, rows: RecurrentRows) => RecurrentState;

export function lengthOf({ base, tape }: RecurrentHistory): number {
  return tape.reduce((length, { count }) => length + count, base.length);
}

/** The history of the first `length` rows, a length that is reachable. */
export function cutTo(history: RecurrentHistory, length: number): RecurrentHistory | undefined {
  const { older, base, tape } = history;
  if (length === 0) return undefined;
  if (length < base.length) {
    return older && { older: undefined, base: { ...older, isReturned: true }, tape: [], before: older.state };
  }
  const surplus = lengthOf(history) - length;
  const last = tape.at(-1);
  if (last === undefined || surplus === 0) return history;
  const others = tape.slice(0, -1);
  // Usual in a round: the state before the last pass is at hand.
  if (surplus <= last.count)
    return { ...history, tape: [...others, { ...last, count: last.count - surplus }] };
  const shorter = cutPasses(others, length - base.length);
  const before = shorter.slice(0, -1).reduce((state, pass) => stateAfter(state, rowsOf(pass)), base.state);
  return { older, base, tape: shorter, before };
}

/** The first `count` rows of the tape. */
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

/** Room for one more pass: many become one, and the oldest rows go into the state where the tape begins. */
export function shortened({ base, tape }: RecurrentHistory): Pick<RecurrentHistory, 'base' | 'tape'> {
  const passes = tape.filter(({ count }) => count > 0);
  if (passes.length < MAX_PASSES) return { base, tape: passes };
  const joined = joinRows(passes.map(rowsOf));
  const count = rowCount(joined);
  const surplus = Math.max(0, count - TAPE_ROWS);
  const kept = { rows: sliceRows(joined, surplus, count), count: count - surplus };
  if (surplus === 0) return { base, tape: [kept] };
  const state = stateAfter(base.state, sliceRows(joined, 0, surplus));
  return { base: { length: base.length + surplus, state, isReturned: false }, tape: [kept] };
}

function rowsOf({ rows, count }: Pass): RecurrentRows {
  return sliceRows(rows, 0, count);
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
  return { memory: advance(state.memory, rows), inputs };
}

/** Views of some of the rows. */
export function sliceRows(rows: RecurrentRows, from: number, to: number): RecurrentRows {
  if (from === 0 && to === rowCount(rows)) return rows;
  return eachArray((name, axis) => mx.slice(rows[name], axis, from, to));
}

function joinRows(parts: readonly RecurrentRows[]): RecurrentRows {
  return eachArray((name, axis) =>
    mx.concatenate(
      parts.map((part) => part[name]),
      axis,
    ),
  );
}

/** `axis` is that of the rows. */
function eachArray(make: (name: keyof RecurrentRows, axis: number) => mx.MxArray): RecurrentRows {
  return {
    keys: make('keys', 2),
    deltas: make('deltas', 2),
    decays: make('decays', 2),
    inputs: make('inputs', 1),
  };
}
