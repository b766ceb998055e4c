// What a busy machine costs: the same work on a quiet machine and next to each load, with one or two builds, all
// interleaved so that a change in the machine affects all of them.
import { median } from '../../server/rules/median';
import { LOADS, type LoadName } from './load';
import type { Times } from './subject';

export const WORK = ['prefill', 'step', 'verify', 'suggestion'] as const satisfies (keyof Times)[];

export interface LoadComparison<Subject> {
  readonly rounds: number;
  readonly measure: (subject: Subject) => Promise<Times>;
  readonly startLoad: (name: LoadName) => Promise<() => Promise<void>>;
  /** Builds to measure by turns; the first is the one reported on. */
  readonly subjects: readonly Subject[];
  readonly progress: (text: string) => void;
}

/** By load. */
export type Figures = Readonly<Record<LoadName, number>>;

export interface WorkFigures {
  /** Medians, milliseconds. */
  readonly ms: Figures;
  /** Medians of the ratios of each round. */
  readonly overQuiet: Figures;
  /** The same of the first build over the second, where there is one. */
  readonly overOther: Figures | undefined;
}

export type LoadFigures = Readonly<Record<(typeof WORK)[number], WorkFigures>>;

/** One round: by load, then by subject. */
type Round = Readonly<Record<LoadName, readonly Times[]>>;

export async function compareLoads<Subject>(comparison: LoadComparison<Subject>): Promise<LoadFigures> {
  const rounds: Round[] = [];
  for (let number = 1; number <= comparison.rounds; number++) {
    const measured: [LoadName, Times[]][] = [];
    for (const load of LOADS) {
      comparison.progress(`round ${String(number)} of ${String(comparison.rounds)}: ${load}`);
      measured.push([load, await beside(load, comparison, number)]);
    }
    rounds.push(Object.fromEntries(measured) as unknown as Round);
  }
  return Object.fromEntries(
    WORK.map((work) => [work, workFigures(rounds, work, comparison.subjects.length)]),
  ) as unknown as LoadFigures;
}

async function beside<Subject>(
  load: LoadName,
  { measure, startLoad, subjects }: LoadComparison<Subject>,
  round: number,
): Promise<Times[]> {
  const stop = await startLoad(load);
  try {
    const times: Times[] = [];
    const inOrder = [...subjects.entries()];
    // The order alternates from round to round.
    for (const [i, subject] of round % 2 === 0 ? inOrder.reverse() : inOrder)
      times[i] = await measure(subject);
    return times;
  } finally {
    await stop();
  }
}

function workFigures(rounds: readonly Round[], work: keyof Times, subjects: number): WorkFigures {
  const ms = (round: Round, load: LoadName, subject = 0): number => round[load][subject]?.[work] ?? NaN;
  const figures = (of: (round: Round, load: LoadName) => number): Figures =>
    Object.fromEntries(
      LOADS.map((load) => [load, median(rounds.map((round) => of(round, load)))]),
    ) as unknown as Figures;
  return {
    ms: figures(ms),
    overQuiet: figures((round, load) => ms(round, load) / ms(round, 'quiet')),
    overOther: subjects > 1 ? figures((round, load) => ms(round, load) / ms(round, load, 1)) : undefined,
  };
}
