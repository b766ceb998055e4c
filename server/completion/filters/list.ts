// All filters in their order. Each takes a suggestion and the cursor and gives back what stays; an empty text is
// no suggestion. (selectedItem comes after them all, as it is about how the rest is inserted.)
import type { CompletionContext } from '../context';
import { bracketBalance } from './bracketBalance';
import { duplicateLines } from './duplicateLines';
import { indentation } from './indentation';
import { repetition } from './repetition';
import { suffixOverlap } from './suffixOverlap';
import { trailingWhitespace } from './trailingWhitespace';
import { whitespaceOnly } from './whitespaceOnly';

export type Filter = (text: string, context: CompletionContext) => string;

/** Lines are compared after they are indented alike; brackets are cut before the quotes that they leave behind. */
export const filterList: readonly Filter[] = [
  indentation,
  repetition,
  duplicateLines,
  bracketBalance,
  suffixOverlap,
  trailingWhitespace,
  whitespaceOnly,
];

export function filtered(text: string, context: CompletionContext): string {
  return filterList.reduce((rest, filter) => filter(rest, context), text);
}
