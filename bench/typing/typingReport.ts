// The figures of typed programs, by set and language, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { benchMachine, type BenchMachine } from '../benchMachine';
import { percent } from '../report';
import { percentiles, type Percentiles } from '../replay/percentiles';
import { WORTHS, type Worth } from './pauses';
import type { Program } from './programs';

/** Of one program. */
export interface TypedFigures {
  readonly program: Pick<Program, 'set' | 'language'>;
  readonly worths: readonly Worth[];
  /** Only of those that were typed into an editor. */
  readonly typing?: {
    /** From the last key to each suggestion. */
    readonly waitedMs: readonly number[];
    readonly keys: KeyCounts;
  };
}

export interface KeyCounts {
  readonly all: number;
  /** Pressed while ghost text was on the screen, and those of them that it said. */
  readonly withGhost: number;
  readonly agreed: number;
}

interface SetFigures extends Readonly<Record<Worth, number>> {
  /** all, a set, or a set and a language. */
  readonly name: string;
  readonly programs: number;
  readonly pauses: number;
  /** The share of what was shown that is wanted or begins right. */
  readonly good: number;
  readonly waitedMs?: Percentiles;
  readonly keys?: KeyCounts;
}

export interface TypingReport extends BenchMachine {
  readonly way: 'quick' | 'vscode';
  readonly target: string;
  /** Worths are shares of the pauses. */
  readonly figures: readonly SetFigures[];
}

export function typingReport(
  circumstances: Pick<TypingReport, 'way' | 'target'>,
  typed: readonly TypedFigures[],
): TypingReport {
  const namesOf = ({ program: { set, language } }: TypedFigures): string[] => [
    'all',
    set,
    `${set} ${language}`,
  ];
  const names = [...new Set(typed.flatMap(namesOf))].sort();
  const figures = names.map((name) =>
    setFigures(
      name,
      typed.filter((each) => namesOf(each).includes(name)),
    ),
  );
  return { ...circumstances, ...benchMachine(), figures };
}

function setFigures(name: string, typed: readonly TypedFigures[]): SetFigures {
  const worths = typed.flatMap((each) => each.worths);
  const share = (worth: Worth): number => worths.filter((each) => each === worth).length / worths.length;
  const [wanted, beginsRight, wrong, none] = [
    share('wanted'),
    share('beginsRight'),
    share('wrong'),
    share('none'),
  ];
  const typing = typed.flatMap((each) => each.typing ?? []);
  const total = (of: keyof KeyCounts): number => typing.reduce((sum, { keys }) => sum + keys[of], 0);
  return {
    name,
    programs: typed.length,
    pauses: worths.length,
    ...{ wanted, beginsRight, wrong, none },
    good: none === 1 ? 0 : (wanted + beginsRight) / (1 - none),
    ...(typing.length > 0 && {
      waitedMs: percentiles(typing.flatMap((each) => each.waitedMs)),
      keys: { all: total('all'), withGhost: total('withGhost'), agreed: total('agreed') },
    }),
  };
}

export function renderTyping({ way, target, figures }: TypingReport): string {
  const head = ['', 'pauses', 'wanted', 'begins right', 'wrong', 'none', 'good of shown'];
  const timed = ['ms (p50)', 'ms (p95)', 'keys', 'with ghost text', 'agreed'];
  const rows = figures.map((each) => [
    ...[each.name, String(each.pauses)],
    ...[...WORTHS.map((worth) => each[worth]), each.good].map(percent),
    ...(each.waitedMs && each.keys ? timedCells(each.waitedMs, each.keys) : []),
  ]);
  const title = `Typed programs (${target}, ${way === 'quick' ? 'without an editor' : 'in VS Code'})`;
  return `${title}\n${table([[...head, ...(way === 'vscode' ? timed : [])], ...rows])}\n`;
}

function timedCells({ p50, p95 }: Percentiles, { all, withGhost, agreed }: KeyCounts): string[] {
  const [usual, slow] = [p50, p95].map((each) => each?.toFixed(0) ?? '-');
  return [usual ?? '-', slow ?? '-', String(all), percent(withGhost / all), percent(agreed / withGhost)];
}
