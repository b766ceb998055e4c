// The selected entry of the IntelliSense list, which a suggestion begins with: whether VS Code shows anything beside it,
// and what may follow it.
import { ENDS_IN_NAME, continuesName } from '../syntax/language';
import type { CompletionContext } from './context';

/** A selected entry is a whole name: nothing follows it that makes it a longer one. */
export function entryIsComplete(text: string, { selected, languageId }: CompletionContext): string {
  const isInName = ENDS_IN_NAME.test(selected?.text ?? '') && continuesName(text, languageId);
  return isInName ? '' : text;
}

/** Prepends the selected entry, as both replace the same range. */
export function withEntry(text: string, { selected }: CompletionContext): string {
  return selected === undefined || text === '' ? text : selected.text + text;
}

/**
 * Whether VS Code shows ghost text that begins with the selected entry: it may only add to what the document has, so
 * that another case, or a dot that becomes `?.`, hides it. The cursor goes into an entry of several lines, a snippet.
 */
export function isEntryVisible({ selected }: CompletionContext): boolean {
  if (selected === undefined) return true;
  const { text, before, behind } = selected;
  let at = before.length;
  return (
    text.startsWith(before) &&
    !text.includes('\n') &&
    [...behind].every((character) => {
      at = text.indexOf(character, at) + 1;
      return at > 0;
    })
  );
}
