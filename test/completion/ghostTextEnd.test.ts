// Where outputs end, whatever pieces they arrive in: the bar marks where the rule cuts.
import assert from 'node:assert/strict';
import { GhostTextEnd, width, type Multiline, type Width } from '../../server/completion/text/ghostTextEnd';
import { contextAt } from '../support/cursor';

const WIDTHS: readonly (readonly [
  document: string,
  multiline: Multiline,
  expected: Width,
  language?: string,
])[] = [
  ['const a = ║\n', 'auto', 'block'],
  ['const a = ║\n', 'never', 'line'],
  ['const a = ║ + 1;\n', 'auto', 'line'],
  ['const a = ║\n', 'always', 'paragraph'],
  ['if (a) {║\n', 'auto', 'block'],
  ['if (a) {║\n', 'never', 'line'],
  ['if (a) {║}\n', 'auto', 'block'],
  ['if (a) {║ b(); }\n', 'always', 'line'],
  ['f(║)\n', 'auto', 'block'],
  ['a.map((b) =>║);\n', 'auto', 'block'],
  ['def f():║\n', 'auto', 'block', 'python'],
  ['case 1:║\n', 'auto', 'block'],
  ['while true; do║\n', 'auto', 'block', 'shellscript'],
  ['{\n  ║\n}\n', 'auto', 'paragraph'],
  ['║', 'auto', 'paragraph'],
  ['/**║\n', 'auto', 'comment'],
  ['/** a */║\n', 'auto', 'line'],
  ['def f():\n    """║\n', 'auto', 'comment', 'python'],
  ['    """a"""║\n', 'auto', 'block', 'python'],
  ['// f(║\n', 'auto', 'line'],
  ['# f(║\n', 'auto', 'line', 'python'],
];

const CUTS: readonly (readonly [title: string, document: string, output: string, language?: string])[] = [
  ['a line at its end', 'const a = ║\n', 'b;¦\nc();\n'],
  ['the next line where this one is complete', 'a();║\n', '\nb();¦\nc();\n'],
  ['nothing where a new line would tear off the rest', 'f(a║, b)\n', '¦\n  c'],
  ['a block at its end', 'if (a) {║\n', '\n  b();\n}¦\nc();'],
  ['a block whose closer goes on', 'f(() => {║\n', '\n  b();\n});¦\nc();'],
  ['an else', 'if (a) {║\n', '\n  b();\n} else {\n  c();\n}¦\nd();'],
  ['before a dedent', 'def f(a):║\n', '\n    b = a\n    return b¦\n\ndef g():', 'python'],
  ['before a shallow line in a block of brackets', '  if (a) {║\n', '\n    b();¦\nc();'],
  ['before two blank lines', 'def f(a):║\n', '\n    b()¦\n\n\n    c()', 'python'],
  ['before the line that follows', '{\n  ║\n  c();\n}\n', 'a();\n  b();¦\n  c();\n'],
  ['before the closer that follows', 'if (a) {║\n}\n', '\n  b();¦\n}\nc();'],
  ['a paragraph at a blank line', '║\n', 'a();\nb();¦\n\nc();'],
  ['a function with blank lines in it', '║\n', 'function f() {\n  a();\n\n  b();\n}¦\n\nc();'],
  ['a body before the end of the function', '{\n  ║\n', 'a();\n  b();¦\n}\nc();'],
  ['a Python function with blank lines in it', '║\n', 'def f():\n    a()\n\n    b()¦\n\nc()', 'python'],
  ['brackets over several lines', 'const a = [║\n', '\n  1,\n  2,\n];¦\nb();'],
  [
    'a list that goes on behind a comma',
    'CREATE FUNCTION a(b int,║\n',
    '\n  c int,\n  d int);¦\nSELECT 1;',
    'sql',
  ],
  ['brackets in strings', 'f(() => {║\n', '\n  b("}");\n});¦\nc();'],
  ['a call on the same line', 'f(║\n', 'a, b);¦\nc();'],
  ['a documentation comment', '/**║\n', '\n * Adds.\n */¦\nfunction'],
  ['before the end of a comment that is there', '/**║\n */\n', '\n * Adds.¦\n */\nf();'],
  ['a documentation string', 'def f():\n    """║\n', 'Adds."""¦\n    return', 'python'],
  ['before a dedent with tabs', '\tif a {║\n', '\n\t\tb()\n\t}¦\n\tc()', 'go'],
  ['an output that ends before', 'if (a) {║\n', '\n  b();\n¦'],
];

/** The line that is completed opens something itself. */
const OPENED: readonly (readonly [title: string, document: string, output: string, language?: string])[] = [
  ['an object', 'return ║\n}\n', '{\n    a,\n    b,\n  };¦\n}\nc();'],
  ['a condition', '  if ║\n', '(x) {\n    a();\n  }¦\n  b();'],
  ['a function in a call', 'items.║\n', 'map((each) => {\n  return each;\n});¦\nb();'],
  ['arguments', 'f(a, ║\n', 'b(\n  c,\n), d);¦\ne();'],
  ['what is open before the cursor', 'f(a, ║\n', 'b,\n  c);¦\ne();'],
  ['an else', 'if ║\n', '(a) {\n  b();\n} else {\n  c();\n}¦\nd();'],
  ['a function without brackets', 'const f = ║\n', '(a) =>\n  a\n    .b();¦\nc();'],
  ['a line below that opens something', 'a();║\n', '\nif (b) {\n  c();\n}¦\nd();'],
  ['a line above which there is a deeper one', '    a();║\n', '\n  if (b) {\n    c();\n  }¦\n  d();'],
  ['a Python function', 'def ║\n', 'f(x):\n    return x¦\n\ng()', 'python'],
  ['one with a comment', 'def ║\n', 'f(x):  # why\n    return x¦\ng()', 'python'],
  ['one with parameters in lines', 'def ║\n', 'f(\n    x,\n):\n    return x¦\n\ng()', 'python'],
  ['a Python list', 'a = ║\n', '[\n    1,\n]¦\nb()', 'python'],
  ['a comment behind a bracket', 'if ║\n', '(x) { // why (\n  a();\n}¦\nb();'],
  ['a template that is not indented', 'f(║\n', 'a, {\n  b: `\nc {\n}\n`,\n});¦\nd();'],
  ['a string that is not indented', 'def ║\n', 'f():\n    a = """\nb\n"""\n    c()¦\nd()', 'python'],
  ['a Ruby method', 'def ║\n', 'f(x)\n  x.each do |y|\n    y\n  end\nend¦\ng', 'ruby'],
  ['a Ruby block', 'a.each ║\n', 'do |b|\n  b.c\nend¦\nd', 'ruby'],
  ['a Lua function', 'local ║\n', 'function f(x)\n  return x\nend¦\ng()', 'lua'],
  ['a shell loop', 'while ║\n', 'true; do\n  a\ndone¦\nb', 'shellscript'],
  ['the other branches', 'if ║\n', 'a; then\n  b\nelif c; then\n  d\nelse\n  e\nfi¦\nf', 'shellscript'],
  ['an element', '  <║\n</p>', 'ul>\n    <li>a</li>\n  </ul>¦\n</p>', 'html'],
  [
    'a Python function with wrapped parameters',
    'def f(a,\n      b=║\n',
    '1):\n    return a¦\n\ng()',
    'python',
  ],
  ['a function with wrapped parameters', 'function f(\n    a,\n    b: ║\n', 'B) {\n  return a;\n}¦\ng();'],
  ['only the line where its block stands below', 'if ║\n  a();\n}\n', '(x) {¦\n  b();\n}'],
  ['only the line that opens nothing', 'a ║\n', '= { b: [1], c };¦\nd();'],
  ['before a bracket that the editor has closed', 'f(a, ║)\n', 'b¦\nc();'],
  ['at the one of the output', 'items.map(║)\n', '(each) => {\n  return each;\n});¦\nb();'],
];

function feed(rule: GhostTextEnd, pieces: readonly string[]): number {
  for (const piece of pieces) {
    const cut = rule.push(piece);
    if (cut !== undefined) return cut;
  }
  return rule.finish();
}

describe('width', () => {
  for (const [document, multiline, expected, language] of WIDTHS)
    it(`is ${expected} at ${JSON.stringify(document)} (${multiline})`, () => {
      assert.equal(width(contextAt(document, language), multiline), expected);
    });
});

describe('GhostTextEnd', () => {
  for (const [title, document, marked, language] of [...CUTS, ...OPENED])
    it(`ends ${title}`, () => {
      const context = contextAt(document, language);
      const output = marked.replace('¦', '');
      for (const size of [1, 2, 3, 5, 1000]) {
        const pieces = output.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        const cut = feed(new GhostTextEnd(context, width(context, 'auto')), pieces);
        assert.equal(`${output.slice(0, cut)}¦${output.slice(cut)}`, marked, `pieces of ${size}`);
      }
    });

  it('says early that a line lies outside', () => {
    const rule = new GhostTextEnd(contextAt('def f():║\n', 'python'), 'block');
    assert.equal(rule.push('\n    a()\n'), undefined);
    assert.equal(rule.certain, 8);
    assert.equal(rule.push('b'), 8);
  });

  it('goes beyond blank lines when all is wanted, but not beyond two', () => {
    const rule = new GhostTextEnd(contextAt('║'), 'answer');
    assert.equal(feed(rule, ['a();\n\nb();\n\n\nc();']), 10);
  });

  for (const [language, answer, others] of [
    [
      'python',
      'import re\n\ndef f(a):\n    b = 1\n\n    return b',
      ['\n\nprint(f(1))\n', '\ndef g(a):\n    pass\n'],
    ],
    ['typescript', 'function f() {\n  a();\n\n  b();\n}', ['\n\n// More.\n', '\nexport function g() {\n}\n']],
    ['typescript', 'if (a) {\n  b();\n} else {\n  c();\n}\nd();', ['\n\ne();\n']],
  ] as const)
    it(`ends an answer in ${language} after one function`, () => {
      for (const other of others) {
        const output = answer + other + other;
        for (const size of [1, 7, output.length]) {
          const pieces = output.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
          assert.equal(feed(new GhostTextEnd(contextAt('║', language), 'answer'), pieces), answer.length);
        }
      }
    });

  it('ends where the text runs on, in pieces of any size', () => {
    const list = Array.from({ length: 40 }, (_, i) => String(4 + i)).join(', ');
    for (const [document, output, stays] of [
      ['x = 0\nx += 1\nx += 1\n║', 'x += 1\n'.repeat(5), ''],
      ['x = 0\n║', 'x += 1\n'.repeat(5), 'x += 1'],
      ['a = [1, 2, 3, ║]\n', list, '4, 5, 6'],
      [
        '║',
        list
          .split(', ')
          .map((i) => `a${i} = ${i}`)
          .join('\n'),
        'a4 = 4\na5 = 5\na6 = 6',
      ],
    ] as const)
      for (const size of [1, 3, output.length]) {
        const context = contextAt(document, 'python');
        const rule = new GhostTextEnd(context, width(context, 'auto'));
        const pieces = output.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
        assert.equal(output.slice(0, feed(rule, pieces)), stays);
      }
  });
});
