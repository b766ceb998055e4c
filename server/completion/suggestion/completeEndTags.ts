// Step: completes an end tag that a text begins, and cuts before one that already follows the cursor, or whose element
// ends below the cursor.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements } from '../syntax/language';
import { cursorSyntax } from './cursorSyntax';

export function completeEndTags(text: string, context: CompletionContext): string {
  const { prefix, lineBefore, lineAfter, languageId } = context;
  if (!hasElements(languageId)) return text;
  const [, following] = /^\s*(<\/[^>]*>)/.exec(lineAfter) ?? [];
  const doubled = elementsIn(text).foreignEnds.find(
    (at) => following !== undefined && text.startsWith(following, at),
  );
  if (doubled !== undefined) return text.slice(0, doubled);
  const line = lineBefore + text;
  const { open, foreignEnds } = elementsIn(line);
  const surplus = foreignEnds.find((at) => {
    const name = nameAt(line, at);
    return at >= lineBefore.length && !open.includes(name) && endsBelow(name, context);
  });
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

/**
 * Returns whether elements of this name are open at the cursor, and each has its end tag after the cursor. False in
 * code, in a comment and in the value of an attribute.
 */
function endsBelow(name: string, context: CompletionContext): boolean {
  const { prefix, suffix, languageId } = context;
  if (!MARKUP.has(languageId) || cursorSyntax(context).open.length > 0) return false;
  const openCount = elementsIn(prefix).open.filter((element) => element === name).length;
  const endCount = elementsIn(suffix).foreignEnds.filter((at) => nameAt(suffix, at) === name).length;
  return openCount > 0 && endCount >= openCount;
}

/** Returns the name of the end tag at an offset. */
function nameAt(text: string, at: number): string {
  return /<\/([^\s>]*)/.exec(text.slice(at))?.[1] ?? '';
}
