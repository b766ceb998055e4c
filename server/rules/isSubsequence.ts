/** Returns whether the characters of `part` are in `whole` in the same order, with others between them or not. */
export function isSubsequence(part: string, text: string): boolean {
  let found = 0;
  for (const character of text) if (part.startsWith(character, found)) found += character.length;
  return found === part.length;
}
