// Entries of the IntelliSense list that add an attribute without a value. Once such an entry is accepted, the cursor is
// between its quotes or braces.
import { hasElements } from '../syntax/language';

const EMPTY_ATTRIBUTE = /^[^\s"'<>=]*[^\s"'<>=-]=(?:""|''|\{\})$/;

/** Returns the part of an entry before the cursor once it is accepted: all of it, except for an empty attribute. */
export function openingOf(entry: string, languageId: string): string {
  return hasElements(languageId) && EMPTY_ATTRIBUTE.test(entry) ? entry.slice(0, -1) : entry;
}
