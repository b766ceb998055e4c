// How likely a suggestion is to be kept, judged by its first line, as that is shown before the rest is known: a logistic
// function of the target's own probabilities, the length and the place. Fitted by `npm run bench:kept`; what a person
// keeps moves it (rules/keepHabit.ts).
import type { CompletionContext } from './context';

/** What is known of a first line when it can be shown. */
export interface KeepSigns {
  /** Natural logarithms of the probabilities of its tokens: their mean, and the smallest. */
  readonly meanLogprob: number;
  readonly leastLogprob: number;
  /** In UTF-16 units. */
  readonly length: number;
  readonly place: 'start' | 'end' | 'middle';
}

/** Up to the end of the first line that is not blank. */
export function firstLine(text: string): string {
  return /^\s*?[^\n]*\S[^\n]*/.exec(text)?.[0] ?? text;
}

/** Undefined without log-probabilities. */
export function keepSigns(
  { lineBefore, lineAfter }: Pick<CompletionContext, 'lineBefore' | 'lineAfter'>,
  line: string,
  logprobs: readonly number[],
): KeepSigns | undefined {
  if (logprobs.length === 0) return undefined;
  const inLine = lineAfter.trim() === '' ? 'end' : 'middle';
  return {
    meanLogprob: logprobs.reduce((sum, each) => sum + each, 0) / logprobs.length,
    leastLogprob: Math.min(...logprobs),
    length: line.trim().length,
    place: lineBefore.trim() === '' ? 'start' : inLine,
  };
}

/** Settings that decide what is hidden. */
export interface HideSettings {
  /** Percent. 0 hides nothing, and no probability is computed. */
  readonly hideBelow: number;
  /** By language, what is added to the logit: see rules/keepHabit.ts. */
  readonly keepOffsets: Readonly<Record<string, number>> | undefined;
}

/** In the order of keepFeatures; the holes and what they gave are in docs/internals/benchmarks.md. */
const WEIGHTS: readonly number[] = [4.295, 1.515, 2.071, -0.714, -0.169, -0.53];
/** Nothing is certain, so that a threshold of 100 % hides everything. */
const MOST = 0.99;

/** What the logit is a weighted sum of; the first is constant. */
export function keepFeatures({ meanLogprob, leastLogprob, length, place }: KeepSigns): readonly number[] {
  const isAt = (where: KeepSigns['place']): number => (place === where ? 1 : 0);
  return [1, meanLogprob, leastLogprob, Math.log(1 + length), isAt('start'), isAt('middle')];
}

/** From 0 to 1. */
export function keepProbability(signs: KeepSigns, offset = 0): number {
  const logit = keepFeatures(signs).reduce((sum, value, i) => sum + value * (WEIGHTS[i] ?? 0), 0);
  return Math.min(MOST, 1 / (1 + Math.exp(-logit - offset)));
}

/** Whether it falls short of the threshold. */
export function isUnlikely(
  signs: KeepSigns,
  { hideBelow = 0, keepOffsets = {} }: Partial<HideSettings>,
  languageId: string,
): boolean {
  return 100 * keepProbability(signs, keepOffsets[languageId]) < hideBelow;
}
