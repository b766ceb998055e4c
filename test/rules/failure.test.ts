// Tests the message that users get for a thrown value.
import assert from 'node:assert/strict';
import { failureOf } from '../../server/rules/failure';
import { WrongValue } from '../../server/rules/userError';

describe('the message of a failure', () => {
  it('is one line without control characters', () => {
    const got = 'a\nb\r\u001b[2Jc\u202ed\u2066e\u2028f\u0007g';
    const { isInput, message } = failureOf(new WrongValue({ expected: 'x', got, remedy: 'do it' }));
    assert.ok(isInput);
    assert.equal(message, 'Expected x, got a b [2Jc d e f g; do it');
  });
});
