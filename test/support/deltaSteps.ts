// The gated delta rule as it is defined, row by row in double precision, and inputs for it. What the closed form is
// held to.
import type * as mx from '../../server/models/mlx/ops';
import type { DeltaInputs } from '../../server/models/hybrid/deltaRule';
import { arrayOf } from './arrayValues';
import { seededRandom } from './seededRandom';

const SIZES = { keyHeads: 2, sharing: 3, keyDim: 8, valueDim: 5 };
const HEADS = SIZES.keyHeads * SIZES.sharing;

/** What one value head is given for one row. */
interface HeadRow {
  readonly query: readonly number[];
  readonly key: readonly number[];
  readonly value: readonly number[];
  readonly rate: number;
  readonly decay: number;
}

/** Rows of all heads: [row][head]. Heads that share a key have the same queries and keys. */
export type DeltaText = readonly (readonly HeadRow[])[];

interface TextOptions {
  /** All keys are nearly the same, as those of equal tokens are. */
  readonly alike?: boolean;
  /** Instead of anything from 0 to 1. */
  readonly rate?: number;
  /** Most that a row forgets, as a positive logarithm. */
  readonly forgets?: number;
}

export function deltaText(rows: number, seed: number, options: TextOptions = {}): DeltaText {
  const { alike = false, rate, forgets = 1 } = options;
  const random = seededRandom(seed);
  const unit = (near?: readonly number[]): number[] => {
    const raw = Array.from(
      { length: SIZES.keyDim },
      (_, i) => (near?.[i] ?? 0) + (random() - 0.5) * (near ? 1e-3 : 2),
    );
    const length = Math.hypot(...raw);
    return raw.map((x) => x / length);
  };
  const common = unit();
  return Array.from({ length: rows }, () => {
    const groups = Array.from({ length: SIZES.keyHeads }, () => ({
      query: unit(),
      key: unit(alike ? common : undefined),
    }));
    return Array.from({ length: HEADS }, (_, head) => ({
      query: groups[Math.floor(head / SIZES.sharing)]?.query ?? [],
      key: groups[Math.floor(head / SIZES.sharing)]?.key ?? [],
      value: Array.from({ length: SIZES.valueDim }, () => 2 * random() - 1),
      rate: rate ?? random(),
      decay: -forgets * random(),
    }));
  });
}

/** Outputs and the state after all rows, each head after the other. */
export function stepByStep(
  text: DeltaText,
  state: readonly number[],
): { readonly outputs: number[]; readonly state: number[] } {
  const { keyDim, valueDim } = SIZES;
  const after: number[] = [];
  const outputs = Array.from({ length: HEADS }, (_, head) => {
    const from = head * keyDim * valueDim;
    let s = [...state.slice(from, from + keyDim * valueDim)];
    const recall = (key: readonly number[], column: number): number =>
      key.reduce((sum, x, i) => sum + x * (s[i * valueDim + column] ?? NaN), 0);
    const rows = text.map((row) => {
      const { query, key, value, rate, decay } = row[head] ?? failing();
      s = s.map((x) => x * Math.exp(decay));
      const delta = value.map((v, column) => rate * (v - recall(key, column)));
      s = s.map((x, i) => x + (key[Math.floor(i / valueDim)] ?? NaN) * (delta[i % valueDim] ?? NaN));
      return value.map((_, column) => recall(query, column));
    });
    after.push(...s);
    return rows;
  });
  return { outputs: outputs.flat(2), state: after };
}

/** The same rows as the closed form takes them. Call inside a scope. */
export function inputsOf(text: DeltaText): DeltaInputs {
  const { keyHeads, sharing, keyDim, valueDim } = SIZES;
  const rows = text.length;
  const of = (head: number, read: (row: HeadRow) => readonly number[]): number[] =>
    text.flatMap((row) => read(row[head] ?? failing()));
  const ofAll = (width: number, read: (row: HeadRow) => readonly number[]): mx.MxArray => {
    const heads = Array.from({ length: HEADS }, (_, head) => of(head, read));
    return arrayOf([keyHeads, sharing, rows, width], heads.flat());
  };
  const pairs = Array.from({ length: keyHeads }, (_, group) => {
    const head = group * sharing;
    return [...of(head, ({ query }) => query), ...of(head, ({ key }) => key)];
  });
  return {
    queriesAndKeys: arrayOf([keyHeads, 1, 2 * rows, keyDim], pairs.flat()),
    values: ofAll(valueDim, ({ value }) => value),
    rates: ofAll(1, ({ rate }) => [rate]),
    decays: ofAll(1, ({ decay }) => [decay]),
  };
}

export function stateArray(values: readonly number[]): mx.MxArray {
  const { keyHeads, sharing, keyDim, valueDim } = SIZES;
  return arrayOf([keyHeads, sharing, keyDim, valueDim], values);
}

export const STATE_SIZE = HEADS * SIZES.keyDim * SIZES.valueDim;

function failing(): never {
  throw new RangeError('Expected a row for each head');
}
