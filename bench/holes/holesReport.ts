// The figures of one pair or two at the same holes, by kind and by language, as JSON and as text.
import { table } from '../../server/cli/statsTable';
import { benchMachine } from '../benchMachine';
import { percent, tableOf } from '../report';
import { HOLE_KINDS } from './holes';
import type { JudgedFill, Judgement } from './judgeFill';
import { relativeChange, type Change } from './relativeChange';

/** What one pair filled in. */
export interface PairFills {
  readonly target: string;
  /** `none` decodes without drafts. */
  readonly drafter: string;
  readonly fills: readonly JudgedFill[];
}

/** The same holes, filled twice. */
export interface ProjectFills {
  readonly withImports: readonly JudgedFill[];
  readonly without: readonly JudgedFill[];
}

/** Means over some holes. */
interface Figures extends Judgement<number> {
  readonly name: string;
  readonly holes: number;
  /** Of blocks: the share that the model writes, were it never ended; no other rule of where to end shows more. */
  readonly writtenMatch?: number;
  /** Shares of holes for which nothing was shown, and of those whose answer was not fit to be shown. */
  readonly empty: number;
  readonly filtered: number;
  /** Over all rounds of these holes; 0 when none was needed. */
  readonly tokensPerRound: number;
}

export type HolesReport = ReturnType<typeof holesReport>;

/** `pairs` has one entry, or two for the same holes in the same order; the projects are of the first. */
export function holesReport(
  circumstances: { readonly draftLength: string; readonly device: string },
  pairs: readonly PairFills[],
  projects?: ProjectFills,
) {
  const [ours = [], theirs] = pairs.map(({ fills }) => fills);
  return {
    ...circumstances,
    ...benchMachine(),
    pairs: pairs.map(({ target, drafter, fills }) => ({ target, drafter, figures: allFigures(fills) })),
    ...(theirs && {
      change: {
        exactMatch: changeOf(ours, theirs, ({ exactMatch }) => exactMatch),
        editSimilarity: changeOf(ours, theirs, ({ editSimilarity }) => editSimilarity),
      },
    }),
    ...(projects && { projects: projectReport(projects) }),
  };
}

function projectReport(fills: ProjectFills) {
  const [figures, without] = [allFigures(fills.withImports), allFigures(fills.without)];
  /** Exact first lines with it over those without. */
  const exactRatio = (figures[0]?.exactMatch ?? 0) / (without[0]?.exactMatch ?? 0);
  return { figures, without, exactRatio };
}

/** All holes, then each kind, then each language. */
function allFigures(all: readonly JudgedFill[]): Figures[] {
  const languages = [...new Set(all.map(({ hole }) => hole.language))];
  const figures = [
    figuresOf('all', all),
    ...HOLE_KINDS.map((kind) =>
      figuresOf(
        kind,
        all.filter(({ hole }) => hole.kind === kind),
      ),
    ),
    ...languages.map((language) =>
      figuresOf(
        language,
        all.filter(({ hole }) => hole.language === language),
      ),
    ),
  ];
  return figures.filter(({ holes }) => holes > 0);
}

function figuresOf(name: string, judged: readonly JudgedFill[]): Figures {
  const mean = (of: (one: JudgedFill) => number | boolean): number => sum(judged, of) / judged.length;
  const rounds = sum(judged, (one) => one.rounds);
  return {
    name,
    holes: judged.length,
    exactMatch: mean((one) => one.exactMatch),
    editSimilarity: mean((one) => one.editSimilarity),
    wholeExactMatch: mean((one) => one.wholeExactMatch),
    wholeEditSimilarity: mean((one) => one.wholeEditSimilarity),
    ...(name === 'block' && { writtenMatch: mean((one) => one.isWritten ?? false) }),
    empty: mean(({ text }) => text === ''),
    filtered: mean(({ outcome }) => outcome === 'filtered'),
    tokensPerRound: rounds === 0 ? 0 : sum(judged, (one) => one.roundTokens) / rounds,
  };
}

function changeOf(
  ours: readonly JudgedFill[],
  theirs: readonly JudgedFill[],
  of: (one: JudgedFill) => number | boolean,
): Change {
  const paths = [...new Set(ours.map(({ hole }) => hole.path))];
  const inFile = (judged: readonly JudgedFill[], path: string): number =>
    sum(
      judged.filter(({ hole }) => hole.path === path),
      of,
    );
  return relativeChange(paths.map((path) => ({ ours: inFile(ours, path), theirs: inFile(theirs, path) })));
}

function sum(judged: readonly JudgedFill[], of: (one: JudgedFill) => number | boolean): number {
  return judged.reduce((total, one) => total + Number(of(one)), 0);
}

export function renderHoles({ pairs, change, projects }: HolesReport): string {
  const parts = pairs.map(({ target, drafter, figures }) => {
    const written = figures.find(({ name }) => name === 'block')?.writtenMatch;
    const atBest =
      written === undefined ? '' : `Blocks that it would write without an end: ${percent(written)}\n`;
    return figuresTable(`Holes (${target}, drafter ${drafter})`, figures) + atBest;
  });
  if (projects)
    parts.push(
      figuresTable('Holes in projects, with what files import', projects.figures),
      figuresTable('Holes in projects, without', projects.without),
      `Exact with it over without: ${projects.exactRatio.toFixed(2)}\n`,
    );
  if (change) {
    const names = pairs.map(({ target }) => target).join(' against ');
    const rows = [
      ['', 'change', '95 % interval'],
      ['exact', ...changeCells(change.exactMatch)],
      ['similarity', ...changeCells(change.editSimilarity)],
    ];
    parts.push(`Relative change (${names}, first line)\n${table(rows)}\n`);
  }
  return parts.join('\n');
}

function figuresTable(title: string, figures: readonly Figures[]): string {
  const rows = tableOf(figures, {
    '': ({ name }) => name,
    holes: ({ holes }) => String(holes),
    exact: ({ exactMatch }) => percent(exactMatch),
    similarity: ({ editSimilarity }) => percent(editSimilarity),
    'whole exact': ({ wholeExactMatch }) => percent(wholeExactMatch),
    'whole similarity': ({ wholeEditSimilarity }) => percent(wholeEditSimilarity),
    empty: ({ empty }) => percent(empty),
    filtered: ({ filtered }) => percent(filtered),
    'tokens/round': ({ tokensPerRound }) => tokensPerRound.toFixed(2),
  });
  return `${title}\n${rows}\n`;
}

function changeCells({ relative, low, high }: Change): string[] {
  const [value, from, to] = [relative, low, high].map((each) => `${each < 0 ? '' : '+'}${percent(each)}`);
  return [String(value), `${String(from)} to ${String(to)}`];
}
