// The JSON of template values, written as Python's json.dumps writes it.
import {
  compared,
  type Float,
  isDict,
  isList,
  isNumeric,
  printedNumber,
  typeName,
  type Value,
} from './jinjaValues';

export interface JsonStyle {
  /** Spaces per level; undefined for JSON on one line. */
  readonly indent: number | undefined;
  readonly separators: readonly [item: string, key: string];
  /** Whether characters outside ASCII are escaped. */
  readonly isAscii: boolean;
  /** Whether members are sorted by their keys. */
  readonly isSorted: boolean;
}

/**
 * Writes a value as JSON. `lineBreak` includes the indentation of the value. Throws an Error for values that Python's
 * json.dumps refuses.
 */
export function jsonOf(value: Value, style: JsonStyle, lineBreak = '\n'): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (isNumeric(value)) return jsonNumber(value);
  if (typeof value === 'string') return jsonText(value, style);
  const innerBreak = lineBreak + ' '.repeat(style.indent ?? 0);
  const [comma, colon] = style.separators;
  const block = (open: string, items: readonly string[], close: string): string => {
    if (style.indent === undefined || items.length === 0) return open + items.join(comma) + close;
    return open + innerBreak + items.join(comma + innerBreak) + lineBreak + close;
  };
  if (isList(value))
    return block(
      '[',
      value.map((item) => jsonOf(item, style, innerBreak)),
      ']',
    );
  if (!isDict(value)) throw new Error(`Object of type ${typeName(value)} is not JSON serializable`);
  const entries = style.isSorted ? [...value].sort(([a], [b]) => compared(a, b)) : [...value];
  const member = ([key, item]: readonly [Value, Value]): string => {
    const name = jsonText(typeof key === 'string' ? key : jsonOf(key, style), style);
    return name + colon + jsonOf(item, style, innerBreak);
  };
  return block('{', entries.map(member), '}');
}

/** Writes a number as JSON; Python writes infinity and NaN too. */
function jsonNumber(value: number | bigint | Float): string {
  const text = printedNumber(value);
  return { inf: 'Infinity', '-inf': '-Infinity', nan: 'NaN' }[text] ?? text;
}

/** Writes a text as JSON. U+FDD0 to U+FDEF stay unescaped, because markedPrompt.ts marks texts with them. */
function jsonText(text: string, { isAscii }: JsonStyle): string {
  const json = JSON.stringify(text);
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return isAscii ? json.replace(/[\x7f-\ufdcf\ufdf0-\uffff]/g, escaped) : json;
}
