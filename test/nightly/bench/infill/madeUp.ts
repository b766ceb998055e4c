// Problems in the form of the published files.
import type { Problem } from '../../../../bench/infill/problems';

/** "return a + b" is taken out of a function. */
export const SUM: Problem = {
  task_id: 'SingleLineInfilling/MadeUp/0/L0',
  entry_point: 'sum_of',
  prompt: 'def sum_of(a, b):\n    """Adds a and b."""\n',
  suffix: '',
  canonical_solution: '    return a + b\n',
  test: 'def check(candidate):\n    assert candidate(2, 3) == 5\n',
};

/** A part of a line is taken out. */
export const SPAN: Problem = {
  ...SUM,
  task_id: 'RandomSpanInfilling/MadeUp/0/1',
  prompt: 'def sum_of(a, b):\n    return a ',
  suffix: ' b\n',
  canonical_solution: '+',
};
