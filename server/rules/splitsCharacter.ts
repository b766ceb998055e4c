// JavaScript counts text in UTF-16 units: a character beyond U+FFFF, such as an emoji, has two.

/** Returns whether `offset` is between the two units of one character. */
export function splitsCharacter(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
