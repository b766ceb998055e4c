// The values of Jinja templates, as Python has them: their printed form, equality and order. Chat templates are written
// for Python's Jinja2 and print values directly.

/**
 * A value. Integers that a number cannot hold exactly are bigints. Undefined prints nothing, is false, has no items and
 * equals only itself. To read its members, to call it, to order it or to compute with it is an error.
 */
export type Value =
  undefined | null | boolean | number | bigint | string | Float | List | Dict | Namespace | Callable;
export type List = readonly Value[];
export type Dict = ReadonlyMap<Value, Value>;
export type Callable = (args: Arguments) => Value;

/** A float with an integer value, which Python prints as 1.0. Other floats are JavaScript numbers. */
export class Float {
  constructor(readonly value: number) {}
}

/**
 * A tuple, which prints in parentheses and equals no list. Create it with `tuple`: the constructor can take a length.
 */
export class Tuple extends Array<Value> {}

/** An object whose attributes a template can set. */
export class Namespace {
  constructor(readonly fields: Map<string, Value>) {}
}

/** The arguments of a call, by position and by name. */
export class Arguments {
  constructor(
    readonly list: List = [],
    readonly named: ReadonlyMap<string, Value> = new Map(),
  ) {}

  /** Returns an argument by its position, or else by its name; undefined if there is neither. */
  at(position: number, name: string): Value {
    return position < this.list.length ? this.list[position] : this.named.get(name);
  }

  /**
   * Returns an argument that must be a string; `fallback` if it is missing or None. Throws an Error for another value,
   * and for a missing one without a fallback.
   */
  text(position: number, name: string, fallback?: string): string {
    const value = this.at(position, name) ?? fallback;
    if (typeof value === 'string') return value;
    throw new Error(`${name} must be str, not ${typeName(value)}`);
  }

  /** Returns an argument as an integer: 0 if it is not a number, `fallback` if it is missing or None. */
  integer(position: number, name: string, fallback: number): number {
    const value = this.at(position, name);
    return value === undefined || value === null ? fallback : Math.trunc(numberOf(value) ?? 0);
  }
}

/** Maximum lengths of texts and of lists: longer ones would fill the memory before the time limit ends a template. */
const MAX_LENGTHS = { characters: 16e6, items: 1e6 };

export function tuple(items: List): Tuple {
  return Tuple.from(items);
}

export function isList(value: Value): value is List {
  return Array.isArray(value);
}

export function isDict(value: Value): value is Dict {
  return value instanceof Map;
}

/** Returns a number as a Python float, such as 1.0. */
export function float(value: number): Value {
  return Number.isInteger(value) ? new Float(value) : value;
}

export function isFloat(value: Value): boolean {
  return value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
}

/** Returns a number or a boolean as a JavaScript number; undefined for other values. */
export function numberOf(value: Value): number | undefined {
  if (value instanceof Float) return value.value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? Number(value) : undefined;
}

/** Returns a text or a list unchanged. Throws an Error if it exceeds the limits. */
export function bounded<T extends string | List>(value: T): T {
  requireLength(unitOf(value), value.length);
  return value;
}

/** Returns the unit in which the length of a value is measured. */
export function unitOf(value: string | List): keyof typeof MAX_LENGTHS {
  return typeof value === 'string' ? 'characters' : 'items';
}

/** Throws an Error if the length of a text or a list exceeds the limit. */
export function requireLength(unit: keyof typeof MAX_LENGTHS, length: number): void {
  if (length > MAX_LENGTHS[unit]) throw new Error(`a value of ${String(length)} ${unit}`);
}

/** Converts a JavaScript value: objects to dicts, Number objects to floats. Throws an Error for a symbol. */
export function valueOf(input: unknown): Value {
  if (Array.isArray(input)) return input.map(valueOf);
  if (typeof input === 'function') return input as Callable;
  if (input instanceof Number) return float(Number(input));
  if (typeof input === 'object' && input !== null)
    return new Map(Object.entries(input).map(([key, value]) => [key, valueOf(value)]));
  if (input === null || ['undefined', 'boolean', 'number', 'bigint', 'string'].includes(typeof input))
    return input as Value;
  throw new Error(`a ${typeof input}`);
}

/** Returns a value's truth as Python's `bool` does: empty texts and collections are false. */
export function isTrue(value: Value): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (typeof value === 'number') return value !== 0;
  if (isList(value)) return value.length > 0;
  return isDict(value) ? value.size > 0 : Boolean(value);
}

/** Returns the items over which a loop over the value runs. Throws an Error for a value without items. */
export function itemsOf(value: Value): List {
  if (value === undefined) return [];
  if (isList(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return [...value.keys()];
  throw new Error(`items of a ${typeName(value)}`);
}

/** Returns the name of a value's type in Python, for errors. */
export function typeName(value: Value): string {
  if (value === undefined) return 'Undefined';
  if (value === null) return 'NoneType';
  if (isList(value)) return value instanceof Tuple ? 'tuple' : 'list';
  if (isDict(value)) return 'dict';
  if (value instanceof Namespace) return 'Namespace';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number' || value instanceof Float) return isFloat(value) ? 'float' : 'int';
  return { string: 'str', boolean: 'bool' }[typeof value as string] ?? 'function';
}

/** Characters that Jinja2 escapes in HTML. */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

/** Escapes a text for HTML; returns other values unchanged. */
export function escaped(value: Value): Value {
  return typeof value === 'string'
    ? value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
    : value;
}

/** Returns the text that `{{ value }}` prints. */
export function printed(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isNumeric(value)) return printedNumber(value);
  if (isList(value)) {
    const items = value.map(quotedText).join(', ');
    if (!(value instanceof Tuple)) return `[${items}]`;
    return value.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (isDict(value)) return printedDict(value);
  return value instanceof Namespace ? `<Namespace ${printedDict(value.fields)}>` : '<function>';
}

function printedDict(dict: Dict): string {
  return `{${[...dict].map(([key, value]) => `${quotedText(key)}: ${quotedText(value)}`).join(', ')}}`;
}

/** Prints a value inside a list or dict, where texts have quotes. */
function quotedText(value: Value): string {
  if (value === undefined) return 'Undefined';
  if (typeof value !== 'string') return printed(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  // Python escapes what it cannot show; the noncharacters are the marks of markedPrompt.ts.
  const text = value.replace(/(?![ \ufdd0-\ufdef])[\\\p{C}\p{Z}'"]/gu, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${quote}` : character;
    const escape = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
    return escape ?? escapedCode(character.codePointAt(0) ?? 0);
  });
  return quote + text + quote;
}

function escapedCode(code: number): string {
  const [letter, digits] = code > 0xffff ? ['U', 8] : code > 0xff ? ['u', 4] : ['x', 2];
  return `\\${letter}${code.toString(16).padStart(digits, '0')}`;
}

/** Returns whether a value is a number and no boolean. */
export function isNumeric(value: Value): value is number | bigint | Float {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;
}

/** Returns a number as Python prints it. */
export function printedNumber(value: number | bigint | Float): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return BigInt(value).toString();
  const number = numberOf(value) ?? 0;
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e16))
    return number.toExponential().replace(/([+-])(\d)$/, '$10$2');
  if (Object.is(number, -0)) return '-0.0';
  return Number.isInteger(number) ? number.toFixed(1) : String(number);
}

/** Returns whether two values are equal in Python: numbers by value, collections by their items. */
export function isEqual(a: Value, b: Value): boolean {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a === b;
  const numbers = [numberOf(a), numberOf(b)] as const;
  if (numbers[0] !== undefined || numbers[1] !== undefined) return numbers[0] === numbers[1];
  if (isList(a) && isList(b))
    return (
      a instanceof Tuple === b instanceof Tuple &&
      a.length === b.length &&
      a.every((x, i) => isEqual(x, b[i]))
    );
  if (isDict(a) && isDict(b))
    return a.size === b.size && [...a].every(([key, x]) => b.has(key) && isEqual(x, b.get(key)));
  return a === b;
}

/** Compares two values: below 0 if `a` is smaller. Throws an Error for values that Python does not order. */
export function compared(a: Value, b: Value): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b);
  const numbers = [numberOf(a), numberOf(b)] as const;
  if (numbers[0] !== undefined && numbers[1] !== undefined) return numbers[0] - numbers[1];
  // By code points: JavaScript compares UTF-16 units, which puts those beyond U+FFFF before some others.
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (isList(a) && isList(b)) {
    const differing = a.findIndex((x, i) => i >= b.length || !isEqual(x, b[i]));
    if (differing < 0) return a.length - b.length;
    return differing < b.length ? compared(a[differing], b[differing]) : 1;
  }
  throw new Error(`'<' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}
