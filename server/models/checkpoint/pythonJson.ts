// JSON as Python's json module writes and reads it: NaN, Infinity and -Infinity are numbers.
import { parseJson } from '../../rules/json';

const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs;
/** Prefix of the text that replaces such a number while parsing: a noncharacter of Unicode. */
const MARK = '\uFDEE';
const MARKED = new RegExp(`^${MARK}(-?Infinity|NaN)$`);

/** Parses JSON. Throws SyntaxError. */
export function parsePythonJson(text: string): unknown {
  if (!/Infinity|NaN/.test(text)) return parseJson(text);
  const marked = text.replace(TEXT_OR_NUMBER, (found) =>
    found.startsWith('"') ? found : `"${MARK}${found}"`,
  );
  return parseJson(marked, marked === text ? undefined : numberOfMarked);
}

/** Returns the number of a marked text, and other values unchanged. Throws SyntaxError for a marked name. */
function numberOfMarked(name: string, value: unknown): unknown {
  if (MARKED.test(name)) throw new SyntaxError(`${name.slice(1)} as a name`);
  return typeof value === 'string' && MARKED.test(value) ? Number(value.slice(1)) : value;
}
