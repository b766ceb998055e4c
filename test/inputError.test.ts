// The error for what a person can put right: what was expected, what was there, what to do.
// The command line and the language server show its message as it is.
import assert from 'node:assert/strict';
import { InputError } from '../server/inputError';

describe('an InputError', () => {
  const problem = { expected: 'a number', got: '"x"', remedy: 'correct it' };

  it('says what was expected, what was there and what to do', () => {
    const error = new InputError(problem);
    assert.equal(error.message, 'Expected a number, got "x"; correct it');
    assert.equal(error.name, 'InputError');
    assert.ok(error instanceof Error);
    assert.ok(!('cause' in error));
  });

  it('keeps its cause', () => {
    const cause = new SyntaxError('at 1');
    assert.equal(new InputError({ ...problem, cause }).cause, cause);
  });

  it('can be said about a place of a larger input, and of a larger one still', () => {
    const error = new InputError(problem);
    const inner = error.at('line 2');
    assert.ok(inner instanceof InputError);
    assert.equal(inner.message, 'Expected a number in line 2, got "x"; correct it');
    assert.equal(inner.cause, error);
    assert.equal(inner.at('a.jsonl').message, 'Expected a number in line 2 in a.jsonl, got "x"; correct it');
    assert.equal(error.message, 'Expected a number, got "x"; correct it');
  });
});
