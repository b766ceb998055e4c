/** Returns whether the characters of `part` occur in `text` in the same order, perhaps with others between them. */
export function isSubsequence(part: string, text: string): boolean {
  let found = 0;
  for (const character of text) if (part.startsWith(character, found)) found += character.length;
  return found === part.length;
}
