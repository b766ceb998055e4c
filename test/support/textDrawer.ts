// Texts drawn round by round as a session draws them, by the code that judges drafts for it, but from a table of
// logits instead of models: so fast that distributions of whole texts can be counted.
import { accept } from '../../server/engine/decode/accept';
import type { Distribution } from '../../server/engine/sampling/distribution';
import { occurrences } from '../../server/engine/sampling/processRow';
import {
  drawDrafts,
  judgeDrafts,
  rngAt,
  rowDraws,
  type Rng,
  type RowDraws,
} from '../../server/engine/sampling/rowDraws';
import type { Drafted, Place } from '../../server/engine/sampling/sampler';
import { drawsDrafts, truncates, type Sampling } from '../../server/engine/request/sampling';
import { partialRow } from './partialRow';
import type { LogitTable } from './logitTable';

/** Where a round begins. */
export interface TextPlace extends Place {
  /** The output so far as a number, for who remembers what follows it. */
  readonly code: number;
}

/** `target` is what the target draws itself, which no honest drafter knows. */
export type Drafting = (at: TextPlace, seed: number, target: RowDraws) => Drafted;

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
  readonly draws?: typeof rowDraws;
}

/** Known of each row of the target, beside what has to be. */
const LARGEST = 3;

/** Draws a text for each seed; what does not depend on the seed is computed once. */
export function textDrawer(wish: TextWish): (seed: number) => readonly number[] {
  const { prompt, length, table, drafting, sampling, judge = judgeDrafts } = wish;
  const known = new Map<number, Distribution>();
  const places = new Map<number, TextPlace>();
  return (seed) => {
    const text: number[] = [];
    const rng = rngOf(seed);
    while (text.length < length) {
      const code = extended(0, text, text.length, table.vocabSize);
      const at = remember(places, code, () => ({
        history: [...prompt, ...text],
        position: text.length,
        code,
      }));
      const round: { drafted?: Drafted } = {};
      const target: RowDraws = {
        from: (row, drafts) => targetFrom(wish, at, round.drafted, known, row, drafts),
        rng: (row) => rng(at.position + row),
      };
      round.drafted = drafting(at, seed, target);
      text.push(...accept(round.drafted.tokens, judge(round.drafted, target, sampling)).tokens);
    }
    text.length = length;
    return text;
  };
}

function targetFrom(
  { table, sampling, draws = rowDraws }: TextWish,
  at: TextPlace,
  drafted: Drafted | undefined,
  known: Map<number, Distribution>,
  row: number,
  drafts: readonly number[],
): Distribution {
  const next = drawsDrafts(sampling) ? drafted?.tokens[row] : undefined;
  const code = extended(at.code, drafts, next === undefined ? row : row + 1, table.vocabSize);
  return remember(known, 64 * code + 8 * at.position + row, () => {
    const { temperature, topP, forbiddenTokens, logitBias } = sampling;
    const steered = [...forbiddenTokens, ...logitBias.map(([token]) => token)];
    const own = next === undefined ? [] : (drafted?.distributions?.[row]?.tokens ?? [next]);
    const before = drafts.slice(0, row);
    const named = [...occurrences(sampling, at.history, before).keys(), ...steered, ...own];
    const temperatures = [...(topP < 1 ? [1] : []), ...(truncates(sampling) ? [] : [temperature])];
    const logits = table.after([...at.history, ...before]);
    const known = partialRow(logits, { largest: LARGEST, named, temperatures });
    return lasting(draws(() => known, at, sampling).from(row, drafts));
  });
}

/** Drafts drawn from what the chain makes of a drafter's logits, as many as `count` says in each round. */
export function drawnDrafting(
  { vocabSize, after }: LogitTable,
  sampling: Sampling,
  count: (at: TextPlace, seed: number) => number,
): Drafting {
  const known = new Map<number, Distribution>();
  return (at, seed, target) => {
    const from: RowDraws['from'] = (row, drafts) =>
      remember(known, 64 * extended(at.code, drafts, row, vocabSize) + 8 * at.position + row, () => {
        const logits = after([...at.history, ...drafts.slice(0, row)], row);
        const whole = partialRow(logits, { largest: vocabSize });
        return rowDraws(() => whole, at, sampling).from(row, drafts);
      });
    return drawDrafts(count(at, seed), { from, rng: target.rng });
  };
}

/** The place of each text, one for each seed from `seed` on, among all texts as plainTexts has them. */
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

const rngsBySeed = new Map<number, Rng[]>();

/** By position. Many tests draw by the same numbers. */
function rngOf(seed: number): (position: number) => Rng {
  const bySeed = rngsBySeed.get(seed) ?? [];
  if (bySeed.length === 0) rngsBySeed.set(seed, bySeed);
  return (position) => (bySeed[position] ??= rngAt(seed, position));
}

function remember<T>(known: Map<number, T>, key: number, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
