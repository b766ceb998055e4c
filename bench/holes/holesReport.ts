// The report of a pair's fills, by kind and language of the holes, as JSON and as text.
import { benchMachine } from '../benchMachine';
import { percent, tableOf } from '../report';
import { HOLE_KINDS } from './holes';
import type { JudgedFill, Judgement } from './judgeFill';

/** Fills of a pair. */
export interface PairFills {
  readonly target: string;
  /** Drafter; `none` for decoding without one. */
  readonly drafter: string;
  readonly draftLength: string;
  readonly device: string;
  readonly fills: readonly JudgedFill[];
  /** Fills of holes whose answer depends on another file. */
  readonly projects?: readonly JudgedFill[];
}

/** Means over some holes. */
interface Figures extends Judgement<number> {
  readonly name: string;
  readonly holes: number;
  /** Shares of holes for which nothing was shown, and of holes whose answer was filtered. */
  readonly empty: number;
  readonly filtered: number;
  /** Mean over all rounds of these holes; 0 without rounds. */
  readonly tokensPerRound: number;
}

export type HolesReport = ReturnType<typeof holesReport>;

export function holesReport({ target, drafter, draftLength, device, fills, projects }: PairFills) {
  return {
    draftLength,
    device,
    ...benchMachine(),
    pairs: [{ target, drafter, figures: allFigures(fills) }],
    ...(projects && { projects: { figures: allFigures(projects) } }),
  };
}

/** Returns the figures of all holes, then by kind, then by language. */
function allFigures(all: readonly JudgedFill[]): Figures[] {
  const languages = [...new Set(all.map(({ hole }) => hole.language))];
  const part = (name: string, isPart: (fill: JudgedFill) => boolean): Figures =>
    figuresOf(name, all.filter(isPart));
  const figures = [
    figuresOf('all', all),
    ...HOLE_KINDS.map((kind) => part(kind, ({ hole }) => hole.kind === kind)),
    ...languages.map((language) => part(language, ({ hole }) => hole.language === language)),
  ];
  return figures.filter(({ holes }) => holes > 0);
}

function figuresOf(name: string, judged: readonly JudgedFill[]): Figures {
  const mean = (of: (fill: JudgedFill) => number | boolean): number => sum(judged, of) / judged.length;
  const rounds = sum(judged, (fill) => fill.rounds);
  return {
    name,
    holes: judged.length,
    exactMatch: mean((fill) => fill.exactMatch),
    editSimilarity: mean((fill) => fill.editSimilarity),
    wholeExactMatch: mean((fill) => fill.wholeExactMatch),
    wholeEditSimilarity: mean((fill) => fill.wholeEditSimilarity),
    empty: mean(({ text }) => text === ''),
    filtered: mean(({ outcome }) => outcome === 'filtered'),
    tokensPerRound: rounds === 0 ? 0 : sum(judged, (fill) => fill.roundTokens) / rounds,
  };
}

function sum(judged: readonly JudgedFill[], of: (fill: JudgedFill) => number | boolean): number {
  return judged.reduce((total, fill) => total + Number(of(fill)), 0);
}

export function renderHoles({ pairs, projects }: HolesReport): string {
  const parts = pairs.map(({ target, drafter, figures }) =>
    figuresTable(`Holes (${target}, drafter ${drafter})`, figures),
  );
  if (projects) parts.push(figuresTable('Holes in projects', projects.figures));
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
