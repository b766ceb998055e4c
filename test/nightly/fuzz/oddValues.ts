// Generates unlikely values and texts, and valid ones with a few changes, for all kinds of input.
import * as fc from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Marks raw JSON text that JSON.stringify never writes, such as a number that overflows. */
const RAW = '@raw:';

const PIECES = [
  '',
  ' ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\0',
  '\u2028',
  '\uFEFF',
  '\uFFFD',
  '\x1b[31m',
  '\x7f',
  '\ud83d',
  '\udc4d',
  '👍',
  '👩‍👩‍👧',
  '𠮷',
  'é',
  'ﬀ',
  'שלום',
  'İ',
  '\u0301',
  '"',
  "'",
  '\\',
  '`',
  '${x}',
  ...'{ } [ ] ( ) {{ }} {% %} <|im_end|> <|fim_prefix|> </s> // /* .. ../ / ~ %00 %E0%A4%A : ; , = -- -'.split(
    ' ',
  ),
  ...'NaN null undefined 1e999 constructor __proto__ toString length'.split(' '),
  'def f(x):\n\treturn x',
  'const a = 1;',
];
const NUMBERS = [
  0, 1, -1, 2, 0.5, -0, 255, 256, 1023, 65_535, 65_536, 2_147_483_647, 2_147_483_648, 4_294_967_296,
  9_007_199_254_740_992, 9_223_372_036_854_775_808, -2_147_483_649, 1e-300, 1e300,
];
const RAW_NUMBERS = ['1e999', '-1e999', '18446744073709551616'].map((text) => RAW + text);

/** Chooses among generators by their shares. */
export function mixed<T>(
  ...parts: readonly (readonly [share: number, of: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Joins up to `maxPieces` pieces, each from one of the generators. */
export function joined(maxPieces: number, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(...parts), { maxLength: maxPieces }).map((pieces) => pieces.join(''));
}

/** Short texts with half surrogate pairs, control characters and all kinds of line ends. */
export const oddText: fc.Arbitrary<string> = joined(
  8,
  fc.constantFrom(...PIECES),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

/** Odd texts, of which some are as long as a line of a minified file. */
export const anyText: fc.Arbitrary<string> = mixed(
  [12, oddText],
  [
    1,
    fc
      .tuple(oddText, fc.constantFrom(50, 1000, 20_000))
      .map(([text, times]) => text.slice(0, 8).repeat(times)),
  ],
);

const oddNumber: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...NUMBERS, ...RAW_NUMBERS),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const leaf = fc.oneof(fc.constantFrom<Json>(null, true, false, '', [], {}), oddNumber, oddText);

const nested = (depth: number): Json => (depth === 0 ? 0 : [nested(depth - 1)]);
const NESTED: readonly Json[] = [
  [[]],
  [[1]],
  [null, null],
  { a: { b: [{}] } },
  nested(200),
  `${RAW}${'['.repeat(5000)}${']'.repeat(5000)}`,
];

export const oddValue: fc.Arbitrary<Json> = mixed<Json>(
  [6, leaf],
  [2, fc.array(leaf, { maxLength: 4 })],
  [2, fc.dictionary(oddText, leaf, { maxKeys: 4 })],
  [1, fc.constantFrom(...NESTED)],
);

/** Returns a replacement for one part of a value, given all parts; undefined removes the part. */
type Change = (part: Json, all: readonly Json[]) => Json | undefined;

const change: fc.Arbitrary<Change> = mixed<Change>(
  [4, oddValue.map((value) => () => value)],
  [
    3,
    fc
      .constantFrom(-1, 1, -0.5, 2, 1000, -1e9)
      .map((by) => (part) => (typeof part === 'number' ? part + by : `${jsonText(part)}x`)),
  ],
  [2, fc.nat(60).map((from) => (_, all) => all[from % all.length])],
  [
    4,
    fc.constantFrom<Change>(
      () => undefined,
      jsonText,
      (part) => (isList(part) ? (part[0] ?? null) : [part]),
      (part) => (isList(part) ? [...part, ...part] : [part, part]),
      withRenamedFields,
    ),
  ],
);

function withRenamedFields(part: Json): Json {
  if (typeof part !== 'object' || part === null || isList(part)) return null;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [`${name}_`, value]));
}

/** Returns `value` with up to `maxChanges` changes of parts; sometimes unchanged. */
export function spoilt(value: Json, maxChanges = 3): fc.Arbitrary<Json> {
  // Indices of parts wrap around.
  const edits = fc.array(fc.tuple(fc.nat(10_000), change), { maxLength: maxChanges, size: 'max' });
  return edits.map((list) =>
    list.reduce<Json>((spoiltSoFar, [at, edit]) => edited(spoiltSoFar, at, edit), value),
  );
}

/** Returns a changed value as JSON text; sometimes the text itself is damaged instead. */
export function spoiltJson(value: Json, maxChanges = 3): fc.Arbitrary<string> {
  return mixed([9, spoilt(value, maxChanges).map(jsonText)], [1, damaged(jsonText(value))]);
}

export function jsonText(value: Json): string {
  return JSON.stringify(value).replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1');
}

/** Cuts a text, inserts or removes a piece, or replaces all of it. */
export function damaged(text: string): fc.Arbitrary<string> {
  const place = fc.nat(text.length);
  return fc.oneof(
    place.map((end) => text.slice(0, end)),
    fc.tuple(place, fc.nat(20)).map(([from, length]) => text.slice(0, from) + text.slice(from + length)),
    fc.tuple(place, oddText).map(([at, piece]) => text.slice(0, at) + piece + text.slice(at)),
    oddText,
  );
}

/** Returns `value` with part number `at` changed. */
function edited(value: Json, at: number, edit: Change): Json {
  const text = JSON.stringify(value);
  const parts: Json[] = [];
  JSON.parse(text, (_, part: Json) => {
    parts.push(part);
    return part;
  });
  let partsLeft = at % parts.length;
  const result = JSON.parse(text, (_, part: Json) => {
    const next = (partsLeft -= 1) === -1 ? edit(part, parts) : part;
    // Drops the holes that removed items leave in a list.
    return next !== undefined && isList(next) ? next.filter(() => true) : next;
  }) as Json | undefined;
  return result ?? null;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
