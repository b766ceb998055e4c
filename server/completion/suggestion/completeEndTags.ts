// Step: completes an end tag that a text begins, and cuts before one that already follows the cursor.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements } from '../syntax/language';

export function completeEndTags(text: string, context: CompletionContext): string {
  const { prefix, lineAfter, languageId } = context;
  if (!hasElements(languageId)) return text;
  const [, following] = /^\s*(<\/[^>]*>)/.exec(lineAfter) ?? [];
  const doubled = elementsIn(text).foreignEnds.find(
    (at) => following !== undefined && text.startsWith(following, at),
  );
  if (doubled !== undefined) return text.slice(0, doubled);
  const [half, begun = ''] = /<\/([\w.:-]*)$/.exec(text) ?? [];
  if (half === undefined || lineAfter.startsWith('>')) return text;
  const kept = text.slice(0, -half.length);
  const name =
    following === undefined &&
    elementsIn(prefix + kept).open.findLast((element) => element.startsWith(begun));
  return typeof name === 'string' ? `${kept}</${name}>` : kept;
}
