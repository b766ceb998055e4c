// Step: keeps a text within the cursor's tag if the rest of the tag follows in the line.
import type { CompletionContext } from '../prompt/context';
import { hasElements } from '../syntax/language';

/** Matches a text that ends within a tag, outside the values of its attributes. */
const IN_TAG = /<[A-Za-z][\w.:-]*(?:\s(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*)?$/;
/** Matches the rest of a tag. */
const TAG_END = /^(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*?\s*\/?>/;

export function stayInsideTag(
  text: string,
  { languageId, lineBefore, lineAfter }: CompletionContext,
): string {
  if (!hasElements(languageId) || !IN_TAG.test(lineBefore) || !TAG_END.test(lineAfter)) return text;
  const end = TAG_END.exec(text)?.[0];
  return end === undefined ? text : end.replace(/\s*\/?>$/, '');
}
