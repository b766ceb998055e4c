// JSON with Python's distinction of numbers: 1.0 and 1e3 are floats, which chat templates print as 1.0 and 1000.0.
import { parseJson } from '../../../rules/json';

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const MAY_HAVE_FLOATS = /\d\.0|\d[eE]/;
/** Prefix of the text that replaces a float while parsing: a noncharacter of Unicode. */
const MARK = '\uFDEF';
const MARKED = new RegExp(String.raw`^${MARK}-?\d[\d.eE+-]*$`);

/**
 * Parses JSON. A float with an integer value becomes a Number object, which JSON.stringify writes as a number and which
 * threads can pass on. Throws SyntaxError.
 */
export function parseWithFloats(json: string): unknown {
  return withFloats(json, parseJson(json));
}

/** Parses JSON as `parseWithFloats` does. `parsed` is the result of JSON.parse, returned if there are no floats. */
export function withFloats(json: string, parsed: unknown): unknown {
  if (!MAY_HAVE_FLOATS.test(json)) return parsed;
  const marked = json.replace(TEXT_OR_NUMBER, (found) =>
    /^"|^-?\d+$/.test(found) || !Number.isInteger(Number(found)) ? found : `"${MARK}${found}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && MARKED.test(value) ? (Object(Number(value.slice(1))) as unknown) : value,
  );
}
