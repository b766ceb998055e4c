// Rules for the selected entry of the IntelliSense list: a suggestion has to begin with it.
import { ENDS_IN_NAME, continuesName } from '../syntax/language';
import type { CompletionContext } from './context';

/** Returns whether a text would turn the selected entry, a complete name, into a longer name. */
export function lengthensEntry(text: string, { selected, languageId }: CompletionContext): boolean {
  return ENDS_IN_NAME.test(selected?.text ?? '') && continuesName(text, languageId);
}

/**
 * Prepends the selected entry, since both replace the same range. If the entry is an attribute without a value, returns
 * it without the text: VS Code shows nothing within its quotes, and suggests the text once the entry is accepted.
 */
export function withEntry(text: string, { selected }: CompletionContext): string {
  if (selected === undefined) return text;
  return selected.opening === selected.text ? selected.text + text : selected.text;
}

/**
 * Returns whether the selected entry adds characters before the cursor. It is then visible as ghost text even if no
 * text follows it.
 */
export function addsEntry({ selected }: CompletionContext): boolean {
  return selected !== undefined && selected.opening !== selected.before;
}

/**
 * Returns whether VS Code shows ghost text that begins with the selected entry; true if none is selected. It does so
 * only if the entry adds characters to the text that it replaces, and not, for example, if it changes case or turns a
 * dot into `?.`. Nor does it for an entry of several lines: that is a snippet, into which the cursor moves.
 */
export function isEntryVisible({ selected }: CompletionContext): boolean {
  if (selected === undefined) return true;
  const { text, before, after } = selected;
  let at = before.length;
  return (
    text.startsWith(before) &&
    !text.includes('\n') &&
    [...after].every((character) => {
      at = text.indexOf(character, at) + 1;
      return at > 0;
    })
  );
}
