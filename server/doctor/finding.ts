// What was found when tokens were compared with those that are right, by the tie rule of the number type.
import { nearTieGap, type NumberType } from '../rules/nearTieGap';

/** From good to bad. */
const VERDICTS = ['pass', 'near tie', 'fail'] as const;
type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  readonly verdict: Verdict;
  /** Tokens that were compared, and how many of them differed. */
  readonly compared: number;
  readonly different: number;
  /** Between the logits of the tokens that differed and those of the right ones; 0 where none did. */
  readonly largestGap: number;
  /** What went wrong, where nothing could be compared. */
  readonly problem?: string;
}

/** `gaps` are those of the tokens that differ, of `compared` ones. A gap that is not a number is a failure. */
export function findingOf(compared: number, gaps: readonly number[], type: NumberType): Finding {
  const limit = nearTieGap(type);
  const isTied = gaps.every((gap) => gap < limit);
  const verdict = gaps.length === 0 ? 'pass' : isTied ? 'near tie' : 'fail';
  return { verdict, compared, different: gaps.length, largestGap: Math.max(0, ...gaps) };
}

export function failure(problem: string): Finding {
  return { verdict: 'fail', compared: 0, different: 0, largestGap: 0, problem };
}

/** Of several comparisons. */
export function joined(findings: readonly Finding[]): Finding {
  const sum = (value: (each: Finding) => number) => findings.reduce((total, each) => total + value(each), 0);
  const verdict = VERDICTS.findLast((one) => findings.some((each) => each.verdict === one)) ?? 'pass';
  return {
    verdict,
    compared: sum(({ compared }) => compared),
    different: sum(({ different }) => different),
    largestGap: Math.max(...findings.map(({ largestGap }) => largestGap)),
  };
}
