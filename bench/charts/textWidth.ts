// How much space a text takes, estimated without a font: generous, so that what fits by the estimate fits in the
// picture.

/**
 * Of the size of the font: as wide as a digit in the widest of the common sans-serif fonts, and wider than a letter.
 */
const LETTER = 0.64;

/** Pixels. */
export function textWidth(text: string, fontSize: number): number {
  return text.length * fontSize * LETTER;
}

/** Lines that are no wider than `width`, broken at spaces; a single word may be wider. */
export function wrapped(text: string, fontSize: number, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = lines.length > 0 ? `${lines.at(-1) ?? ''} ${word}` : word;
    if (lines.length > 0 && textWidth(longer, fontSize) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** As few lines as `wrapped` needs, of lengths as equal as can be. */
export function balanced(text: string, fontSize: number, width: number): string[] {
  const lines = wrapped(text, fontSize, width).length;
  let least = width;
  while (least > 0 && wrapped(text, fontSize, least - 1).length === lines) least--;
  return wrapped(text, fontSize, least);
}

/** Width of the longest word: the least that `wrapped` needs. */
export function widestWord(text: string, fontSize: number): number {
  return Math.max(...text.split(/\s+/).map((word) => textWidth(word, fontSize)));
}
