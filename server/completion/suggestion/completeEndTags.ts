// Step: completes an end tag that a text begins, or removes it if no element lacks one.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements } from '../syntax/language';

export function completeEndTags(text: string, { prefix, lineAfter, languageId }: CompletionContext): string {
  if (!hasElements(languageId)) return text;
  const [half, begun = ''] = /<\/([\w.:-]*)$/.exec(text) ?? [];
  if (half === undefined || lineAfter.startsWith('>')) return text;
  const kept = text.slice(0, -half.length);
  if (/^\s*<\/[^>]*>/.test(lineAfter)) return kept;
  const name = elementsIn(prefix + kept).open.findLast((element) => element.startsWith(begun));
  return name === undefined ? kept : `${kept}</${name}>`;
}
