// What a busy machine costs: the same work quiet and beside each load, and of two builds, all interleaved, so that a
// change of the machine meets all of them.
import { median } from '../../server/cli/bench/median';
import { LOADS, type LoadName } from './load';
import type { Times } from './subject';

export const WORK = ['prefill', 'step', 'verify', 'suggestion'] as const satisfies (keyof Times)[];

export interface LoadComparison {
  readonly rounds: number;
  readonly measure: (subject: number) => Promise<Times>;
  readonly startLoad: (name: LoadName) => Promise<() => Promise<void>>;
  /** Builds to measure by turns; the first is the one that counts. */
  readonly subjects: number;
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

export async function compareLoads(comparison: LoadComparison): Promise<LoadFigures> {
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
    WORK.map((work) => [work, workFigures(rounds, work, comparison.subjects)]),
  ) as unknown as LoadFigures;
}

async function beside(
  load: LoadName,
  { measure, startLoad, subjects }: LoadComparison,
  round: number,
): Promise<Times[]> {
  const stop = await startLoad(load);
  try {
    const times: Times[] = [];
    const order = [...Array(subjects).keys()];
    // Who goes first changes from round to round.
    for (const subject of round % 2 === 0 ? order.reverse() : order) times[subject] = await measure(subject);
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
