// Python's operators on the values of templates: slices, unary operators and arithmetic.
import { percentFormat } from './jinjaMethods';
import {
  bounded,
  Float,
  float,
  isFloat,
  isList,
  isTrue,
  itemsOf,
  numberOf,
  printed,
  requireLength,
  tuple,
  Tuple,
  typeName,
  unitOf,
  type List,
  type Value,
} from './jinjaValues';

/** Returns Python's `value[start:stop:step]`. */
export function sliced(
  value: Value,
  start: number | undefined,
  stop: number | undefined,
  step: number,
): Value {
  const items = itemsOf(value);
  if (step === 0) throw new Error('slice step cannot be zero');
  const { length } = items;
  const within = (index: number): number =>
    Math.min(Math.max(index < 0 ? index + length : index, step < 0 ? -1 : 0), step < 0 ? length - 1 : length);
  const first = start === undefined ? (step < 0 ? length - 1 : 0) : within(start);
  const end = stop === undefined ? (step < 0 ? -1 : length) : within(stop);
  const count = Math.max(0, Math.ceil((end - first) / step));
  const taken = Array.from({ length: count }, (_, i) => items[first + i * step]);
  if (typeof value === 'string') return taken.map(printed).join('');
  return value instanceof Tuple ? tuple(taken) : taken;
}

/** Applies a unary operator. Throws an Error where Python does, as the other operators do. */
export function unary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTrue(value);
  const number = numberOf(value);
  if (number === undefined) throw new Error(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  const signed = operator === '-' ? -number : number;
  return value instanceof Float ? float(signed) : signed;
}

/** Applies a binary operator, except comparisons, `in`, `and` and `or`. */
export function arithmetic(operator: string, a: Value, b: Value): Value {
  if (operator === '~') return bounded(printed(a) + printed(b));
  if (operator === '%' && typeof a === 'string') return percentFormat(a, b instanceof Tuple ? b : [b]);
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') return bounded(a + b);
  if (operator === '+' && isList(a) && isList(b) && a instanceof Tuple === b instanceof Tuple)
    return bounded(a instanceof Tuple ? tuple([...a, ...b]) : [...a, ...b]);
  const x = numberOf(a);
  const y = numberOf(b);
  if (operator === '*' && y !== undefined && (typeof a === 'string' || isList(a)))
    return repeated(a, Math.max(0, y));
  if (operator === '*' && x !== undefined && (typeof b === 'string' || isList(b)))
    return repeated(b, Math.max(0, x));
  if (x === undefined || y === undefined)
    throw new Error(`unsupported operand type(s) for ${operator}: '${typeName(a)}' and '${typeName(b)}'`);
  if (y === 0 && /^(\/|\/\/|%)$/.test(operator)) throw new Error('division by zero');
  const results: Readonly<Record<string, number>> = {
    '+': x + y,
    '-': x - y,
    '*': x * y,
    '/': x / y,
    '//': Math.floor(x / y),
    '**': x ** y,
    '%': x - Math.floor(x / y) * y,
  };
  const result = results[operator];
  if (result === undefined) throw new Error(`no operator ${operator}`);
  const isQuotient = operator === '/' || (operator === '**' && y < 0);
  return isFloat(a) || isFloat(b) || isQuotient ? float(result) : result;
}

/** Returns a text, list or tuple repeated `times` times. */
function repeated(value: string | List, times: number): Value {
  requireLength(unitOf(value), value.length * times);
  if (typeof value === 'string') return value.repeat(times);
  // An empty list has no length that limits `times`.
  const items = value.length === 0 ? [] : Array.from({ length: times }, () => [...value]).flat();
  return value instanceof Tuple ? tuple(items) : items;
}
