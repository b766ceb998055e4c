// Tests the closers of suggestions if the editor has closed strings, comments and brackets after the cursor, as VS Code
// does by its language configurations, or if a text opens a delimiter and does not close it. In fixtures the text
// of the model is in ⟦ ⟧.
import assert from 'node:assert/strict';
import { suggest } from '../../../server/completion/session/suggest';
import { balanceBrackets } from '../../../server/completion/suggestion/balanceBrackets';
import { cleanSuggestion } from '../../../server/completion/suggestion/cleanSuggestion';
import { replacedAfterCursor } from '../../../server/completion/suggestion/replacedClosers';
import { contextAt, markedDocument } from '../../support/cursor';
import { at, resources } from '../suggesting';
import { describeStep } from './describeStep';
import { requestedText, suggestedText, type Case } from './suggestedText';

/** `accepted` is the document after Tab. */
type AcceptedCase = readonly [document: string, accepted: string, language?: string];

/**
 * Texts before closers that the editor has inserted. Reported in microsoft/vscode#187151, continuedev/continue#2169 and
 * codota/TabNine#102, and similar cases.
 */
const BEFORE_CLOSERS: readonly AcceptedCase[] = [
  ['const a = `Hello ${⟦user.name}!`;}⟧}!`;', 'const a = `Hello ${user.name}!`;'],
  ['const a = `Hello ${⟦b}, you are ${c}`;⟧}!`;', 'const a = `Hello ${b}!`;'],
  [
    'const a = `${b.map((c) => `⟦<li>${c}</li>`).join("")}`;⟧`)}`;',
    'const a = `${b.map((c) => `<li>${c}</li>`).join("")}`;',
  ],
  ["it('⟦adds', () => {\n  f();\n});⟧');\n", "it('adds', () => {\n  f();\n});\n"],
  ["const a = { name: '⟦John', age: 30 };⟧' };", "const a = { name: 'John', age: 30 };"],
  ['print(f"{⟦self.name}")⟧}")', 'print(f"{self.name}")', 'python'],
  ['print(f"{⟦a["b"]}, {c}")⟧}")', 'print(f"{a["b"]}, {c}")', 'python'],
  ['print("age: ⟦30")⟧ years")', 'print("age: 30 years")', 'python'],
  ['def f():\n    """⟦Adds."""\n    return⟧"""\n', 'def f():\n    """Adds."""\n    return\n', 'python'],
  ['{\n  "key": "⟦value",\n  "b": 1⟧"\n}', '{\n  "key": "value",\n  "b": 1\n}', 'json'],
  ['<p class="⟦a b">text</p>⟧"></p>', '<p class="a b"></p>', 'html'],
  ['<a href="⟦b">c⟧">\n', '<a href="b">c\n', 'html'],
  ['<!-- ⟦a --> <p>⟧ -->', '<!-- a --> <p>', 'html'],
  ['// f(⟦a) and g⟧)', '// f(a) and g'],
  ['/** (⟦a) of b⟧) */', '/** (a) of b */'],
  ['/**⟦\n * Adds.\n */⟧ */\nf();', '/**\n * Adds.\n */\nf();'],
  ['let a = "⟦b".to_string();⟧";', 'let a = "b".to_string();', 'rust'],
  ['String a = """⟦\n  b\n  """;⟧""";', 'String a = """\n  b\n  """;', 'java'],
  ["SELECT a FROM b WHERE c = '⟦d' AND e = 'f';⟧';", "SELECT a FROM b WHERE c = 'd' AND e = 'f';", 'sql'],
  ['echo "$(⟦date)"⟧)"', 'echo "$(date)"', 'shellscript'],
  ['a { background: url("⟦b.png");⟧");\n}', 'a { background: url("b.png");\n}', 'css'],
  ['a.replace(/(⟦b)/g, c)⟧)/)', 'a.replace(/(b)/)'],
  ['const a = /[/]⟦b/gi;\nc();⟧/;', 'const a = /[/]b/;'],
  ['Use `⟦npm install` to install the project.⟧` to install.', 'Use `npm install` to install.', 'markdown'],
  ['```js\nf(`⟦a`);⟧`);\n```\n', '```js\nf(`a`);\n```\n', 'markdown'],
  ['f({⟦\n  a,\n}, b);⟧});', 'f({\n  a,\n}, b);'],
  // The document lacks closers elsewhere, but not in the cursor's line.
  [
    'a(function () {\n  return function (⟦b, c) {⟧) {\n',
    'a(function () {\n  return function (b, c) {\n',
    'javascript',
  ],
  // The rest of the line closes the call, but not the string.
  ['a = b("⟦c");⟧);\n\nd("e");\n', 'a = b("c");\n\nd("e");\n', 'csharp'],
  // Only in a list can a text end its string and begin the next one, which the quote after the cursor closes.
  ["if c == '⟦x' || c == '\\t⟧' {\n}\n", "if c == 'x' {\n}\n", 'rust'],
  ["if (c == '⟦\\u0041⟧') {\n}\n", "if (c == '\\u0041') {\n}\n", 'java'],
  ["if c == '⟦\\u{1F600}⟧' {\n}\n", "if c == '\\u{1F600}' {\n}\n", 'rust'],
  ["if c == '⟦x' || c == '\\t⟧') {\n}\n", "if c == 'x') {\n}\n", 'c'],
  ['a = "⟦Hello, " + b + "!⟧"\n', 'a = "Hello, "\n', 'python'],
  ["a('⟦b', 'c⟧');\n", "a('b', 'c');\n"],
  ['a = {"⟦b": "c⟧"}\n', 'a = {"b": "c"}\n', 'python'],
  ['<p class="⟦a" id="b⟧">', '<p class="a" id="b">', 'html'],
];

/** Texts that open a delimiter and do not close it. */
const OPENED: readonly AcceptedCase[] = [
  ['⟦const a = "b⟧\n', 'const a = "b"\n'],
  // An escaping backslash at the end is removed, and escaped ones stay.
  ...[1, 2, 3, 4, 5, 7].map((count): AcceptedCase => {
    const [text, kept] = [count, count - (count % 2)].map((n) => `const a = "b${'\\'.repeat(n)}`);
    return [`⟦${text}⟧\n`, `${kept}"\n`];
  }),
  ['⟦const a = "b\nc();⟧\n', '\n'],
  ['⟦a();\nconst b = "c\nd();⟧\n', 'a();\n'],
  ['⟦const a = `Hello ${b.⟧\n', 'const a = `Hello ${b}`\n'],
  ['⟦f(a, { b: [⟧\n', 'f(a, { b: []})\n'],
  ['⟦if (a) {\n  b();⟧\n', 'if (a) {\n  b();\n}\n'],
  ['⟦if (a) {⟧\n', 'if (a) {}\n'],
  ['if ⟦(a) {⟧\n  b();\n}\n', 'if (a) {\n  b();\n}\n'],
  ['const a = ⟦f(b⟧, c);\n', 'const a = f(b, c);\n'],
  ['⟦f(a, // b⟧\n', 'f(a)\n'],
  ['⟦/* a⟧\n', '/* a */\n'],
  ['⟦f(a]⟧\n', 'f(a)\n'],
  ['⟦a = [\n    1,⟧\n', 'a = [\n    1,\n]\n', 'python'],
  ['⟦f(\n    a,\n    b,⟧\n', 'f(\n    a,\n    b,\n)\n', 'rust'],
  ...['c', 'csharp', 'java', 'lua', 'sql', 'swift'].map((language): AcceptedCase => [
    '⟦f(\n    a,\n    b,⟧\n',
    'f(\n    a,\n    b\n)\n',
    language,
  ]),
  ['⟦print(f"{a⟧\n', 'print(f"{a}")\n', 'python'],
  ['⟦def f():\n    """Adds.⟧\n', 'def f():\n    """Adds."""\n', 'python'],
  ['⟦a = `\n  b⟧\n', 'a = `\n  b`\n'],
  ['⟦<style>\n  a {\n    b: c;⟧\n', '<style>\n  a {\n    b: c;\n  }\n</style>\n', 'html'],
  ['<b on:click={⟦({$count⟧}>c</b>\n', '<b on:click={({$count})}>c</b>\n', 'svelte'],
  ['<b on:click={⟦() => f({ a: `${b⟧}>c</b>\n', '<b on:click={() => f({ a: `${b}`})}>c</b>\n', 'svelte'],
  ['<b>{{ ⟦date(⟧ }}</b>\n', '<b>{{ date() }}</b>\n', 'vue'],
  ['<b>⟦{{ date(⟧\n', '<b>{{ date()}}\n', 'vue'],
];

/**
 * Strings and comments that the user has begun and the text ends. The next quote in the document begins another string,
 * and must not be mistaken for the end of this one. All of the text stays.
 */
const BEGUN_BY_USER: readonly (readonly [document: string, language: string])[] = [
  ['<nav class="⟦top wide">⟧\n  <a class="b">c</a>\n</nav>\n', 'html'],
  ['<template>\n  <img alt="⟦Logo" src="a.svg" />⟧\n  <B msg="c" />\n</template>\n', 'vue'],
  ['if [ "${⟦A}" = \'1\' ]; then⟧\n  echo "b"\nfi\n', 'shellscript'],
  ["a: '⟦--b=\"c\"'⟧\nd: 'e'\n", 'yaml'],
  // Its closers are judged together: alone, the quote could begin the string `"]\nd: ["`.
  ['a: ["b⟦c"]⟧\nd: ["e", "f"]\n', 'yaml'],
  ['fn f() {\n    let a = "⟦b".to_string();⟧\n    let c = "d";\n}\n', 'rust'],
  ['<script lang="ts">\n  use({\n    url: ({ page⟦ }) => f(page),⟧\n  });\n</script>\n', 'svelte'],
  ["<A class={f({\n  a: c === '⟦d',⟧\n  'e-f': c === 'e',\n  'g-h': c === 'g',\n})} />\n", 'svelte'],
  // Read as code, the slashes of a URL would hide a quote.
  ["$a = [\n  '⟦b',⟧\n  'c',\n  'https://d.e',\n];\n", 'php'],
  ['a := `⟦b`⟧\nc := `d`\n', 'go'],
  ['def f():\n    """\n    A.\n    ⟦"""⟧\n    return 1\n\n\ndef g():\n    """B."""\n', 'python'],
];

/** Code that puts the end of a file too far away to be read. */
const FAR = '\nint f(void) {\n    return g(h[0]);\n}\n'.repeat(1000);
/** Ends of calls, blocks and lists that begin in a line above, with the part of the text that stays. */
const IN_LONG_FILES: readonly AcceptedCase[] = [
  ['int a(void) {\n    int b = c(d,\n              ⟦e);⟧\n    return b;\n}\n', 'e);'],
  ['int a(void) {\n    int b = c(d,\n              ⟦e);⟧);\n    return b;\n}\n', 'e'],
  ['int a(void) {\n    int b = c(\n        d[\n            ⟦e]);⟧\n    return b;\n}\n', 'e]);'],
  [
    'int a(void) {\n    if (b(c) &&\n        ⟦d(e)) {\n        f();\n    }⟧\n}\n',
    'd(e)) {\n        f();\n    }',
  ],
  ['int a(void) {\n    printf("%d\\n",\n           ⟦b);\n}⟧\n}\n', 'b);'],
  ['int a(void) {\n if (b) {\n ⟦c();\n }⟧\n return d;\n}\n', 'c();\n }'],
  ['int a(int b,\n      ⟦int c)⟧)\n{\n    return b;\n}\n', 'int c'],
];

/** Texts that close a delimiter and open it again, or open one that the document closes. All of the text stays. */
const JOINED: readonly (readonly [document: string, language: string])[] = [
  ['ALTER OPERATOR <= (⟦a, b) SET (⟧\n  RESTRICT = c\n);\n', 'sql'],
  ['expect(a.b(⟦)).toBe(C⟧.D);\n', 'java'],
  ['{\n  "a⟦": 1,\n  "b⟧": 2\n}\n', 'json'],
  ["import ⟦a from '../b⟧';\nc();\n", 'typescript'],
  ['⟦<script>⟧\na();\n</script>\n', 'vue'],
  ['```ts\na(`b`);\n⟦```⟧\n\n# C\n\n```ts\nd();\n```\n', 'markdown'],
  ['```ts\na((b) => {\n  ⟦if (b) {\n    c("it\'s");\n  }⟧\n});\n```\n', 'markdown'],
  ["cat <<EOF\nit's\n⟦EOF⟧\necho 'a'\n", 'shellscript'],
  // The end of the document is too far away to be read.
  [`class A {\n  f() ⟦{⟧\n    b();\n  }\n${'\n  c() {}\n'.repeat(2000)}}\n`, 'typescript'],
  [`{\n  "a": {\n    "b": 1\n  ⟦},⟧\n${'  "c": {},\n'.repeat(2000)}  "d": 1\n}\n`, 'json'],
];

describe('closers in a suggestion', () => {
  for (const [document, language] of [...BEGUN_BY_USER, ...JOINED])
    it(`stay if the document needs them: ${JSON.stringify(document.slice(0, 80))} (${language})`, () => {
      const { inserted } = markedDocument(document);
      const context = contextAt(document, language);
      assert.equal(cleanSuggestion(inserted, context), inserted);
      assert.equal(replacedAfterCursor(inserted, context), 0);
    });

  for (const [document, kept] of IN_LONG_FILES)
    it(`stay in a long file only if the document lacks them: ${JSON.stringify(document)}`, () => {
      for (const text of [document, FAR + document + FAR])
        assert.equal(cleanSuggestion(markedDocument(text).inserted, contextAt(text, 'c')), kept);
    });

  it('do not end a list whose end is too far away to be read', () => {
    const text = `const a = [\n  [1, 2],\n  [3, ⟦4],\n];⟧\n${'  [5, 6],\n'.repeat(3000)}];\n`;
    assert.equal(cleanSuggestion(markedDocument(text).inserted, contextAt(text, 'typescript')), '4],');
  });

  it('do not end a string of several lines', () => {
    const texts = {
      shellscript: 'echo "a\n⟦b"⟧\nc"\n',
      html: '<a class="b\n  ⟦c">⟧\n  d">\n',
      go: 'a := `\n⟦b`⟧\nc`\n',
    };
    for (const [language, document] of Object.entries(texts))
      assert.match(cleanSuggestion(markedDocument(document).inserted, contextAt(document, language)), /^\w$/);
  });

  for (const [document, accepted, language = 'typescript'] of [...BEFORE_CLOSERS, ...OPENED])
    it(`leave the document balanced: ${JSON.stringify(document)} (${language})`, () => {
      const context = contextAt(document, language);
      const { text, offset, inserted } = markedDocument(document);
      const kept = cleanSuggestion(inserted, context);
      const rest = text.slice(offset + replacedAfterCursor(kept, context));
      assert.equal(text.slice(0, offset) + kept + rest, accepted);
      assert.equal(cleanSuggestion(kept, context), kept, 'a second cleaning changes the text');
    });

  it('are added after an operator or a separator at the end is removed', () => {
    const ends = '. , = : ? && || + - * % < ~ ^ @ ! -> .. ?? -- ?.'.split(' ');
    for (const end of [...ends, ...ends.map((mark) => ` ${mark} `), ' /', ' ', '\n', ' ? b'])
      assert.equal(cleanSuggestion(`f(a${end}`, contextAt('║\n')), 'f(a)', end);
    for (const [text, shown] of [
      ['f(a/', 'f(a/)'],
      ['f(a ? b :', 'f(a ? b)'],
      ['f((a) =>', 'f((a) => {})'],
      ['f((a) => ', 'f((a) => {})'],
    ] as const)
      assert.equal(cleanSuggestion(text, contextAt('║\n')), shown, text);
  });

  it('are added to calls and lists without content, but not to conditions, groups and fields', () => {
    for (const [text, shown] of [
      ['for (const a of b', ''],
      ['a();\nfor await (const b', 'a();'],
      ...['if', 'while', 'switch', 'with'].flatMap((word) => [
        [`a();\n${word} (`, 'a();'] as const,
        [`a();\n${word} (b`, `a();\n${word} (b)`] as const,
      ]),
      ['a = (', 'a ='],
      ['f(', 'f()'],
      ['f(a)(', 'f(a)()'],
      ['a = b[', 'a = b'],
      ['a = [', 'a = []'],
      ['a = `b ${', 'a = `b `'],
      ['a = `b ${(', 'a = `b `'],
      ['a = `b ${c(', 'a = `b ${c()}`'],
      ['a = `b ${c(d', 'a = `b ${c(d)}`'],
      ['a = `b ${c(d(', 'a = `b ${c(d())}`'],
    ] as const)
      assert.equal(cleanSuggestion(text, contextAt('║\n')), shown, text);
  });

  it('are not added while a text still arrives, and an open string in it is cut', () => {
    const context = contextAt('║\n');
    assert.equal(cleanSuggestion('if (a) {\n  b();', context, true), 'if (a) {\n  b();');
    assert.equal(cleanSuggestion('if (a) {\n  b(`c\nd', context, true), 'if (a) {');
    assert.equal(cleanSuggestion('const a = `b\nc', context, true), '');
    assert.equal(cleanSuggestion('b();\nc(); // d', context, true), 'b();\nc(); // d');
    assert.equal(cleanSuggestion('b\nc', contextAt('a = `║\n'), true), 'b\nc');
    assert.equal(cleanSuggestion('\n  b: 1;', contextAt('a {║ }\n', 'css'), true), '\n  b: 1;');
  });
});

describeStep(balanceBrackets, [
  ['a closer that follows the cursor', 'f(⟦a);⟧)\n', 'a'],
  ['a surplus closer', 'f(g(⟦a)));⟧)\n', 'a)'],
  ['the end of a function', '{\n  ⟦a();\n}\nb();⟧\n}\n', 'a();\n'],
  ['a closer after a string', 'log("⟦hi (")⟧")\n', 'hi ('],
  ['keeps a closer that the document lacks', 'f(⟦a);⟧\n'],
  ['keeps an opening brace that later lines close', 'class A {\n  f(a⟦): void {⟧\n    b();\n  }\n}\n'],
  ['keeps the end of a block', 'if (a) {⟦\n  b();\n}⟧\n'],
  ['keeps lines that close what the editor has closed', 'if (⟦a) {\n  b();\n}⟧)\n'],
  ['keeps brackets in strings', 'f(⟦"a)", /\\)/⟧)\n'],
  ['keeps brackets in a comment', '// ⟦1) the first⟧\n'],
  ['recognizes Python comments', 'f(⟦a,  # )\n  b⟧)\n', undefined, 'python'],
  ['a comment that would swallow the rest of the line', 'f(⟦a // b⟧)\n', 'a'],
  ['a comment, and closes what is open before it', '⟦f(a, // b⟧\n', 'f(a)'],
  ['distinguishes a lifetime from a string', "fn f(⟦a: &'a str, b: &'a str⟧)\n", undefined, 'rust'],
]);

describe('a doubled quote in a string', () => {
  it('is a character of the string in SQL, which can also span several lines', async () => {
    assert.equal(await requestedText("a = '║';\n", "it''s", 'sql'), "it''s");
    assert.equal(await requestedText("run('select (\n  ║', a);\n", 'b) from c', 'sql'), 'b) from c');
    assert.equal(await requestedText('f(║);\n', "'a''b', ''", 'sql'), "'a''b', ''");
  });
});

describe('an escaped quote in a string of SQL', () => {
  it('is a character of the string, unless the text after it can follow the string', async () => {
    assert.equal(await requestedText("a = '║';\n", "it\\'s", 'sql'), "it\\'s");
    for (const line of [
      "a = 'it\\'s (b';",
      "-- it's",
      "# it's",
      "{# it's #}",
      "a like 'b' escape '\\' and c;",
    ])
      assert.equal(await requestedText(`${line}\nf(║);\ng('d');\n`, "'b');", 'sql'), "'b'", line);
  });
});

describe('a quote after the cursor in YAML', () => {
  it('closes the string of the cursor, however many strings follow', async () => {
    for (const quote of ["'", '"']) {
      const document = `a: ${quote}║${quote}\nb: ${quote}c${quote}\n`;
      assert.equal(await requestedText(document, `17${quote}`, 'yaml'), '17');
      assert.equal(await requestedText(document, `17${quote}\nb: ${quote}c${quote}`, 'yaml'), '17');
    }
    assert.equal(await requestedText("a: '║\nb: 'c'\n", "17'", 'yaml'), "17'");
  });
});

describe('an angle bracket after the cursor', () => {
  const CASES: readonly Case[] = [
    ['let a: Map<║> = b;\n', 'string, Array<number>', 'string, Array<number>'],
    ['let a: Map<║> = b;\n', 'string, Array<number>> = b;', 'string, Array<number>'],
    ['let a: Promise<║>;\n', 'string>;', 'string'],
    ['let a: A<B<║>;\n', 'C<D>>', 'C<D>>'],
    ['let a: A<║>;\n', 'Map<B, () => C>', 'Map<B, () => C>'],
    ['std::map<int, ║> v;\n', 'std::vector<int>> v;', 'std::vector<int>', 'cpp'],
    ['fn f() -> Result<║> {\n}\n', 'Vec<u8>, Box<dyn Error>', 'Vec<u8>, Box<dyn Error>', 'rust'],
    ['<a ║>b</a>\n', 'href="/">', 'href="/"', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`closes what the text does not close: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text within a regular expression', () => {
  for (const document of ['a = /║/;\n', 'a = /║/g;\n', 'b.replace(/║/g, c);\n'])
    it(`keeps quotes and brackets that are characters of it: ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, '^["\'(]+$'), '^["\'(]+$');
    });

  for (const [document, text, shown] of [
    ['a = /b{║}/;\n', '1,3}', '1,3'],
    ['a = /[║]/;\n', 'a-z]', 'a-z'],
    ['a = /║/;\n', '[^"\\-]{1,3}\\}', '[^"\\-]{1,3}\\}'],
  ] as const)
    it(`does not repeat a closer that follows: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text), shown);
    });
});

describe('an empty string as the only argument', () => {
  it('is suggested before the closers of its call', async () => {
    for (const text of ['""', '"");', '"")'])
      assert.equal(await suggestedText('const a = b.split(║);\n', text, 'javascript'), '""');
  });

  it('is decoded again with the whole prompt if the output of the healed prompt lacks the string', async () => {
    // The fake tokenizer heals a word: the model repeats it, and writes no more.
    const used = resources([[' name'], ['Of("")']]);
    const { texts } = await suggest(at(contextAt('const a = name║;\n', 'javascript')), used);
    assert.deepEqual(texts, ['Of("")']);
    assert.equal(used.decoder.prompts.length, 2);
  });
});

describe('a text within a closed bracket or string', () => {
  const CASES: readonly Case[] = [
    ['f(`in ${del║} ms`);\n', 'ayMs}ms, but failed to retry ${name', 'ayMs'],
    ['f(a║) + c;\n', '1) + g(b', '1'],
    ['x = [a║, b];\n', '1], [2', '1'],
    ['s = f"{na║} is here"\n', 'me} and {other', 'me', 'python'],
    ['s = "#{na║} is here"\n', 'me} and #{other', 'me', 'ruby'],
    ['s = "a║ b";\n', 'x", "y', 'x'],
    ['<p><b>del║ more</b></p>\n', 'ete</b> and <b>x', 'ete', 'html'],
    ['<div cla║>a</div>\n', 'ss="x">b</div><div id="y"', 'ss="x"', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`does not go on after its end: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text within a bracket that the editor can have closed', () => {
  it('can close the bracket and open another one', async () => {
    assert.equal(await requestedText('f(║);\n', 'a) + g(b'), 'a) + g(b');
  });
});
