// Tests where a text that spells a special token is cut or marked so that it does not become one.
import assert from 'node:assert/strict';
import { ControlTokens } from '../../../server/models/text/controlTokens';

describe('ControlTokens', () => {
  it('cuts and marks a spelled special token after its whole first character', () => {
    const spellings = ['\u{1F680}go', '<s>'];
    const control = new ControlTokens(spellings.map((content) => ({ content, special: true })));
    assert.deepEqual(control.cut('a\u{1F680}go<s>'), ['a\u{1F680}', 'go<', 's>']);
    assert.equal(control.mark('a\u{1F680}GO<S>', '|'), 'a\u{1F680}|GO<|S>');
  });
});
