// Converts texts to the form that a client receives: with the document's line ends, the selected entry of the
// IntelliSense list before them, and the range that they replace.
import type { CompletionContext } from '../prompt/context';
import { withEntry } from '../prompt/selectedEntry';
import { replacedAfterCursor } from '../suggestion/replacedClosers';
import type { Suggestion } from './suggestionRequest';

/** Prepends the selected entry, restores the document's line ends, and drops duplicates. */
export function presented(texts: readonly string[], context: CompletionContext): string[] {
  const presentedTexts = texts.map((text) => withEntry(text, context).replaceAll('\n', context.eol));
  return [...new Set(presentedTexts)];
}

/** Adds the replaced range to texts from `presented`. `keepProbability` belongs to the first one. */
export function toSuggestions(
  texts: readonly string[],
  context: CompletionContext,
  keepProbability: number | undefined,
): readonly Suggestion[] {
  const entryLength = context.selected?.text.length ?? 0;
  return texts.map((text, i) => ({
    text,
    replacesAfter: replacedAfterCursor(text.slice(entryLength).replaceAll('\r\n', '\n'), context),
    ...(i === 0 && { keepProbability }),
  }));
}
