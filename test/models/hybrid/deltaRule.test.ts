// The closed form gives what the rule gives row by row, whatever the number of rows and however alike their keys are.
import assert from 'node:assert/strict';
import { advance, blockMasks, deltaRule } from '../../../server/models/hybrid/deltaRule';
import { MAX_BLOCK } from '../../../server/models/hybrid/deltaRule';
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
}

function closedForm(text: DeltaText, state: readonly number[]): Computed {
  return scope(() => {
    const before = stateArray(state);
    const blocks = blockMasks({ constant: (values) => mx.constant(values, mx.float32) });
    const mask = blocks(text.length)[0]?.mask;
    assert.ok(mask);
    const { outputs, rows } = deltaRule(inputsOf(text), before, mask);
    return { outputs: valuesOf(outputs), state: valuesOf(advance(before, rows)) };
  });
}

function assertSame(text: DeltaText, state: readonly number[]): void {
  const actual = closedForm(text, state);
  const expected = stepByStep(text, state);
  assertClose(actual.outputs, expected.outputs, TOLERANCE, 'outputs');
  assertClose(actual.state, expected.state, TOLERANCE, 'the state');
}

describe('the gated delta rule in closed form', () => {
  for (const rows of [1, 2, 9, 16, 40, MAX_BLOCK])
    it(`gives what the rule gives row by row, for ${rows} rows`, () => {
      assertSame(deltaText(rows, rows), randomState(7));
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
