// The methods of Python's strings, lists and dicts that chat templates call. Methods that change a value are missing,
// as Jinja2's sandbox refuses them. Tables of names have no prototype: a template could name its members, such as
// `constructor`.
import {
  type Arguments,
  bounded,
  isDict,
  isEqual,
  isList,
  isTrue,
  itemsOf,
  numberOf,
  printed,
  tuple,
  Tuple,
  typeName,
  type Callable,
  type Dict,
  type List,
  type Value,
} from './jinjaValues';
import { fixedText } from './pythonRounding';

/** Returns the method `name` of a value; undefined if it has none of that name. */
export function methodOf(object: Value, name: string): Callable | undefined {
  if (typeof object === 'string') return textMethod(object, name);
  if (isDict(object)) return dictMethod(object, name);
  return isList(object) ? listMethod(object, name) : undefined;
}

function dictMethod(dict: Dict, name: string): Callable | undefined {
  const methods: Readonly<Record<string, Callable | undefined>> = {
    __proto__: null as never,
    get: (args) => (dict.has(args.list[0]) ? dict.get(args.list[0]) : (args.at(1, 'default') ?? null)),
    items: () => [...dict].map(tuple),
    keys: () => [...dict.keys()],
    values: () => [...dict.values()],
    copy: () => new Map(dict),
  };
  return methods[name];
}

function listMethod(list: List, name: string): Callable | undefined {
  const methods: Readonly<Record<string, Callable | undefined>> = {
    __proto__: null as never,
    index: ({ list: [value] }) => requireFound(list.findIndex((item) => isEqual(item, value))),
    count: ({ list: [value] }) => list.filter((item) => isEqual(item, value)).length,
    copy: () => [...list],
  };
  return methods[name];
}

/** Returns an index. Throws an Error for -1, as Python does for a missing value. */
function requireFound(index: number): number {
  if (index < 0) throw new Error('a value is missing');
  return index;
}

type TextMethod = (text: string, args: Arguments) => Value;

/** Capitalises each run of letters, as Python's `title` does. Jinja2's filter `title` splits words differently. */
function titleCase(text: string): string {
  return text.replace(
    /\p{L}+/gu,
    ([first = '', ...rest]) => first.toUpperCase() + rest.join('').toLowerCase(),
  );
}

function matches(pattern: RegExp): TextMethod {
  return (text) => pattern.test(text);
}

/** Returns an argument that must be a string. Throws as Python does. */
function textArgument(value: Value): string {
  if (typeof value === 'string') return value;
  throw new Error(`a str is required, not ${typeName(value)}`);
}

/** Cuts a text to the range that Python's search methods take as second and third argument. */
function searchRange(text: string, { list: [, start, end] }: Arguments): { part: string; from: number } {
  if (start === undefined) return { part: text, from: 0 };
  const letters = [...text];
  const first = numberOf(start) ?? 0;
  const part = letters.slice(first, numberOf(end) ?? letters.length).join('');
  return { part, from: letters.length - letters.slice(first).length };
}

/** Creates a method that returns the index of a text, in code points as in Python; -1 if it is not found. */
function finder(unitOf: (text: string, searched: string) => number) {
  return (text: string, args: Arguments): number => {
    const { part, from } = searchRange(text, args);
    const unit = unitOf(part, textArgument(args.list[0]));
    return unit < 0 ? -1 : from + [...part.slice(0, unit)].length;
  };
}

const find = finder((text, searched) => text.indexOf(searched));

/** Creates `startswith` or `endswith`, which take one affix or a tuple of them. */
function affixed(has: (text: string, affix: string) => boolean): TextMethod {
  return (text, args) => {
    const { part } = searchRange(text, args);
    const [affix] = args.list;
    return (affix instanceof Tuple ? affix : [affix]).some((candidate) => has(part, textArgument(candidate)));
  };
}

/** Splits a text at a separator. An empty one is found between all characters, at the start and at the end. */
function piecesOf(text: string, separator: string): string[] {
  return separator === '' ? ['', ...text, ''] : text.split(separator);
}

/**
 * Creates `center`, `ljust` or `rjust`. `before` returns how many of the missing characters come before the text, given
 * the width.
 */
function padded(before: (missing: number, width: number) => number): TextMethod {
  return (text, { list: [requested, fill = ' '] }) => {
    const width = numberOf(requested) ?? 0;
    const missing = Math.max(0, width - [...text].length);
    const left = before(missing, width);
    return bounded(textArgument(fill).repeat(left) + text + textArgument(fill).repeat(missing - left));
  };
}

const TEXT_METHODS: Readonly<Record<string, TextMethod | undefined>> = {
  __proto__: null as never,
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  casefold: (text) => text.toLowerCase(),
  title: titleCase,
  capitalize: ([first = '', ...rest]) => first.toUpperCase() + rest.join('').toLowerCase(),
  swapcase: (text) =>
    [...text]
      .map((character) =>
        character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase(),
      )
      .join(''),
  strip: (text, { list: [characters] }) => strip(text, characters, true, true),
  lstrip: (text, { list: [characters] }) => strip(text, characters, true, false),
  rstrip: (text, { list: [characters] }) => strip(text, characters, false, true),
  startswith: affixed((text, affix) => text.startsWith(affix)),
  endswith: affixed((text, affix) => text.endsWith(affix)),
  removeprefix: (text, { list: [affix] }) => {
    const prefix = textArgument(affix);
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, { list: [affix] }) => {
    const suffix = textArgument(affix);
    return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  },
  split: (text, args) => split(text, args.at(0, 'sep'), args.integer(1, 'maxsplit', -1)),
  rsplit: (text, args) => {
    const reversed = (item: Value): string => [...printed(item)].reverse().join('');
    const by = args.at(0, 'sep') ?? null;
    const maxSplits = args.integer(1, 'maxsplit', -1);
    return split(reversed(text), by === null ? by : reversed(by), maxSplits)
      .map(reversed)
      .reverse();
  },
  splitlines: (text, args) => {
    const lines = text.match(/[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+$/g) ?? [];
    return isTrue(args.at(0, 'keepends')) ? lines : lines.map((line) => line.replace(/[\r\n]+$/, ''));
  },
  partition: (text, { list: [separator] }) =>
    parted(text, textArgument(separator), text.indexOf(textArgument(separator))),
  rpartition: (text, { list: [separator] }) => {
    const at = text.lastIndexOf(textArgument(separator));
    return at < 0 ? tuple(['', '', text]) : parted(text, textArgument(separator), at);
  },
  replace: (text, args) => {
    const [old, by] = args.list;
    const pieces = piecesOf(text, textArgument(old));
    const times = args.integer(2, 'count', -1);
    if (times < 0 || times >= pieces.length - 1) return bounded(pieces.join(textArgument(by)));
    const rest = pieces.slice(times).join(textArgument(old));
    return bounded([...pieces.slice(0, times), rest].join(textArgument(by)));
  },
  join: (text, { list: [items] }) => bounded(itemsOf(items).map(textArgument).join(text)),
  count: (text, args) => piecesOf(searchRange(text, args).part, textArgument(args.list[0])).length - 1,
  find,
  rfind: finder((text, searched) => text.lastIndexOf(searched)),
  index: (text, args) => requireFound(find(text, args)),
  format: braceFormat,
  // Python puts the odd character first if the width is odd.
  center: padded((missing, width) => (missing >> 1) + (missing & width & 1)),
  ljust: padded(() => 0),
  rjust: padded((missing) => missing),
  zfill: (text, { list: [width] }) => bounded(zeroFilled(text, numberOf(width) ?? 0)),
  isdigit: matches(/^\p{Nd}+$/u),
  isnumeric: matches(/^\p{N}+$/u),
  isalpha: matches(/^\p{L}+$/u),
  isalnum: matches(/^[\p{L}\p{N}]+$/u),
  isspace: matches(/^\s+$/u),
  isupper: (text) => /\p{Lu}/u.test(text) && text === text.toUpperCase(),
  islower: (text) => /\p{Ll}/u.test(text) && text === text.toLowerCase(),
};

/** Pads a text to a width with zeros after its sign. */
function zeroFilled(text: string, width: number): string {
  const [sign = ''] = /^[+-]?/.exec(text) ?? [];
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

/** Returns the method `name` of a string; undefined if strings have none of that name. */
export function textMethod(text: string, name: string): Callable | undefined {
  const method = TEXT_METHODS[name];
  return method && ((args) => method(text, args));
}

/** Removes the given characters, by default white space, from the ends of a text. */
export function strip(text: string, characters: Value, atStart: boolean, atEnd: boolean): string {
  const set = characters === undefined || characters === null ? undefined : new Set(textArgument(characters));
  const isCut = (letter: string): boolean => set?.has(letter) ?? /\s/u.test(letter);
  let start = 0;
  let end = text.length;
  for (const letter of atStart ? text : '') {
    if (!isCut(letter)) break;
    start += letter.length;
  }
  while (atEnd && end > start) {
    const [last = ''] = [...text.slice(Math.max(start, end - 2), end)].slice(-1);
    if (!isCut(last)) break;
    end -= last.length;
  }
  return text.slice(start, end);
}

/** Splits a text at most `maxSplits` times; without a limit if that is below 0. */
function split(text: string, separator: Value, maxSplits: number): string[] {
  if (separator !== undefined && separator !== null) {
    const by = textArgument(separator);
    if (by === '') throw new Error('empty separator');
    const pieces = text.split(by);
    return maxSplits < 0 || pieces.length <= maxSplits
      ? pieces
      : [...pieces.slice(0, maxSplits), pieces.slice(maxSplits).join(by)];
  }
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (maxSplits < 0) return trimmed.split(/\s+/u);
  const [first = ''] = /^\S+/u.exec(text.trimStart()) ?? [];
  const rest = text.trimStart().slice(first.length).trimStart();
  if (maxSplits === 0) return [text.trimStart()];
  return rest === '' ? [first] : [first, ...split(rest, null, maxSplits - 1)];
}

/** Returns the three parts of `partition`; `at` is the index of the separator, -1 if there is none. */
function parted(text: string, separator: string, at: number): Value {
  return tuple(at < 0 ? [text, '', ''] : [text.slice(0, at), separator, text.slice(at + separator.length)]);
}

/** Formats as Python's `'%s of %d' % (a, b)` does. Throws an Error for keys, and for flags other than - and 0. */
export function percentFormat(format: string, args: List): string {
  let next = 0;
  const text = format.replace(
    /%((?:\([^)]*\))?[-+ #0]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g,
    (match, ...groups: [flag: string, width: string, digits: string | undefined, kind: string]) => {
      const [flag, width, digits, kind] = groups;
      if (kind === '%') return '%';
      if (!['', '-', '0'].includes(flag)) throw new Error(`unsupported format ${match}`);
      const value = args[next++];
      const shown = converted(value, kind, digits);
      if (shown === undefined) throw new Error(`unsupported format %${kind} of ${typeName(value)}`);
      if (flag === '-') return shown.padEnd(Number(width));
      // Python pads only numbers with zeros.
      return flag === '' || kind === 's' ? shown.padStart(Number(width)) : zeroFilled(shown, Number(width));
    },
  );
  return bounded(text);
}

/** Returns the text of a value in `%s`, `%d`, `%i` or `%f`; undefined for other kinds and values. */
function converted(value: Value, kind: string, digits: string | undefined): string | undefined {
  if (kind === 's') {
    const text = printed(value);
    return digits === undefined ? text : [...text].slice(0, Number(digits)).join('');
  }
  const number = numberOf(value) ?? NaN;
  if (Number.isNaN(number)) return undefined;
  if (kind === 'f') return fixedText(number, Number(digits ?? 6));
  if (kind !== 'd' && kind !== 'i') return undefined;
  return String(Math.trunc(number)).replace(/\d+/, (all) => all.padStart(Number(digits ?? 0), '0'));
}

/** Formats as Python's `'{} and {name}'.format(a, name=b)` does; widths and precisions are not supported. */
function braceFormat(format: string, { list, named }: Arguments): string {
  let next = 0;
  const text = format.replace(
    /\{\{|\}\}|\{(\w*)([^}]*)\}/g,
    (match, name: string | undefined, style: string) => {
      if (match === '{{' || match === '}}') return match.charAt(0);
      if (style !== '') throw new Error(`unsupported format ${match}`);
      if (name === undefined || name === '') return printed(list[next++]);
      return printed(/^\d+$/.test(name) ? list[Number(name)] : named.get(name));
    },
  );
  return bounded(text);
}
