// Values, texts and bytes that are unlikely, and right ones with a few places changed, for all kinds of input. Nothing
// here knows what they are sent to.
import * as fc from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Stands in JSON text for what no value is written as, such as a number that overflows. */
const RAW = '@raw:';

const PIECES = [
  ...['', ' ', '\n', '\r\n', '\r', '\t', '\0', '\u2028', '\uFEFF', '\uFFFD', '\x1b[31m', '\x7f'],
  ...['\ud83d', '\udc4d', '👍', '👩‍👩‍👧', '𠮷', 'é', 'ﬀ', 'שלום', 'İ', '\u0301', '"', "'", '\\', '`', '${x}'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '{{',
    '}}',
    '{%',
    '%}',
    '<|im_end|>',
    '<|fim_prefix|>',
    '</s>',
    '//',
    '/*',
  ],
  ...[
    '..',
    '../',
    '/',
    '~',
    '%00',
    '%E0%A4%A',
    ':',
    ';',
    ',',
    '=',
    '--',
    '-',
    'NaN',
    'null',
    'undefined',
    '1e999',
  ],
  ...['constructor', '__proto__', 'toString', 'length', 'def f(x):\n\treturn x', 'const a = 1;'],
] as const;

/** Short, with whatever text can have: half a surrogate pair, control characters, line ends of all kinds. */
export const oddText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(...PIECES),
      fc.string({ maxLength: 8 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((pieces) => pieces.join(''));

/** At times as long as a line of a minified file. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: oddText },
  {
    weight: 1,
    arbitrary: fc
      .record({ text: oddText, times: fc.constantFrom(50, 1000, 20_000) })
      .map(({ text, times }) => text.slice(0, 8).repeat(times)),
  },
);

export const oddNumber: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    ...[
      0,
      1,
      -1,
      2,
      0.5,
      -0,
      255,
      256,
      1023,
      65_535,
      65_536,
      2 ** 31 - 1,
      2 ** 31,
      2 ** 32,
      2 ** 53,
      2 ** 63,
    ],
    ...[-(2 ** 31) - 1, 1e-300, 1e300, `${RAW}1e999`, `${RAW}-1e999`, `${RAW}18446744073709551616`],
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, '', [], {}),
  oddNumber,
  oddText,
);

export const oddValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 2, arbitrary: fc.array(leaf, { maxLength: 4 }) },
  { weight: 2, arbitrary: fc.dictionary(oddText, leaf, { maxKeys: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json>(
      [[]],
      [[1]],
      [null, null],
      { a: { b: [{}] } },
      nested(200),
      `${RAW}${'['.repeat(5000)}${']'.repeat(5000)}`,
    ),
  },
);

function nested(depth: number): Json {
  return depth === 0 ? 0 : [nested(depth - 1)];
}

/** What is done at one place of a value. */
type Change =
  | { readonly kind: 'replace'; readonly value: Json }
  | { readonly kind: 'remove' | 'twice' | 'text' | 'list' | 'rename' }
  | { readonly kind: 'nudge'; readonly by: number }
  | { readonly kind: 'copy'; readonly from: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: oddValue.map((value): Change => ({ kind: 'replace', value })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(-1, 1, -0.5, 2, 1000, -1e9).map((by): Change => ({ kind: 'nudge', by })),
  },
  { weight: 2, arbitrary: fc.nat(60).map((from): Change => ({ kind: 'copy', from })) },
  {
    weight: 4,
    arbitrary: fc.constantFrom('remove', 'twice', 'text', 'list', 'rename').map((kind): Change => ({ kind })),
  },
);

interface Edit {
  /** Which of all places, counted on and on. */
  readonly at: number;
  readonly change: Change;
}

/** `value` with up to three places changed; as it is in a few. */
export function spoilt(value: Json, most = 3): fc.Arbitrary<Json> {
  return fc
    .array(fc.record({ at: fc.nat(10_000), change }), { maxLength: most, minLength: 0, size: 'max' })
    .map((edits: Edit[]) => edits.reduce(edited, value));
}

/** The same as JSON text, at times damaged as a text. */
export function spoiltJson(value: Json, most = 3): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: spoilt(value, most).map(jsonText) },
    { weight: 1, arbitrary: damaged(jsonText(value)) },
  );
}

export function jsonText(value: Json): string {
  return JSON.stringify(value).replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1');
}

/** Cut, with a piece put in or left out. */
export function damaged(text: string): fc.Arbitrary<string> {
  const place = fc.nat(text.length);
  return fc.oneof(
    place.map((end) => text.slice(0, end)),
    fc
      .record({ from: place, length: fc.nat(20) })
      .map(({ from, length }) => text.slice(0, from) + text.slice(from + length)),
    fc
      .record({ at: place, piece: oddText })
      .map(({ at, piece }) => text.slice(0, at) + piece + text.slice(at)),
    oddText,
  );
}

type Path = readonly (string | number)[];

function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const parts = isList(value) ? [...value.entries()] : Object.entries(value);
  // Long lists, such as vocabularies, are all alike.
  const told = parts.length > 400 ? [...parts.slice(0, 20), ...parts.slice(-4)] : parts;
  return [
    path,
    ...told.flatMap(([key, part]: readonly [string | number, Json]) => pathsOf(part, [...path, key])),
  ];
}

function edited(value: Json, { at, change: what }: Edit): Json {
  const paths = pathsOf(value);
  const path = paths[at % paths.length] ?? [];
  const copied = what.kind === 'copy' ? partOf(value, paths[what.from % paths.length] ?? []) : null;
  return changedAt(value, path, (part) => changed(part, what, copied));
}

function partOf(value: Json, path: Path): Json {
  return path.reduce<Json>((part, key) => (part as Record<string | number, Json>)[key] ?? null, value);
}

const GONE = Symbol('gone');

function changed(part: Json, what: Change, copied: Json): Json | typeof GONE {
  if (what.kind === 'replace') return what.value;
  if (what.kind === 'copy') return copied;
  if (what.kind === 'remove') return GONE;
  if (what.kind === 'text') return jsonText(part);
  if (what.kind === 'list') return isList(part) ? (part[0] ?? null) : [part];
  if (what.kind === 'twice') return isList(part) ? [...part, ...part] : [part, part];
  if (what.kind === 'nudge') return typeof part === 'number' ? part + what.by : `${jsonText(part)}x`;
  return typeof part === 'object' && part !== null && !isList(part)
    ? Object.fromEntries(Object.entries(part).map(([name, each]) => [`${name}_`, each]))
    : null;
}

function changedAt(value: Json, path: Path, work: (part: Json) => Json | typeof GONE): Json {
  const [key, ...rest] = path;
  if (key === undefined) {
    const all = work(value);
    return all === GONE ? null : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (part: Json): Json | typeof GONE =>
    rest.length === 0 ? work(part) : changedAt(part, rest, work);
  if (isList(value))
    return value.flatMap((part, i) => {
      const next = i === key ? inner(part) : part;
      return next === GONE ? [] : [next];
    });
  const entries = Object.entries(value).flatMap(([name, part]): [string, Json][] => {
    const next = name === key ? inner(part) : part;
    return next === GONE ? [] : [[name, next]];
  });
  return Object.fromEntries(entries);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
