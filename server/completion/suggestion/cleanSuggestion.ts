// Cleans a suggestion: one ordered list of steps, each in the file of its name. A step takes a text and the cursor, and
// returns what stays of it. An empty text is no suggestion.
import type { CompletionContext } from '../prompt/context';
import { balanceBrackets } from './balanceBrackets';
import { completeEndTags } from './completeEndTags';
import { convertIndentation } from './convertIndentation';
import { cutOtherFileName } from './cutOtherFileName';
import { cutRepetition } from './cutRepetition';
import { dropLastComma } from './dropLastComma';
import { dropLinesThatFollow } from './dropLinesThatFollow';
import { keepWordsWhole } from './keepWordsWhole';
import { removeSuffixOverlap } from './removeSuffixOverlap';
import { trimEnd } from './trimEnd';

/** `isPart`: the text is the beginning of one that still grows. */
export type Step = (text: string, context: CompletionContext, isPart?: boolean) => string;

/** Lines are compared once their indentation is that of the document; quotes that brackets leave are removed after them. */
const STEPS: readonly Step[] = [
  convertIndentation,
  cutRepetition,
  dropLinesThatFollow,
  dropLastComma,
  balanceBrackets,
  removeSuffixOverlap,
  completeEndTags,
  trimEnd,
  cutOtherFileName,
  keepWordsWhole,
];

/** Applies all steps, in order. */
export function cleanSuggestion(text: string, context: CompletionContext, isPart = false): string {
  return STEPS.reduce((rest, step) => step(rest, context, isPart), text);
}
