// Limits for JSON from other programs. Deeply nested JSON can overflow the stack of its readers and takes seconds to
// parse, and JSON with very many values blocks the process.

/** Maximum levels of nesting. */
export const MAX_LEVELS = 200;

/** Approximate cost of parsing, in elements of a list. */
const WEIGHTS = { element: 1, text: 4, bracket: 8, field: 12 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Brackets and braces differ in this bit only. */
const CURLY = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** Parses JSON, with the `reviver` of JSON.parse. Throws SyntaxError for invalid or too deeply nested text. */
export function parseJson(text: string, reviver?: (name: string, value: unknown) => unknown): unknown {
  if (beyondLimit(text)) throw new SyntaxError(`more than ${String(MAX_LEVELS)} levels`);
  return JSON.parse(text, reviver);
}

/**
 * Returns the limit that a JSON text exceeds, if any. Only scans the characters, which creates no values and takes at
 * most about 25 ms for 4 MB. `maxWeight` is in units of WEIGHTS; 700,000 take at most about 25 ms to parse in 4 MB.
 */
export function beyondLimit(json: string, maxWeight = Infinity): 'levels' | 'weight' | undefined {
  let levels = 0;
  let weight = 0;
  let isInString = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === QUOTE) {
      isInString = !isInString;
      if (isInString) weight += WEIGHTS.text;
    } else if (isInString) i += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA) weight += WEIGHTS.element;
    else if (code === COLON) weight += WEIGHTS.field;
    else if ((code | CURLY) === OPENING) {
      weight += WEIGHTS.bracket;
      if (++levels > MAX_LEVELS) return 'levels';
    } else if ((code | CURLY) === CLOSING) levels--;
    if (weight > maxWeight) return 'weight';
  }
  return undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object: neither null, an array nor a float of `parsePythonNumbers`. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** Returns the fields of a JSON object, none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
