// The fields of a request: what each becomes, and which values are refused, by name.
import assert from 'node:assert/strict';
import { requestOptions } from '../../server/engine/request/requestOptions';
import { InputError } from '../../server/rules/inputError';

const wrong = (field: string, expected: string, got: unknown): InputError =>
  new InputError({ expected: `${field} to be ${expected}`, got: String(got), remedy: '' });

describe('requestOptions', () => {
  it('has only what was given', () => {
    assert.deepEqual(requestOptions({ prompt: 'x' }, wrong), { sampling: {} });
  });

  it('puts limits and sampling in their places', () => {
    const sampling = {
      temperature: 1,
      topK: 3,
      topP: 1,
      minP: 0.1,
      repetitionPenalty: 2,
      seed: 0,
      logprobs: 0,
      forbiddenTokens: [4],
      logitBias: [[5, -100]],
      acceptance: 'rejection',
    };
    const limits = { maxTokens: 1, stopTokenIds: [7], repetitionGuard: true };
    assert.deepEqual(requestOptions({ ...sampling, ...limits, stop: 'a', prompt: 'x' }, wrong), {
      ...limits,
      stopStrings: ['a'],
      sampling,
    });
    assert.deepEqual(requestOptions({ stop: [] }, wrong), { stopStrings: [], sampling: {} });
  });

  for (const [field, value] of [
    ['maxTokens', 0],
    ['maxTokens', '8'],
    ['stop', ''],
    ['stop', ['a', '']],
    ['stop', 3],
    ['stopTokenIds', [-1]],
    ['stopTokenIds', 5],
    ['repetitionGuard', 1],
    ['topP', 0],
    ['topK', 1.5],
    ['seed', 2 ** 32],
    ['minP', '0'],
    ['logprobs', null],
    ['forbiddenTokens', [0.5]],
    ['logitBias', { 5: 1 }],
    ['logitBias', [[5]]],
    ['logitBias', [[5, 101]]],
    ['acceptance', 'always'],
  ] as const)
    it(`refuses ${field} of ${JSON.stringify(value)}`, () => {
      assert.throws(
        () => requestOptions({ [field]: value }, wrong),
        new RegExp(`^InputError: Expected ${field} to be `),
      );
    });

  it('accepts less of an editor than of a program', () => {
    assert.deepEqual(requestOptions({ temperature: 3 }, wrong).sampling, { temperature: 3 });
    assert.throws(() => requestOptions({ temperature: 3 }, wrong, 'sensible'), InputError);
  });
});
