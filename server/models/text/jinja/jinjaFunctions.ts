// The functions that transformers gives to chat templates, and those of Jinja2 itself except cycler, joiner and lipsum.
import {
  type Arguments,
  isDict,
  itemsOf,
  Namespace,
  numberOf,
  printed,
  type Callable,
  type Value,
} from './jinjaValues';
import { TemplateRefusal } from '../templateRefusal';

/** Maximum length of a range, as in Jinja2's sandbox. */
const MAX_RANGE = 100_000;

/** Functions by the names that templates call. */
export const FUNCTIONS: Readonly<Record<string, Callable>> = {
  range: ({ list: numbers }) => {
    const [a = 0, b, step = 1] = numbers.map((argument) => numberOf(argument) ?? NaN);
    const [first, end] = b === undefined ? [0, a] : [a, b];
    const length = Math.max(0, Math.ceil((end - first) / step));
    if (step === 0) throw new Error('a range of numbers with a step of 0');
    if (!(length <= MAX_RANGE)) throw new Error(`a range of ${String(length)} numbers`);
    return Array.from({ length }, (_, i) => first + i * step);
  },
  namespace: (args) => new Namespace(new Map(entriesOf(args).map(([key, value]) => [printed(key), value]))),
  dict: (args) => new Map(entriesOf(args)),
  raise_exception: ({ list: [message] }) => {
    throw new TemplateRefusal(printed(message));
  },
  strftime_now: ({ list: [format] }) => dateText(printed(format), new Date()),
};

/** Lists the entries that Python's `dict` gets: those of a dict or of a list of pairs, and the named arguments. */
function entriesOf({ list: [fields = []], named }: Arguments): (readonly [Value, Value])[] {
  const pairs = isDict(fields) ? [...fields] : itemsOf(fields).map(itemsOf);
  return [...pairs.map(([key, value]) => [key, value] as const), ...named];
}

/** Formats a date as Python's strftime does; `%-d` and similar forms omit the leading zero. */
function dateText(format: string, now: Date): string {
  const hour12 = now.getHours() % 12 || 12;
  const daysBefore = Math.round(
    (Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) - Date.UTC(now.getFullYear(), 0)) / 864e5,
  );
  const numbers: Readonly<Record<string, readonly [value: number, width: number]>> = {
    d: [now.getDate(), 2],
    m: [now.getMonth() + 1, 2],
    y: [now.getFullYear() % 100, 2],
    Y: [now.getFullYear(), 4],
    H: [now.getHours(), 2],
    I: [hour12, 2],
    M: [now.getMinutes(), 2],
    S: [now.getSeconds(), 2],
    j: [daysBefore + 1, 3],
  };
  const names: Readonly<Record<string, string | undefined>> = {
    A: now.toLocaleString('en', { weekday: 'long' }),
    a: now.toLocaleString('en', { weekday: 'short' }),
    B: now.toLocaleString('en', { month: 'long' }),
    b: now.toLocaleString('en', { month: 'short' }),
    p: now.getHours() < 12 ? 'AM' : 'PM',
    '%': '%',
  };
  return format.replace(/%(-?)([a-zA-Z%])/g, (match, short: string, kind: string) => {
    const [value, width] = numbers[kind] ?? [];
    const text = value === undefined ? names[kind] : String(value).padStart(short ? 0 : (width ?? 0), '0');
    if (text === undefined) throw new Error(`unsupported format ${match}`);
    return text;
  });
}
