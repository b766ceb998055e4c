// Tests whether typed text counts as the beginning of a proposed text.
import assert from 'node:assert/strict';
import { isTypedAlong } from '../../../src/nextEdit/typedAlong';

const PROPOSED = 'const b = compute(2);';

describe('isTypedAlong', () => {
  it('accepts up to five wrong, missing or extra characters', () => {
    for (const typed of ['', 'c', 'const b', 'cn', 'cosnt', 'cnst b =', 'const  b', 'const b = cmoptue('])
      assert.ok(isTypedAlong(typed, PROPOSED), typed);
    assert.ok(isTypedAlong('CONST b = c', PROPOSED));
    assert.ok(!isTypedAlong('CONST B = c', PROPOSED));
  });

  it('rejects another word, even one with the same first letters', () => {
    for (const typed of ['x', 'return', 'cat', 'class', 'let b = 2'])
      assert.ok(!isTypedAlong(typed, PROPOSED), typed);
  });

  it('rejects a version of the whole text, or more', () => {
    assert.ok(isTypedAlong('const c = compute(', PROPOSED));
    assert.ok(!isTypedAlong('const c = compute(3);', PROPOSED));
    assert.ok(!isTypedAlong(`${PROPOSED} // and`, PROPOSED));
  });

  it('compares long texts quickly', () => {
    const long = 'line of code();\n'.repeat(20_000);
    assert.ok(!isTypedAlong(long, PROPOSED));
    assert.ok(!isTypedAlong(long, long.replaceAll('o', 'a')));
  });
});
