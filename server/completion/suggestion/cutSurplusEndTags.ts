// Step: cuts before an end tag that the rest of the cursor's line has already, or whose element ends below the cursor.
import type { CompletionContext } from '../prompt/context';
import { elementsIn, hasElements, hasReadableTags } from '../syntax/language';
import { cursorSyntax } from './cursorSyntax';

export function cutSurplusEndTags(text: string, context: CompletionContext): string {
  if (!hasElements(context.languageId)) return text;
  return cutEndsBelow(cutEndsInLine(text, context), context);
}

/** Cuts before an end tag in the rest of the line whose element begins before the cursor. */
function cutEndsInLine(text: string, { lineAfter }: CompletionContext): string {
  const endTags = elementsIn(lineAfter).foreignEnds.map((at) => lineAfter.slice(at).split('>', 1).join());
  const surplus = elementsIn(text).foreignEnds.find((at) =>
    endTags.some((tag) => text.startsWith(`${tag}>`, at)),
  );
  return surplus === undefined ? text : text.slice(0, surplus);
}

/** Cuts before an end tag whose element ends below the cursor, unless the text begins another element of its name. */
function cutEndsBelow(text: string, context: CompletionContext): string {
  const { lineBefore } = context;
  const line = lineBefore + text;
  const { open, foreignEnds } = elementsIn(line);
  const surplus = foreignEnds.find((at) => {
    const name = nameAt(line, at);
    return at >= lineBefore.length && !open.includes(name) && endsBelow(name, context);
  });
  return surplus === undefined ? text : line.slice(lineBefore.length, surplus).trimEnd();
}

/**
 * Returns whether elements of this name are open at the cursor, and each has its end tag after the cursor. False in
 * code, in a comment and in the value of an attribute.
 */
function endsBelow(name: string, context: CompletionContext): boolean {
  const { prefix, suffix, languageId } = context;
  if (!hasReadableTags(languageId) || cursorSyntax(context).open.length > 0) return false;
  const openCount = elementsIn(prefix).open.filter((element) => element === name).length;
  const endCount = elementsIn(suffix).foreignEnds.filter((at) => nameAt(suffix, at) === name).length;
  return openCount > 0 && endCount >= openCount;
}

/** Returns the name of the end tag at an offset. */
function nameAt(text: string, at: number): string {
  return /<\/([^\s>]*)/.exec(text.slice(at))?.[1] ?? '';
}
