// JSON with Python's numbers: 1.0 and 1e3 are floats, which chat templates print as 1.0 and 1000.0, and integers have
// any number of digits, such as ids of 64 bits.
import { parseJson } from './json';

const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const MAY_HAVE_PYTHON_NUMBERS = /\d\.0|\d[eE]|\d{16}/;
/** An integer. Python reads at most 4,300 digits. */
const INTEGER = /^-?\d{1,4300}$/;
/** Prefix of the text that replaces a number while parsing or writing: a noncharacter of Unicode. */
const MARK = '\uFDEF';
const MARKED = new RegExp(String.raw`^${MARK}-?\d[\d.eE+-]*$`);
const MARKED_IN_JSON = new RegExp(String.raw`"${MARK}(-?\d[\d.eE+-]*)"`, 'g');

/**
 * Parses JSON. A float with an integer value becomes a Number object, and an integer that a number cannot hold exactly
 * becomes a bigint. Throws SyntaxError.
 */
export function parsePythonNumbers(json: string): unknown {
  return withPythonNumbers(json, parseJson(json));
}

/** Writes a value that `parsePythonNumbers` returned as JSON, with each number as precise as it was. */
export function stringifyPythonNumbers(value: unknown): string {
  const json = JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return MARK + String(item);
    return item instanceof Number ? MARK + item.toFixed(1) : item;
  });
  return json.replace(MARKED_IN_JSON, '$1');
}

/** Parses JSON as `parsePythonNumbers` does. `parsed` is the result of JSON.parse, returned if it is the same. */
export function withPythonNumbers(json: string, parsed: unknown): unknown {
  if (!MAY_HAVE_PYTHON_NUMBERS.test(json)) return parsed;
  const marked = json.replace(TEXT_OR_NUMBER, (found) =>
    found.startsWith('"') || isNumber(found) ? found : `"${MARK}${found}"`,
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && MARKED.test(value) ? pythonNumber(value.slice(1)) : value,
  );
}

/** Returns whether a JavaScript number has the type and the value of the written one. */
function isNumber(written: string): boolean {
  const value = Number(written);
  return INTEGER.test(written) ? Number.isSafeInteger(value) : !Number.isInteger(value);
}

function pythonNumber(written: string): unknown {
  return INTEGER.test(written) ? BigInt(written) : Object(Number(written));
}
