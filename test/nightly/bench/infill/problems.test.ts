import assert from 'node:assert/strict';
import { areSingleLines, inPlace, isExact, readProblems } from '../../../../bench/infill/problems';
import { SPAN, SUM } from './madeUp';

const lines = (...problems: readonly object[]): string =>
  problems.map((problem) => `${JSON.stringify(problem)}\n`).join('');

describe('problems of HumanEval infilling', () => {
  it('are read line by line, whatever else they tell', () => {
    assert.deepEqual(readProblems(lines({ ...SUM, level: 1 }, SPAN)), [SUM, SPAN]);
    assert.deepEqual(readProblems('\n'), []);
  });

  it('complain of the line that is none', () => {
    const { task_id, entry_point, prompt, suffix, canonical_solution } = SUM;
    const untested = { task_id, entry_point, prompt, suffix, canonical_solution };
    for (const bad of ['{', '[]', JSON.stringify(untested)])
      assert.throws(() => readProblems(`${lines(SPAN)}\n${bad}`), /test in line 3, got/);
  });

  it('ask for single lines only if all do', () => {
    assert.equal(areSingleLines([SUM]), true);
    assert.equal(areSingleLines([SUM, SPAN]), false);
  });

  it('get an answer of one line back with its line break', () => {
    assert.equal(inPlace('    return a', SUM, true), '    return a\n');
    assert.equal(inPlace('+', SPAN, false), '+');
    assert.equal(isExact('    return a + b', SUM), true);
    assert.equal(isExact('return a + b', SUM), false);
  });
});
