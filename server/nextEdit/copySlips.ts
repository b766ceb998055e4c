// Slips of models in lines that they should only repeat: typographic characters in place of those of code, and blanks at
// line ends.

/** Typographic characters, with those of code that they replace. */
const TYPOGRAPHIC: Readonly<Record<string, string>> = {
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '--',
  '\u2026': '...',
};
/** Quotes that are no apostrophe: in code, they would delimit a string. */
const QUOTES = '\u2018\u201c\u201d';
const ANY_TYPOGRAPHIC = new RegExp(`[${Object.keys(TYPOGRAPHIC).join('')}]`, 'gu');

/**
 * Returns the lines of an output. A line that equals one of the window apart from slips becomes that line; others lose
 * the blanks at their ends if the window has no such blanks.
 */
export function withoutSlips(output: readonly string[], window: readonly string[]): string[] {
  const exact = new Set(window);
  const hasBlankEnds = window.some((line) => line !== line.trimEnd());
  const known = new Map(window.filter((line) => line.trim() !== '').map((line) => [line.trimEnd(), line]));
  const isNew = newTo(window);
  return output.map((line) => {
    if (exact.has(line)) return line;
    const plain = line.replace(ANY_TYPOGRAPHIC, (found) =>
      isNew(found) ? (TYPOGRAPHIC[found] ?? found) : found,
    );
    return known.get(plain.trimEnd()) ?? (hasBlankEnds ? line : line.trimEnd());
  });
}

/**
 * Returns whether a text has typographic characters that the window lacks: any quotes, and others in place of those of
 * code in `before`.
 */
export function hasTypographicSlip(before: string, text: string, window: readonly string[]): boolean {
  const isNew = newTo(window);
  return [...text.matchAll(ANY_TYPOGRAPHIC)].some(([found]) => {
    const code = TYPOGRAPHIC[found] ?? found;
    const isInstead = QUOTES.includes(found) || before.split(code).length > text.split(code).length;
    return isInstead && isNew(found);
  });
}

function newTo(window: readonly string[]): (character: string) => boolean {
  return (character) => !window.some((line) => line.includes(character));
}
