// The figures of one pair or two at the same holes, by kind and by language, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { benchMachine, type BenchMachine } from '../benchMachine';
import { percent } from '../report';
import type { Fill } from './fillHoles';
import { HOLE_KINDS } from './holes';
import { judgeFill, type Judgement } from './judgeFill';
import { relativeChange, type Change, type FileSums } from './relativeChange';

/** What one pair filled in. */
export interface PairFills {
  readonly target: string;
  /** `none` decodes without drafts. */
  readonly drafter: string;
  readonly fills: readonly Fill[];
}

/** Means over some holes. */
export interface Figures {
  readonly name: string;
  readonly holes: number;
  readonly exactMatch: number;
  readonly editSimilarity: number;
  readonly wholeExactMatch: number;
  readonly wholeEditSimilarity: number;
  /** Of blocks: the share that the model writes, were it never ended; no other rule of where to end shows more. */
  readonly writtenMatch?: number | undefined;
  /** Shares of holes for which nothing was shown, and of those whose answer was not fit to be shown. */
  readonly empty: number;
  readonly filtered: number;
  /** Over all rounds of these holes; 0 when none was needed. */
  readonly tokensPerRound: number;
}

export interface HolesReport extends BenchMachine {
  readonly draftLength: string;
  readonly device: string;
  readonly pairs: readonly PairReport[];
  /** Of the first pair over the second, at all holes. */
  readonly change?: { readonly exactMatch: Change; readonly editSimilarity: Change };
  /** Of the first pair, at the holes of the projects. */
  readonly projects?: ProjectReport;
}

interface ProjectReport {
  /** With what the files import in the prompts, then without; each as for a pair. */
  readonly figures: readonly Figures[];
  readonly without: readonly Figures[];
  /** Exact first lines with it over those without. */
  readonly exactRatio: number;
}

/** The same holes, filled twice. */
export interface ProjectFills {
  readonly withImports: readonly Fill[];
  readonly without: readonly Fill[];
}

interface PairReport {
  readonly target: string;
  readonly drafter: string;
  /** All holes, then each kind, then each language. */
  readonly figures: readonly Figures[];
}

interface Judged extends Judgement {
  readonly fill: Fill;
}

/** `pairs` has one entry, or two for the same holes in the same order. */
export function holesReport(
  circumstances: Pick<HolesReport, 'draftLength' | 'device'>,
  pairs: readonly PairFills[],
  projects?: ProjectFills,
): HolesReport {
  const judged = pairs.map(({ fills }) => judgedFills(fills));
  const [ours = [], theirs] = judged;
  const change = (of: (one: Judged) => number): Change => relativeChange(fileSums(ours, theirs ?? [], of));
  return {
    ...circumstances,
    ...benchMachine(),
    pairs: pairs.map(({ target, drafter }, i) => ({ target, drafter, figures: allFigures(judged[i] ?? []) })),
    ...(theirs && {
      change: {
        exactMatch: change(({ exact }) => Number(exact)),
        editSimilarity: change(({ similarity }) => similarity),
      },
    }),
    ...(projects && { projects: projectReport(projects) }),
  };
}

function judgedFills(fills: readonly Fill[]): Judged[] {
  return fills.map((fill) => ({ fill, ...judgeFill(fill) }));
}

function projectReport({ withImports, without }: ProjectFills): ProjectReport {
  const [figures, others] = [withImports, without].map((fills) => allFigures(judgedFills(fills)));
  const exactRatio = (figures?.[0]?.exactMatch ?? 0) / (others?.[0]?.exactMatch ?? 0);
  return { figures: figures ?? [], without: others ?? [], exactRatio };
}

export function renderHoles({ pairs, change, projects }: HolesReport): string {
  const tables = pairs.map(({ target, drafter, figures }) => {
    const written = figures.find(({ writtenMatch }) => writtenMatch !== undefined)?.writtenMatch;
    const atBest =
      written === undefined ? '' : `Blocks that it would write without an end: ${percent(written)}\n`;
    return figuresTable(`Holes (${target}, drafter ${drafter})`, figures) + atBest;
  });
  if (projects !== undefined)
    tables.push(
      figuresTable('Holes in projects, with what files import', projects.figures),
      figuresTable('Holes in projects, without', projects.without),
      `Exact with it over without: ${projects.exactRatio.toFixed(2)}\n`,
    );
  if (change === undefined) return tables.join('\n');
  const names = pairs.map(({ target }) => target).join(' against ');
  const rows = [
    ['', 'change', '95 % interval'],
    ['exact', ...changeCells(change.exactMatch)],
    ['similarity', ...changeCells(change.editSimilarity)],
  ];
  return [...tables, `Relative change (${names}, first line)\n${table(rows)}\n`].join('\n');
}

function figuresTable(title: string, figures: readonly Figures[]): string {
  const rows = figures.map((each) => [
    each.name,
    String(each.holes),
    ...[each.exactMatch, each.editSimilarity, each.wholeExactMatch, each.wholeEditSimilarity].map(percent),
    percent(each.empty),
    percent(each.filtered),
    each.tokensPerRound.toFixed(2),
  ]);
  const head = [
    '',
    'holes',
    'exact',
    'similarity',
    'whole exact',
    'whole similarity',
    'empty',
    'filtered',
    'tokens/round',
  ];
  return `${title}\n${table([head, ...rows])}\n`;
}

function allFigures(judged: readonly Judged[]): Figures[] {
  const languages = [...new Set(judged.map(({ fill }) => fill.hole.language))];
  return [
    figures('all', judged),
    ...HOLE_KINDS.map((kind) =>
      figures(
        kind,
        judged.filter(({ fill }) => fill.hole.kind === kind),
      ),
    ),
    ...languages.map((name) =>
      figures(
        name,
        judged.filter(({ fill }) => fill.hole.language === name),
      ),
    ),
  ].filter(({ holes }) => holes > 0);
}

function figures(name: string, judged: readonly Judged[]): Figures {
  const mean = (of: (one: Judged) => number | boolean): number => sum(judged, of) / judged.length;
  const rounds = sum(judged, ({ fill }) => fill.rounds);
  return {
    name,
    holes: judged.length,
    exactMatch: mean(({ exact }) => exact),
    editSimilarity: mean(({ similarity }) => similarity),
    wholeExactMatch: mean(({ wholeExact }) => wholeExact),
    wholeEditSimilarity: mean(({ wholeSimilarity }) => wholeSimilarity),
    ...(name === 'block' && { writtenMatch: mean(({ fill }) => fill.isWritten ?? false) }),
    empty: mean(({ empty }) => empty),
    filtered: mean(({ fill }) => fill.outcome === 'filtered'),
    tokensPerRound: rounds === 0 ? 0 : sum(judged, ({ fill }) => fill.roundTokens) / rounds,
  };
}

function fileSums(
  ours: readonly Judged[],
  theirs: readonly Judged[],
  of: (one: Judged) => number,
): FileSums[] {
  const paths = [...new Set(ours.map(({ fill }) => fill.hole.path))];
  const inFile = (judged: readonly Judged[], path: string): Judged[] =>
    judged.filter(({ fill }) => fill.hole.path === path);
  return paths.map((path) => ({ ours: sum(inFile(ours, path), of), theirs: sum(inFile(theirs, path), of) }));
}

function sum(judged: readonly Judged[], of: (one: Judged) => number | boolean): number {
  return judged.reduce((total, one) => total + Number(of(one)), 0);
}

function changeCells({ relative, low, high }: Change): string[] {
  const [value, from, to] = [relative, low, high].map((each) => `${each < 0 ? '' : '+'}${percent(each)}`);
  return [value ?? '', `${from ?? ''} to ${to ?? ''}`];
}
