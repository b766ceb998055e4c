// The functions that transformers gives to chat templates, and those of Jinja2 itself except cycler, joiner and lipsum.
import { isDict, Namespace, numberOf, printed, type Callable, type Value } from './jinjaValues';
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
  namespace: ({ list: [fields], named }) => new Namespace(new Map([...textKeys(fields), ...named])),
  dict: ({ list: [fields], named }) => new Map<Value, Value>([...(isDict(fields) ? fields : []), ...named]),
  raise_exception: ({ list: [message] }) => {
    throw new TemplateRefusal(printed(message));
  },
  strftime_now: ({ list: [format] }) => dateText(printed(format), new Date()),
};

/** Lists the entries of a dict with printed keys; none for other values. */
function textKeys(fields: Value): [string, Value][] {
  return isDict(fields) ? [...fields].map(([key, value]) => [printed(key), value]) : [];
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
