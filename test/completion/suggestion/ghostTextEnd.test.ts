// Tests the end of ghost text in outputs that arrive in pieces of any size; a bar marks the cut.
import assert from 'node:assert/strict';
import { extentAt } from '../../../server/completion/suggestion/extent';
import { GhostTextEnd } from '../../../server/completion/suggestion/ghostTextEnd';
import { contextAt } from '../../support/cursor';

type Case = readonly [title: string, document: string, output: string, language?: string];

const CUTS: readonly Case[] = [
  ['a line at its end', 'const a = ║\n', 'b;¦\nc();\n'],
  ['the next line if the line of the cursor is complete', 'a();║\n', '\nb();¦\nc();\n'],
  ['immediately where a new line would tear off the rest', 'f(a║, b)\n', '¦\n  c'],
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
  ['a list that goes on after a comma', 'CREATE FUNCTION a(b,║\n', '\n  c,\n  d);¦\nSELECT 1;', 'sql'],
  ['a list whose brackets the editor has closed', 'a = f(║);\n', 'b,\n  c,\n  d);¦\ne();'],
  ['a call on the same line', 'f(║\n', 'a, b);¦\nc();'],
  ['a documentation comment', '/**║\n', '\n * Adds.\n */¦\nfunction'],
  ['before the end of a comment that is there', '/**║\n */\n', '\n * Adds.¦\n */\nf();'],
  ['a documentation string', 'def f():\n    """║\n', 'Adds."""¦\n    return', 'python'],
  ['where the output stops within a block', 'if (a) {║\n', '\n  b();\n¦'],
  ['before a line less indented than the first line', '{\n  ║\n', '  a();¦\n  b();'],
  ['after one blank line below a complete line', 'a();║\n', '\n\nb();¦\nc();'],
  ['before two blank lines, that of the cursor included', '{\n  ║\n', '¦\n\n  a();'],
  ['before an end tag whose element begins above', '<div>\n║\n', '<p>a</p>¦\n</div>', 'html'],
  ['a call in a language named "constructor"', 'f(║\n', 'a, b);¦\nc();', 'constructor'],
];

/** Documents in which the completed line itself can open a block. */
const OPENED: readonly Case[] = [
  ['an object', 'return ║\n}\n', '{\n    a,\n    b,\n  };¦\n}\nc();'],
  ['a condition', '  if ║\n', '(x) {\n    a();\n  }¦\n  b();'],
  ['arguments', 'f(a, ║\n', 'b(\n  c,\n), d);¦\ne();'],
  ['a call that is open before the cursor', 'f(a, ║\n', 'b,\n  c);¦\ne();'],
  ['a function without brackets', 'const f = ║\n', '(a) =>\n  a\n    .b();¦\nc();'],
  ['a block below a deeper line', '    a();║\n', '\n  if (b) {\n    c();\n  }¦\n  d();'],
  ['a Python function', 'def ║\n', 'f(x):\n    return x¦\n\ng()', 'python'],
  ['a block whose first line ends in a comment', 'if ║\n', '(x) { // why (\n  a();\n}¦\nb();'],
  ['a template that is not indented', 'f(║\n', 'a, {\n  b: `\nc {\n}\n`,\n});¦\nd();'],
  ['a string that is not indented', 'def ║\n', 'f():\n    a = """\nb\n"""\n    c()¦\nd()', 'python'],
  ['a Ruby method', 'def ║\n', 'f(x)\n  x.each do |y|\n    y\n  end\nend¦\ng', 'ruby'],
  ['a Ruby method before another end', 'def ║\n', 'f(x)\n  x\nend¦\nend\n', 'ruby'],
  ['a Ruby block', 'a.each ║\n', 'do |b|\n  b.c\nend¦\nd', 'ruby'],
  ['a Lua function', 'local ║\n', 'function f(x)\n  return x\nend¦\ng()', 'lua'],
  ['a shell loop', 'while ║\n', 'true; do\n  a\ndone¦\nb', 'shellscript'],
  [
    'a shell condition with all of its branches',
    'if ║\n',
    'a; then\n  b\nelif c; then\n  d\nelse\n  e\nfi¦\nf',
    'shellscript',
  ],
  ['an element', '  <║\n</p>', 'ul>\n    <li>a</li>\n  </ul>¦\n</p>', 'html'],
  ['a function with wrapped parameters in Python', 'def f(a,\n      b=║\n', '1):\n    c()¦\n\ng()', 'python'],
  [
    'a Python function whose last line of parameters closes two brackets',
    'def f(\n    a=(1,\n       2)):║\n',
    '\n    return a¦\n\ng()',
    'python',
  ],
  ['a function with wrapped parameters', 'function f(\n    a,\n    b: ║\n', 'B) {\n  return a;\n}¦\ng();'],
  ['after a line whose block is already below', 'if ║\n  a();\n}\n', '(x) {¦\n  b();\n}'],
  ['after a line that opens no block', 'a ║\n', '= { b: [1], c };¦\nd();'],
  ['before a bracket that the editor has closed', 'f(a, ║)\n', 'b¦\nc();'],
  [
    'at the closer of the output instead of the one of the editor',
    'items.map(║)\n',
    '(each) => {\n  return each;\n});¦\nb();',
  ],
];

/** Returns the kept part of an output, after asserting that pieces of any size lead to the same one. */
function kept(output: string, rule: () => GhostTextEnd): string {
  const ends = [1, 2, 3, 5, 1000].map((size) => {
    const end = rule();
    const pieces = output.match(new RegExp(`[^]{1,${String(size)}}`, 'g')) ?? [];
    return pieces.map((piece) => end.push(piece)).find((cut) => cut !== undefined) ?? end.finish();
  });
  assert.equal(new Set(ends).size, 1, ends.join());
  return output.slice(0, ends[0]);
}

describe('GhostTextEnd', () => {
  for (const [title, document, marked, language] of [...CUTS, ...OPENED])
    it(`ends ${title}`, () => {
      const context = contextAt(document, language);
      const rule = () => new GhostTextEnd(context, extentAt(context, 'auto'));
      assert.equal(kept(marked.replace('¦', ''), rule), marked.split('¦')[0]);
    });

  it('finds early that a line is outside of the block', () => {
    const rule = new GhostTextEnd(contextAt('def f():║\n', 'python'), 'block');
    assert.equal(rule.push('\n    a()\n'), undefined);
    assert.equal(rule.certain, 8);
    assert.equal(rule.push('b'), 8);
  });

  for (const [language, answer, continuations] of [
    ['typescript', 'a();\n\nb();', ['\n\n\nc();']],
    [
      'python',
      'import re\n\ndef f(a):\n    b = 1\n\n    return b',
      ['\n\nf(1)\n', '\ndef g(a):\n    pass\n'],
    ],
    ['typescript', 'function f() {\n  a();\n\n  b();\n}', ['\n\n// More.\n', '\nexport function g() {\n}\n']],
    ['typescript', 'if (a) {\n  b();\n} else {\n  c();\n}\nd();', ['\n\ne();\n']],
  ] as const)
    it(`ends an answer after one function or two blank lines: ${JSON.stringify(answer)}`, () => {
      for (const continuation of continuations) {
        const rule = () => new GhostTextEnd(contextAt('║', language), 'answer');
        assert.equal(kept(answer + continuation + continuation, rule), answer);
      }
    });

  const list = Array.from({ length: 40 }, (_, i) => String(4 + i));
  for (const [document, output, expected] of [
    ['x = 0\nx += 1\nx += 1\n║', 'x += 1\n'.repeat(5), ''],
    ['x = 0\n║', 'x += 1\n'.repeat(5), 'x += 1'],
    ['a = [1, 2, 3, ║]\n', list.join(', '), '4, 5, 6'],
    ['║', list.map((i) => `a${i} = ${i}`).join('\n'), 'a4 = 4\na5 = 5\na6 = 6'],
  ] as const)
    it(`ends a text that repeats itself or counts on at ${JSON.stringify(document)}`, () => {
      const context = contextAt(document, 'python');
      assert.equal(
        kept(output, () => new GhostTextEnd(context, extentAt(context, 'auto'))),
        expected,
      );
    });
});
