// The report of typed programs, by set and language, as JSON and as text.
import { benchMachine, type BenchMachine } from '../benchMachine';
import { percent, tableOf } from '../report';
import { percentiles, type Percentiles } from '../replay/percentiles';
import type { Judgement } from './pauses';
import type { Program } from './programs';

/** Figures of one program. */
export interface TypedFigures {
  readonly program: Pick<Program, 'set' | 'language'>;
  readonly judgements: readonly Judgement[];
  /** Reasons why nothing was shown. */
  readonly causes?: readonly string[];
  /** Times and keys; only for programs typed into an editor. */
  readonly typing?: {
    /** Times from the last key to each suggestion. */
    readonly waitedMs: readonly number[];
    readonly keys: KeyCounts;
  };
}

export interface KeyCounts {
  readonly all: number;
  /** Keys pressed while ghost text was visible, and those of them that agreed with it. */
  readonly withGhost: number;
  readonly agreed: number;
  /** Keys that agreed, but after which the rest of the ghost text was gone. */
  readonly lost: number;
}

interface SetFigures extends Readonly<Record<Judgement, number>> {
  /** Group: all, a set, or a set and a language. */
  readonly name: string;
  readonly programs: number;
  readonly pauses: number;
  /** Share of shown suggestions that are wanted or begin right. */
  readonly good: number;
  /** Shares of the pauses by the reason why nothing was shown. */
  readonly causes?: Readonly<Record<string, number>>;
  readonly waitedMs?: Percentiles;
  readonly keys?: KeyCounts;
}

export interface TypingReport extends BenchMachine {
  readonly way: 'quick' | 'vscode';
  readonly target: string;
  /** Figures by group; judgements are shares of the pauses. */
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
      typed.filter((program) => namesOf(program).includes(name)),
    ),
  );
  return { ...circumstances, ...benchMachine(), figures };
}

function setFigures(name: string, typed: readonly TypedFigures[]): SetFigures {
  const judgements = typed.flatMap((program) => program.judgements);
  const share = (judgement: Judgement): number =>
    judgements.filter((item) => item === judgement).length / judgements.length;
  const wanted = share('wanted');
  const beginsRight = share('beginsRight');
  const none = share('none');
  const typing = typed.flatMap((program) => program.typing ?? []);
  const causes = typed.flatMap((program) => program.causes ?? []);
  const total = (count: keyof KeyCounts): number => typing.reduce((sum, { keys }) => sum + keys[count], 0);
  return {
    name,
    programs: typed.length,
    pauses: judgements.length,
    wanted,
    beginsRight,
    wrong: share('wrong'),
    none,
    good: none === 1 ? 0 : (wanted + beginsRight) / (1 - none),
    ...(causes.length > 0 && { causes: sharesOf(causes, judgements.length) }),
    ...(typing.length > 0 && {
      waitedMs: percentiles(typing.flatMap((program) => program.waitedMs)),
      keys: {
        all: total('all'),
        withGhost: total('withGhost'),
        agreed: total('agreed'),
        lost: total('lost'),
      },
    }),
  };
}

function sharesOf(names: readonly string[], count: number): Record<string, number> {
  const share = (name: string): number => names.filter((item) => item === name).length / count;
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, share(name)]));
}

export function renderTyping({ way, target, figures }: TypingReport): string {
  const untimed = {
    '': ({ name }: SetFigures) => name,
    pauses: ({ pauses }: SetFigures) => String(pauses),
    wanted: ({ wanted }: SetFigures) => percent(wanted),
    'begins right': ({ beginsRight }: SetFigures) => percent(beginsRight),
    wrong: ({ wrong }: SetFigures) => percent(wrong),
    none: ({ none }: SetFigures) => percent(none),
    'good of shown': ({ good }: SetFigures) => percent(good),
  };
  const timed = {
    'ms (p50)': ({ waitedMs }: SetFigures) => waitedMs?.p50?.toFixed(0) ?? '-',
    'ms (p95)': ({ waitedMs }: SetFigures) => waitedMs?.p95?.toFixed(0) ?? '-',
    keys: ({ keys }: SetFigures) => String(keys?.all),
    'with ghost text': ({ keys }: SetFigures) => (keys ? percent(keys.withGhost / keys.all) : '-'),
    agreed: ({ keys }: SetFigures) => (keys ? percent(keys.agreed / keys.withGhost) : '-'),
    lost: ({ keys }: SetFigures) => (keys ? percent(keys.lost / keys.agreed) : '-'),
  };
  const causeNames = [...new Set(figures.flatMap(({ causes }) => Object.keys(causes ?? {})))];
  const caused = Object.fromEntries(
    causeNames.map((name) => [name, ({ causes }: SetFigures) => percent(causes?.[name] ?? 0)]),
  );
  const title = `Typed programs (${target}, ${way === 'quick' ? 'without an editor' : 'in VS Code'})`;
  return `${title}\n${tableOf(figures, { ...untimed, ...caused, ...(way === 'vscode' && timed) })}\n`;
}
