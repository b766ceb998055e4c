// The closed form gives what the rule gives row by row, whatever the number of rows and however alike their keys are.
import assert from 'node:assert/strict';
import { advance, blockMasks, deltaRule } from '../../../server/models/hybrid/deltaRule';
import { MAX_BLOCK, type DeltaRows } from '../../../server/models/hybrid/deltaRule';
import { scope } from '../../../server/models/mlx/memory';
import * as mx from '../../../server/models/mlx/ops';
import { assertClose, valuesOf } from '../../support/arrayValues';
import {
  deltaText,
  inputsOf,
  stateArray,
  STATE_SIZE,
  stepByStep,
  type DeltaText,
} from '../../support/deltaSteps';
import { seededRandom } from '../../support/seededRandom';

const TOLERANCE = 1e-5;

function randomState(seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: STATE_SIZE }, () => 2 * random() - 1);
}

interface Computed {
  readonly outputs: number[];
  readonly state: number[];
  /** After each number of rows. */
  readonly states: number[][];
}

function closedForm(text: DeltaText, state: readonly number[]): Computed {
  return scope(() => {
    const before = stateArray(state);
    const blocks = blockMasks({ constant: (values) => mx.constant(values, mx.float32) });
    const mask = blocks(text.length)[0]?.mask;
    assert.ok(mask);
    const { outputs, rows } = deltaRule(inputsOf(text), before, mask);
    return {
      outputs: valuesOf(outputs),
      state: valuesOf(advance(before, rows)),
      states: text.map((_, i) => valuesOf(advance(before, firstRows(rows, i + 1)))),
    };
  });
}

function firstRows({ keys, deltas, decays }: DeltaRows, count: number): DeltaRows {
  const first = (a: mx.MxArray): mx.MxArray => mx.slice(a, 2, 0, count);
  return { keys: first(keys), deltas: first(deltas), decays: first(decays) };
}

function assertSame(text: DeltaText, state: readonly number[]): void {
  const actual = closedForm(text, state);
  const expected = stepByStep(text, state);
  assertClose(actual.outputs, expected.outputs, TOLERANCE, 'outputs');
  assertClose(actual.state, expected.state, TOLERANCE, 'the state');
}

describe('the gated delta rule in closed form', () => {
  for (const rows of [1, 2, 3, 5, 8, 9, 16, 17, 40, 63, MAX_BLOCK])
    it(`gives what the rule gives row by row, for ${rows} rows`, () => {
      assertSame(deltaText(rows, rows), randomState(7));
    });

  it('gives it from an empty state', () => {
    assertSame(deltaText(16, 1), Array<number>(STATE_SIZE).fill(0));
  });

  it('knows the state after each of its rows', () => {
    const [text, state] = [deltaText(16, 2), randomState(8)];
    for (const [i, after] of closedForm(text, state).states.entries())
      assertClose(
        after,
        stepByStep(text.slice(0, i + 1), state).state,
        TOLERANCE,
        `the state after row ${i}`,
      );
  });

  // Here a sum of powers of the matrix has terms of 1e17 that must cancel.
  for (const options of [
    { alike: true },
    { alike: true, rate: 1, forgets: 0 },
    { alike: true, rate: 0.5, forgets: 0.001 },
  ])
    it(`stays exact where keys are alike: ${JSON.stringify(options)}`, () => {
      for (const rows of [8, 16, MAX_BLOCK]) assertSame(deltaText(rows, 3, options), randomState(9));
    });

  for (const forgets of [0, 5, 100])
    it(`stays exact where rows forget up to e^-${forgets} of the state`, () => {
      for (const rows of [3, 16, MAX_BLOCK]) assertSame(deltaText(rows, 4, { forgets }), randomState(10));
    });
});
