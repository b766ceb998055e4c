// Reads problems of HumanEval infilling: JSON lines, each with a Python function from which a part is removed, and
// tests.
import * as z from 'zod/mini';
import { WrongValue } from '../../server/rules/userError';

const PROBLEM = z.object({
  task_id: z.string(),
  entry_point: z.string(),
  prompt: z.string(),
  suffix: z.string(),
  canonical_solution: z.string(),
  test: z.string(),
});

/** A problem, with the field names of the published files. */
export type Problem = z.infer<typeof PROBLEM>;

/** Reads problems. Throws UserError that names the first invalid line. */
export function readProblems(text: string): Problem[] {
  const lines = text.split('\n').map((line, at) => ({ line, at }));
  return lines.filter(({ line }) => line.trim() !== '').map(({ line, at }) => problemOf(line, at + 1));
}

function problemOf(line: string, number: number): Problem {
  const found = PROBLEM.safeParse(parsed(line));
  if (found.success) return found.data;
  throw new WrongValue({
    expected: `a JSON object with ${Object.keys(PROBLEM.shape).join(', ')} in line ${String(number)}`,
    got: line.slice(0, 60),
    remedy: 'give a file of the HumanEval infilling sets, unpacked',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Returns whether each problem lacks one line; an answer then ends at the first line break. */
export function areSingleLines(problems: readonly Problem[]): boolean {
  return problems.every(({ task_id }) => task_id.startsWith('SingleLine'));
}

/** Returns the answer as inserted into the function: with a line break if it replaces a line. */
export function inPlace(answer: string, { canonical_solution }: Problem, isLine: boolean): string {
  return isLine && canonical_solution.endsWith('\n') ? `${answer}\n` : answer;
}

/** Compares an answer with the solution, ignoring white space at the end. */
export function isExact(answer: string, { canonical_solution }: Problem): boolean {
  return answer.trimEnd() === canonical_solution.trimEnd();
}
