// Step: keeps a text within the cursor's tag, or within the element whose end tag follows in the line.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements } from '../syntax/language';

/** Matches a text that ends within a tag, outside the values of its attributes. */
const IN_TAG = /<[A-Za-z][\w.:-]*(?:\s(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*)?$/;
/** Matches the rest of a tag. */
const TAG_END = /^(?:[^<>"'{}]|"[^"]*"|'[^']*'|\{[^{}]*\})*?\s*\/?>/;

export function stayInsideTag(
  text: string,
  { languageId, lineBefore, lineAfter }: CompletionContext,
): string {
  if (!hasElements(languageId)) return text;
  if (IN_TAG.test(lineBefore) && TAG_END.test(lineAfter)) {
    const end = TAG_END.exec(text)?.[0];
    return end === undefined ? text : end.replace(/\s*\/?>$/, '');
  }
  // End tags in the rest of the line whose elements begin before the cursor.
  const endTags = elementsIn(lineAfter).foreignEnds.map((at) => lineAfter.slice(at).split('>', 1).join());
  const end = elementsIn(text).foreignEnds.find((at) =>
    endTags.some((tag) => text.startsWith(`${tag}>`, at)),
  );
  return end === undefined ? text : text.slice(0, end);
}
