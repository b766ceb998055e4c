// Builtin filters and tests of Jinja2, with its names and arguments: more than published chat templates use, as
// fine-tuned models bring templates of their own.
import { percentFormat, strip, textMethod } from './jinjaMethods';
import { TEST_PREFIX } from './jinjaSyntax';
import {
  Arguments,
  bounded,
  compared,
  escaped,
  float,
  Float,
  isDict,
  isEqual,
  isFloat,
  isList,
  isNumeric,
  isTrue,
  itemsOf,
  Namespace,
  numberOf,
  printed,
  requireLength,
  tuple,
  typeName,
  type Dict,
  type List,
  type Value,
} from './jinjaValues';
import { jsonOf } from './jinjaJson';
import { roundedFloat } from './pythonRounding';

type Filter = (value: Value, args: Arguments) => Value;
type Test = (value: Value, argument: Value) => boolean;

/** Tests by name. A prototype would add members that a template could name, such as `constructor`. */
export const TESTS: Readonly<Record<string, Test | undefined>> = {
  __proto__: null as never,
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => isNumeric(value) && !isFloat(value),
  float: isFloat,
  number: (value) => numberOf(value) !== undefined,
  string: (value) => typeof value === 'string',
  mapping: isDict,
  sequence: (value) => value === undefined || typeof value === 'string' || isList(value) || isDict(value),
  iterable: (value) => value === undefined || typeof value === 'string' || isList(value) || isDict(value),
  callable: (value) => typeof value === 'function',
  even: (value) => (numberOf(value) ?? NaN) % 2 === 0,
  odd: (value) => Math.abs((numberOf(value) ?? NaN) % 2) === 1,
  divisibleby: (value, divisor) => (numberOf(value) ?? NaN) % (numberOf(divisor) ?? NaN) === 0,
  lower: (value) => printed(value) === printed(value).toLowerCase() && /\p{Ll}/u.test(printed(value)),
  upper: (value) => printed(value) === printed(value).toUpperCase() && /\p{Lu}/u.test(printed(value)),
  sameas: (value, argument) => value === argument,
  in: isIn,
  ...Object.fromEntries(['==', 'eq', 'equalto'].map((name) => [name, isEqual])),
  ...Object.fromEntries(['!=', 'ne'].map((name) => [name, (a: Value, b: Value) => !isEqual(a, b)])),
  ...ordered(['<', 'lt', 'lessthan'], (order) => order < 0),
  ...ordered(['<=', 'le'], (order) => order <= 0),
  ...ordered(['>', 'gt', 'greaterthan'], (order) => order > 0),
  ...ordered(['>=', 'ge'], (order) => order >= 0),
};

/** Creates tests that compare two values. */
function ordered(names: readonly string[], holds: (order: number) => boolean): Record<string, Test> {
  return Object.fromEntries(names.map((name) => [name, (a: Value, b: Value) => holds(compared(a, b))]));
}

/** Returns the value of Python's `value in container`. Throws an Error where Python does. */
export function isIn(value: Value, container: Value): boolean {
  if (typeof container === 'string') {
    if (typeof value === 'string') return container.includes(value);
    throw new Error(`'in <string>' requires string as left operand, not ${typeName(value)}`);
  }
  return itemsOf(container).some((item) => isEqual(item, value));
}

function testOf(name: Value): Test {
  const test = typeof name === 'string' ? TESTS[name] : undefined;
  if (test === undefined) throw new Error(`no test named ${printed(name)}`);
  return test;
}

/** Returns a function that reads the attribute path, such as `a.b.0`, of an item; without a path, the item itself. */
function attributeOf(path: Value): (item: Value) => Value {
  if (path === undefined || path === null) return (item) => item;
  const steps = typeof path === 'number' ? [path] : printed(path).split('.');
  return (item) =>
    steps.reduce<Value>(
      (value, step) => itemAt(value, /^\d+$/.test(String(step)) ? Number(step) : step),
      item,
    );
}

/** Returns `object[key]`; undefined if there is no such item. */
export function itemAt(object: Value, key: Value): Value {
  if (isDict(object)) return object.get(key instanceof Float ? key.value : key);
  if (object instanceof Namespace) return object.fields.get(printed(key));
  if (!isList(object) && typeof object !== 'string') return undefined;
  return typeof key === 'number' ? (typeof object === 'string' ? [...object] : object).at(key) : undefined;
}

/**
 * Creates `select` or `selectattr`, which keep the items that pass a test (`keeps` is true), or `reject` or
 * `rejectattr`, which drop these. The default test is the truth of the item.
 */
function selecting(keeps: boolean, byAttribute: boolean): Filter {
  return (value, { list }) => {
    if (!isTrue(value)) return [];
    const [name, ...rest] = byAttribute ? list.slice(1) : list;
    const read = attributeOf(byAttribute ? list[0] : undefined);
    const test = name === undefined ? isTrue : testOf(name);
    return itemsOf(value).filter((item) => test(read(item), rest[0]) === keeps);
  };
}

/** Returns a value; `fallback` if it is undefined. None is a value. */
function valueOr(value: Value, fallback: Value): Value {
  return value === undefined ? fallback : value;
}

function mapped(value: Value, { list, named }: Arguments): Value {
  if (!isTrue(value)) return [];
  if (named.has('attribute')) {
    const read = attributeOf(named.get('attribute'));
    return itemsOf(value).map((item) => valueOr(read(item), named.get('default') ?? undefined));
  }
  const [name, ...rest] = list;
  return itemsOf(value).map((item) => filterOf(printed(name))(item, new Arguments(rest, named)));
}

/** Returns a function that reads the key by which items are compared: texts without regard to case by default. */
function keyOf(read: (item: Value) => Value, isCaseSensitive: Value): (item: Value) => Value {
  if (isTrue(isCaseSensitive)) return read;
  return (item) => {
    const value = read(item);
    return typeof value === 'string' ? value.toLowerCase() : value;
  };
}

function sorted(items: List, key: (item: Value) => Value, reverse?: Value): List {
  const direction = isTrue(reverse) ? -1 : 1;
  return [...items].sort((a, b) => direction * compared(key(a), key(b)));
}

/** Creates `max` (direction 1) or `min` (direction -1). */
function extreme(direction: number): Filter {
  return (value, args) => {
    const key = keyOf(attributeOf(args.at(1, 'attribute')), args.at(0, 'case_sensitive'));
    const [first, ...rest] = itemsOf(value);
    return rest.reduce((best, item) => (direction * compared(key(item), key(best)) > 0 ? item : best), first);
  };
}

function rounded(value: Value, args: Arguments): Value {
  const number = numberOf(value);
  if (number === undefined) throw new Error(`type ${typeName(value)} doesn't define __round__ method`);
  const method = args.text(1, 'method', 'common');
  const digits = args.integer(0, 'precision', 0);
  if (method === 'ceil' || method === 'floor') {
    const scale = Number(`1e${String(digits)}`);
    const whole = Math[method](number * scale);
    if (!Number.isFinite(whole)) throw new Error('cannot convert float infinity to integer');
    // In Python, `whole` is an integer, which has no negative zero.
    return float((whole || 0) / scale);
  }
  const result = roundedFloat(number, digits);
  // Python's `round` keeps integers.
  return isFloat(value) ? float(result) : result;
}

function indented(value: Value, args: Arguments): Value {
  const width = args.at(0, 'width') ?? 4;
  const prefix = typeof width === 'string' ? width : ' '.repeat(numberOf(width) ?? 0);
  const [first = '', ...lines] = printed(value).split('\n');
  const blank = isTrue(args.at(2, 'blank'));
  const rest = lines.map((line) => (line === '' && !blank ? line : prefix + line));
  return bounded([isTrue(args.at(1, 'first')) ? prefix + first : first, ...rest].join('\n'));
}

function truncated(value: Value, args: Arguments): Value {
  const text = [...printed(value)];
  const length = args.integer(0, 'length', 255);
  const end = args.text(2, 'end', '...');
  if (text.length <= length + args.integer(3, 'leeway', 5)) return text.join('');
  const cut = text.slice(0, length - [...end].length).join('');
  return (
    (isTrue(args.at(1, 'killwords')) || !cut.includes(' ') ? cut : cut.slice(0, cut.lastIndexOf(' '))) + end
  );
}

function json(value: Value, args: Arguments): Value {
  const indent = args.integer(1, 'indent', -1);
  const given = args.at(2, 'separators');
  const [item, key] =
    given === undefined || given === null ? [indent < 0 ? ', ' : ',', ': '] : itemsOf(given).map(printed);
  return jsonOf(value, {
    indent: indent < 0 ? undefined : indent,
    separators: [item ?? '', key ?? ''],
    isAscii: isTrue(args.at(0, 'ensure_ascii')),
    isSorted: isTrue(args.at(3, 'sort_keys')),
  });
}

/** Converts a value to a number, texts as Python's `float` does except `inf` and `nan`. Returns NaN for all others. */
function parsed(value: Value): number {
  if (typeof value !== 'string') return numberOf(value) ?? NaN;
  const text = value.replace(/(?<=\d)_(?=\d)/g, '');
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : NaN;
}

function grouped(value: Value, args: Arguments): Value {
  const read = attributeOf(args.at(0, 'attribute'));
  const key = keyOf(read, args.at(2, 'case_sensitive'));
  const groups: Value[][] = [];
  for (const item of sorted(itemsOf(value), key)) {
    const last = groups.at(-1);
    if (last && isEqual(key(last[0]), key(item))) last.push(item);
    else groups.push([item]);
  }
  return groups.map((items) => tuple([read(items[0]), items]));
}

function batched(value: Value, args: Arguments): Value {
  const items = itemsOf(value);
  const size = Math.max(1, args.integer(0, 'linecount', 1));
  const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
  const fill = args.at(1, 'fill_with') ?? undefined;
  if (fill === undefined) return batches;
  requireLength('items', size);
  return batches.map((batch) => [...batch, ...Array<Value>(size - batch.length).fill(fill)]);
}

/** Filters that call the method of the same name on the printed text. */
const TEXT_FILTERS = ['capitalize', 'lower', 'upper', 'replace'] as const;

const FILTERS: Readonly<Record<string, Filter | undefined>> = {
  __proto__: null as never,
  abs: (value) =>
    isFloat(value) ? float(Math.abs(numberOf(value) ?? NaN)) : Math.abs(numberOf(value) ?? NaN),
  // Other values have no attributes that a template can read, only methods to call.
  attr: (value, args) => (value instanceof Namespace ? itemAt(value, args.at(0, 'name')) : undefined),
  batch: batched,
  center: (value, args) =>
    textMethod(printed(value), 'center')?.(new Arguments([args.integer(0, 'width', 80)])),
  default: (value, args) => {
    const isMissing = value === undefined || (isTrue(args.at(1, 'boolean')) && !isTrue(value));
    return isMissing ? valueOr(args.at(0, 'default_value'), '') : value;
  },
  dictsort: (value, args) => {
    const by = args.text(1, 'by', 'key') === 'key' ? 0 : 1;
    return sorted(
      [...requireDict(value)].map(tuple),
      keyOf((pair) => itemAt(pair, by), args.at(0, 'case_sensitive')),
      args.at(2, 'reverse'),
    );
  },
  escape: (value) => escaped(printed(value)),
  first: (value) => itemsOf(value)[0],
  float: (value, args) => {
    const number = parsed(value);
    return Number.isNaN(number) ? valueOr(args.at(0, 'default'), new Float(0)) : float(number);
  },
  format: (value, { list }) => percentFormat(printed(value), list),
  groupby: grouped,
  indent: indented,
  int: (value, args) => {
    const number = parsed(value);
    return Number.isFinite(number) ? Math.trunc(number) : valueOr(args.at(0, 'default'), 0);
  },
  items: (value) => (value === undefined ? [] : [...requireDict(value)].map(tuple)),
  join: (value, args) => {
    const items = itemsOf(value).map(attributeOf(args.at(1, 'attribute')));
    return bounded(items.map(printed).join(printed(args.at(0, 'd'))));
  },
  last: (value) => itemsOf(value).at(-1),
  length: (value) => itemsOf(value).length,
  list: (value) => [...itemsOf(value)],
  map: mapped,
  max: extreme(1),
  min: extreme(-1),
  reject: selecting(false, false),
  rejectattr: selecting(false, true),
  safe: printed,
  reverse: (value) => {
    const items = [...itemsOf(value)].reverse();
    return typeof value === 'string' ? items.map(printed).join('') : items;
  },
  round: rounded,
  select: selecting(true, false),
  selectattr: selecting(true, true),
  sort: (value, args) => {
    const key = keyOf(attributeOf(args.at(2, 'attribute')), args.at(1, 'case_sensitive'));
    return sorted(itemsOf(value), key, args.at(0, 'reverse'));
  },
  string: printed,
  sum: (value, args) => {
    const items = itemsOf(value).map(attributeOf(args.at(0, 'attribute')));
    const total = items.reduce<number>(
      (sum, item) => sum + (numberOf(item) ?? NaN),
      args.integer(1, 'start', 0),
    );
    if (Number.isNaN(total)) throw new Error('a sum of values that are not numbers');
    return items.some(isFloat) ? float(total) : total;
  },
  title: (value) =>
    printed(value).replace(
      /[^\s\-([{<]+/gu,
      ([first = '', ...rest]) => first.toUpperCase() + rest.join('').toLowerCase(),
    ),
  tojson: json,
  trim: (value, args) => strip(printed(value), args.at(0, 'chars'), true, true),
  truncate: truncated,
  unique: (value, args) => {
    const key = keyOf(attributeOf(args.at(1, 'attribute')), args.at(0, 'case_sensitive'));
    const items = itemsOf(value);
    return items.filter((item, i) => items.findIndex((first) => isEqual(key(first), key(item))) === i);
  },
  urlencode: (value) =>
    encodeURIComponent(printed(value)).replace(/[!'()*]|%2F/g, (character) =>
      character === '%2F' ? '/' : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  wordcount: (value) => (printed(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length,
  ...Object.fromEntries(
    TEXT_FILTERS.map((name): [string, Filter] => [
      name,
      (value, args) => textMethod(printed(value), name)?.(args),
    ]),
  ),
};

/** Other names of filters. */
const ALIASES: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  count: 'length',
  d: 'default',
  e: 'escape',
};

/** Returns a filter of that name, or a test that was parsed as one. Throws an Error for an unknown name. */
export function filterOf(name: string): Filter {
  const [, isNot, test] = new RegExp(`^${TEST_PREFIX}(not )?(\\w+)$`).exec(name) ?? [];
  if (test !== undefined) return (value, { list }) => testOf(test)(value, list[0]) !== (isNot !== undefined);
  const found = FILTERS[ALIASES[name] ?? name];
  if (found === undefined) throw new Error(`no filter named '${name}'`);
  return found;
}

function requireDict(value: Value): Dict {
  if (isDict(value)) return value;
  throw new Error('Can only get item pairs from a mapping.');
}
