// Answers beside what was taken out: by their first line, and as a whole.
import assert from 'node:assert/strict';
import { judgeFill } from '../../../../bench/holes/judgeFill';
import { holeOf } from './holeOf';

const line = holeOf('const sum = ⟦a + b;⟧\n');
const block = holeOf('{\n  ⟦a = 1;\n  b = 2;⟧\n}\n', { kind: 'block' });

describe('judgeFill', () => {
  it('gives all to the same text', () => {
    const all = { exact: true, similarity: 1, wholeExact: true, wholeSimilarity: 1, empty: false };
    assert.deepEqual(judgeFill({ hole: line, text: 'a + b;' }), all);
    assert.deepEqual(judgeFill({ hole: block, text: 'a = 1;\n  b = 2;' }), all);
  });

  it('takes no notice of white space at the ends of lines, but of any other', () => {
    assert.equal(judgeFill({ hole: line, text: 'a + b; \t' }).wholeExact, true);
    assert.equal(judgeFill({ hole: block, text: 'a = 1; \n  b = 2;' }).wholeExact, true);
    assert.equal(judgeFill({ hole: line, text: ' a + b;' }).exact, false);
    assert.equal(judgeFill({ hole: line, text: 'a  + b;' }).exact, false);
  });

  it('takes the first line for right whatever comes after it', () => {
    const { exact, similarity, wholeExact, wholeSimilarity } = judgeFill({
      hole: line,
      text: 'a + b;\nmore',
    });
    assert.deepEqual({ exact, similarity, wholeExact }, { exact: true, similarity: 1, wholeExact: false });
    assert.equal(wholeSimilarity, 1 - 5 / 11);
  });

  it('compares all lines where several were taken out', () => {
    const { exact, wholeExact, wholeSimilarity } = judgeFill({ hole: block, text: 'a = 1;\n  c = 2;' });
    assert.deepEqual({ exact, wholeExact }, { exact: true, wholeExact: false });
    assert.equal(wholeSimilarity, 1 - 1 / 15);
  });

  it('counts how much of the line is right', () => {
    assert.equal(judgeFill({ hole: line, text: 'a - b;' }).similarity, 1 - 1 / 6);
  });

  it('has nothing for no answer', () => {
    assert.deepEqual(judgeFill({ hole: line, text: '' }), {
      ...{ exact: false, similarity: 0, wholeExact: false, wholeSimilarity: 0, empty: true },
    });
  });
});
