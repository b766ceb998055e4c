// JSON as Python's json module reads it: NaN, Infinity and -Infinity are numbers, as it writes them.
import { parseJson } from '../../rules/json';

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;
/** In front of such a number, as a text; a noncharacter of Unicode. */
const MARK = '\uFDEE';
const MARKED = new RegExp(`^${MARK}(-?Infinity|NaN)$`);

/** Throws SyntaxError for anything else that is not JSON. */
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
    Object.entries(value).map(([name, each]) => {
      if (MARKED.test(name)) throw new SyntaxError(`${name.slice(1)} as a name`);
      return [name, withNumbers(each)];
    }),
  );
}
