// Step: completes an end tag that a text begins, and cuts before one that already follows the cursor, or that ends no
// element: all elements of its name end below the cursor.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements } from '../syntax/language';

export function completeEndTags(text: string, context: CompletionContext): string {
  const { prefix, lineBefore, lineAfter, languageId } = context;
  if (!hasElements(languageId)) return text;
  const [, following] = /^\s*(<\/[^>]*>)/.exec(lineAfter) ?? [];
  const doubled = elementsIn(text).foreignEnds.find(
    (at) => following !== undefined && text.startsWith(following, at),
  );
  if (doubled !== undefined) return text.slice(0, doubled);
  const line = lineBefore + text;
  const surplus = elementsIn(line).foreignEnds.find(
    (at) => at >= lineBefore.length && endsBelow(nameAt(line, at), context),
  );
  if (surplus !== undefined) return line.slice(lineBefore.length, surplus).trimEnd();
  const [half, begun = ''] = /<\/([\w.:-]*)$/.exec(text) ?? [];
  if (half === undefined || lineAfter.startsWith('>')) return text;
  const kept = text.slice(0, -half.length);
  const name =
    following === undefined &&
    elementsIn(prefix + kept).open.findLast((element) => element.startsWith(begun));
  return typeof name === 'string' ? `${kept}</${name}>` : kept;
}

/** Languages in which all tags can be read. Elsewhere, attributes contain code with angle brackets. */
const MARKUP = new Set('html xml vue'.split(' '));

/** Returns whether each element of this name that is open at the cursor has its end tag after the cursor. */
function endsBelow(name: string, { prefix, suffix, beginning, languageId }: CompletionContext): boolean {
  if (!MARKUP.has(languageId)) return false;
  const openCount = elementsIn(prefix).open.filter((element) => element === name).length;
  const endCount = elementsIn(suffix).foreignEnds.filter((at) => nameAt(suffix, at) === name).length;
  return endCount >= openCount && (openCount > 0 || beginning === '');
}

/** Returns the name of the end tag at an offset. */
function nameAt(text: string, at: number): string {
  return /<\/([^\s>]*)/.exec(text.slice(at))?.[1] ?? '';
}
