// Texts drawn round by round as a session draws them, by the code that judges drafts for it, but from a table of
// logits instead of models: so fast that distributions of whole texts can be counted.
import { chancesAt, type Chances } from '../../server/engine/sampling/chances';
import type { Distribution } from '../../server/engine/sampling/distribution';
import { drawDrafts, judgeDrafts, type Draws } from '../../server/engine/sampling/judgeDrafts';
import type { LogitRow } from '../../server/engine/sampling/logitRow';
import { occurrences } from '../../server/engine/sampling/penalised';
import { draftRowDraws, targetRowDraws } from '../../server/engine/sampling/rowDraws';
import type { Drafted, Place } from '../../server/engine/sampling/sampler';
import { drawsDrafts, truncates, type Sampling } from '../../server/engine/sampling/sampling';
import { partialRow } from './partialRow';
import type { LogitTable } from './logitTable';

/** What a round of a test begins with. */
export interface RoundOfText extends Place {
  readonly seed: number;
  /** The output so far as a number, for who remembers what follows it. */
  readonly code: number;
  /** What the target draws itself, which no honest drafter knows. */
  readonly target: Draws;
}

export type Drafting = (round: RoundOfText) => Drafted;

export interface TextWish {
  readonly prompt: readonly number[];
  /** Tokens of a text; a round may give more, which are cut. */
  readonly length: number;
  readonly table: LogitTable;
  readonly drafting: Drafting;
  /** Without a seed of its own. */
  readonly sampling: Sampling;
  readonly judge?: typeof judgeDrafts;
  /** What the rows of the target are drawn from. */
  readonly draws?: typeof targetRowDraws;
}

/** Known of each row of the target, beside what has to be. */
const LARGEST = 3;

/** Draws a text for each seed; what does not depend on the seed is computed once. */
export function textDrawer(wish: TextWish): (seed: number) => readonly number[] {
  const { prompt, length, table, drafting, sampling, judge = judgeDrafts } = wish;
  const known = new Map<number, Distribution>();
  return (seed) => {
    const text: number[] = [];
    const chances = chancesOf(seed);
    while (text.length < length) {
      const code = extended(0, text, text.length, table.vocabSize);
      const at: TextPlace = { history: [...prompt, ...text], position: text.length, code };
      const draws = (drafted?: Drafted): Draws => ({
        from: (row, drafts) => targetFrom(wish, at, drafted, known, row, drafts),
        chances: (row) => chances(at.position + row),
      });
      const drafted = drafting({ ...at, seed, target: draws() });
      text.push(...judge(drafted, draws(drafted), sampling).tokens);
    }
    return text.slice(0, length);
  };
}

type TextPlace = Place & Pick<RoundOfText, 'code'>;

function targetFrom(
  { table, sampling, draws = targetRowDraws }: TextWish,
  at: TextPlace,
  drafted: Drafted | undefined,
  known: Map<number, Distribution>,
  row: number,
  drafts: readonly number[],
): Distribution {
  const next = drawsDrafts(sampling) ? drafted?.tokens[row] : undefined;
  const code = extended(at.code, drafts, next === undefined ? row : row + 1, table.vocabSize);
  return remember(known, 64 * code + 8 * at.position + row, () => {
    const { temperature, topP, forbiddenTokens } = sampling;
    const own = next === undefined ? [] : (drafted?.distributions?.[row]?.tokens ?? [next]);
    const before = drafts.slice(0, row);
    const named = [...occurrences(sampling, at.history, before).keys(), ...forbiddenTokens, ...own];
    const temperatures = [...(topP < 1 ? [1] : []), ...(truncates(sampling) ? [] : [temperature])];
    const rows: LogitRow[] = [];
    rows[row] = partialRow(table.after([...at.history, ...before]), {
      largest: LARGEST,
      named,
      temperatures,
    });
    return lasting(draws(rows, at, sampling).from(row, drafts));
  });
}

/** Drafts drawn from what the chain makes of a drafter's logits, as many as `count` says in each round. */
export function drawnDrafting(
  { vocabSize, after }: LogitTable,
  sampling: Sampling,
  count: (round: RoundOfText) => number,
): Drafting {
  const known = new Map<number, Distribution>();
  return (round) => {
    const from: Draws['from'] = (row, drafts) =>
      remember(known, 64 * extended(round.code, drafts, row, vocabSize) + 8 * round.position + row, () => {
        const rows: LogitRow[] = [];
        rows[row] = partialRow(after([...round.history, ...drafts.slice(0, row)]), { largest: vocabSize });
        return draftRowDraws(rows, round, sampling).from(row, drafts);
      });
    return drawDrafts(count(round), { from, chances: round.target.chances });
  };
}

/** The place of each text, one for each seed from `seed` on, among all texts as plainJoint has them. */
export function textPlaces(
  drawText: (seed: number) => readonly number[],
  { seed, draws, vocabSize }: Readonly<Record<'seed' | 'draws' | 'vocabSize', number>>,
): number[] {
  return Array.from({ length: draws }, (_, i) =>
    drawText(seed + i).reduce((place, token) => place * vocabSize + token, 0),
  );
}

/** The number of a text that goes on with the first `count` of `tokens`. */
function extended(code: number, tokens: readonly number[], count: number, vocabSize: number): number {
  let extension = code;
  for (let i = 0; i < count; i++) extension = extension * (vocabSize + 1) + (tokens[i] ?? 0) + 1;
  return extension;
}

/** The same, asked for the rest only once. */
function lasting(distribution: Distribution): Distribution {
  let whole: Distribution | undefined;
  return { ...distribution, whole: () => (whole ??= distribution.whole()) };
}

const chancesBySeed = new Map<number, Chances[]>();

/** By position. Many tests draw by the same chances. */
function chancesOf(seed: number): (position: number) => Chances {
  const bySeed = chancesBySeed.get(seed) ?? [];
  if (bySeed.length === 0) chancesBySeed.set(seed, bySeed);
  return (position) => (bySeed[position] ??= chancesAt(seed, position));
}

function remember<T>(known: Map<number, T>, key: number, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
