// JSON as Python's json module writes and reads it: NaN, Infinity and -Infinity are numbers.
import { parseJson } from '../../rules/json';

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;
/** Prefix of the text that replaces such a number while parsing: a noncharacter of Unicode. */
const MARK = '\uFDEE';
const MARKED = new RegExp(`^${MARK}(-?Infinity|NaN)$`);

/** Parses JSON. Throws SyntaxError. */
export function parsePythonJson(text: string): unknown {
  if (!/Infinity|NaN/.test(text)) return parseJson(text);
  let found = false;
  const marked = text.replace(TEXT_OR_NUMBER, (piece) => {
    if (piece.startsWith('"')) return piece;
    found = true;
    return `"${MARK}${piece}"`;
  });
  return found ? withNumbers(parseJson(marked)) : parseJson(text);
}

function withNumbers(value: unknown): unknown {
  if (typeof value === 'string') return MARKED.test(value) ? Number(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (MARKED.test(name)) throw new SyntaxError(`${name.slice(1)} as a name`);
      return [name, withNumbers(item)];
    }),
  );
}
