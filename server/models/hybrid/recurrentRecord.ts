// The recurrent history of a gated delta layer as a record, and back. What comes back is checked against the sizes of
// the layer:
// any other shape would end the process later.
import { arrayIn, countIn, type CacheRecord } from '../layerCache';
import * as mx from '../ops';
import { channelsOf, type DeltaSizes } from './projections';
import type { RecurrentHistory, RecurrentRows, RecurrentState } from './recurrentHistory';

/** More passes than a tape ever has. */
const MOST_PASSES = 64;
const ROWS = ['keys', 'deltas', 'decays', 'inputs'] as const;

/** Call inside a scope. */
export function recordOf({ older, base, tape, before }: RecurrentHistory): CacheRecord {
  const isSame = before.memory === base.state.memory && before.inputs === base.state.inputs;
  const states = { base: base.state, ...(older && { older: older.state }), ...(!isSame && { before }) };
  const arrays = [
    ...Object.entries(states).flatMap(([name, { memory, inputs }]) => [
      [`${name}.memory`, mx.contiguous(memory)],
      [`${name}.inputs`, mx.contiguous(inputs)],
    ]),
    ...tape.flatMap(({ rows }, i) => ROWS.map((name) => [`${String(i)}.${name}`, mx.contiguous(rows[name])])),
  ];
  const passes = tape.flatMap(({ rows, count }, i) => [
    [`${String(i)}.rows`, rows.inputs.shape[1] ?? 0],
    [`${String(i)}.count`, count],
  ]);
  const counts = {
    base: base.length,
    'base.isReturned': Number(base.isReturned),
    older: older?.length ?? 0,
    'older.isReturned': Number(older?.isReturned ?? false),
    before: Number(!isSame),
    tape: tape.length,
    ...(Object.fromEntries(passes) as Record<string, number>),
  };
  return { counts, arrays: Object.fromEntries(arrays) as Record<string, mx.MxArray> };
}

/** Throws a RangeError for what no layer of these sizes has recorded. */
export function historyIn(record: CacheRecord, sizes: DeltaSizes, dtype: mx.Dtype): RecurrentHistory {
  const count = (name: string): number => countIn(record, name);
  const mark = (name: string) => ({
    length: count(name),
    state: stateIn(record, name, sizes, dtype),
    isReturned: count(`${name}.isReturned`) > 0,
  });
  const passes = count('tape');
  if (passes > MOST_PASSES) throw new RangeError(`Expected a short tape, got ${String(passes)} passes`);
  const base = mark('base');
  const older = count('older') > 0 ? mark('older') : undefined;
  const tape = Array.from({ length: passes }, (_, i) => {
    const rows = rowsIn(record, `${String(i)}.`, sizes, dtype);
    return { rows, count: Math.min(count(`${String(i)}.count`), rows.inputs.shape[1] ?? 0) };
  });
  const before = count('before') > 0 ? stateIn(record, 'before', sizes, dtype) : base.state;
  return { older, base, tape, before };
}

function stateIn(record: CacheRecord, name: string, sizes: DeltaSizes, dtype: mx.Dtype): RecurrentState {
  const { keyHeads, shared, keyDim, valueDim, taps } = dimensions(sizes);
  const inputs = [1, taps - 1, channelsOf(sizes)];
  return {
    memory: arrayIn(record, `${name}.memory`, [keyHeads, shared, keyDim, valueDim], mx.float32),
    inputs: arrayIn(record, `${name}.inputs`, inputs, dtype),
  };
}

function rowsIn(record: CacheRecord, prefix: string, sizes: DeltaSizes, dtype: mx.Dtype): RecurrentRows {
  const { keyHeads, shared, keyDim, valueDim } = dimensions(sizes);
  const rows = countIn(record, `${prefix}rows`);
  const array = (name: string, shape: readonly number[], type: mx.Dtype): mx.MxArray =>
    arrayIn(record, prefix + name, shape, type);
  return {
    keys: array('keys', [keyHeads, 1, rows, keyDim], mx.float32),
    deltas: array('deltas', [keyHeads, shared, rows, valueDim], mx.float32),
    decays: array('decays', [keyHeads, shared, rows, 1], mx.float32),
    inputs: array('inputs', [1, rows, channelsOf(sizes)], dtype),
  };
}

function dimensions({ linearNumKeyHeads, linearNumValueHeads, ...sizes }: DeltaSizes) {
  const { linearKeyHeadDim: keyDim, linearValueHeadDim: valueDim, linearConvKernelDim: taps } = sizes;
  return {
    keyHeads: linearNumKeyHeads,
    shared: linearNumValueHeads / linearNumKeyHeads,
    keyDim,
    valueDim,
    taps,
  };
}
