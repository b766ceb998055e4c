// JSON with Python's distinction of numbers: 1.0 and 1e3 are floats, which chat templates print as 1.0 and 1000.0.
import { parseJson } from '../../../rules/json';

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const MAY_HAVE_FLOATS = /\d\.0|\d[eE]/;
/** In front of a number, as a text; a noncharacter of Unicode. */
const MARK = '\uFDEF';
const MARKED = new RegExp(String.raw`^${MARK}-?\d[\d.eE+-]*$`);

/**
 * Floats whose value is an integer are objects of Number, which JSON.stringify writes as numbers and threads pass on.
 * Throws SyntaxError.
 */
export function pythonJson(json: string): unknown {
  return withFloats(json, parseJson(json));
}

/** The same of JSON that was read before, and gave `read`. */
export function withFloats(json: string, read: unknown): unknown {
  if (!MAY_HAVE_FLOATS.test(json)) return read;
  const marked = json.replace(TEXT_OR_NUMBER, (found) =>
    /^"|^-?\d+$/.test(found) || !Number.isInteger(Number(found)) ? found : `"${MARK}${found}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && MARKED.test(value) ? (Object(Number(value.slice(1))) as unknown) : value,
  );
}
