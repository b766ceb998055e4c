// Where outputs end, whatever pieces they arrive in: the bar marks where the rule cuts.
import assert from 'node:assert/strict';
import { StopRule, width, type Multiline, type Width } from '../../server/completion/ghostTextEnd';
import { contextAt } from '../support/cursor';

const WIDTHS: readonly (readonly [
  document: string,
  multiline: Multiline,
  expected: Width,
  language?: string,
])[] = [
  ['const a = ║\n', 'auto', 'line'],
  ['const a = ║\n', 'always', 'paragraph'],
  ['if (a) {║\n', 'auto', 'block'],
  ['if (a) {║\n', 'never', 'line'],
  ['if (a) {║}\n', 'auto', 'block'],
  ['if (a) {║ b(); }\n', 'always', 'line'],
  ['f(║)\n', 'auto', 'block'],
  ['a.map((b) =>║);\n', 'auto', 'block'],
  ['def f():║\n', 'auto', 'block', 'python'],
  ['case 1:║\n', 'auto', 'line'],
  ['while true; do║\n', 'auto', 'block', 'shellscript'],
  ['{\n  ║\n}\n', 'auto', 'paragraph'],
  ['║', 'auto', 'paragraph'],
  ['/**║\n', 'auto', 'comment'],
  ['/** a */║\n', 'auto', 'line'],
  ['def f():\n    """║\n', 'auto', 'comment', 'python'],
  ['    """a"""║\n', 'auto', 'line', 'python'],
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
  ['brackets in strings', 'f(() => {║\n', '\n  b("}");\n});¦\nc();'],
  ['a call on the same line', 'f(║\n', 'a, b);¦\nc();'],
  ['a documentation comment', '/**║\n', '\n * Adds.\n */¦\nfunction'],
  ['before the end of a comment that is there', '/**║\n */\n', '\n * Adds.¦\n */\nf();'],
  ['a documentation string', 'def f():\n    """║\n', 'Adds."""¦\n    return', 'python'],
  ['before a dedent with tabs', '\tif a {║\n', '\n\t\tb()\n\t}¦\n\tc()', 'go'],
  ['an output that ends before', 'if (a) {║\n', '\n  b();\n¦'],
];

function feed(rule: StopRule, pieces: readonly string[]): number {
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

describe('StopRule', () => {
  for (const [title, document, marked, language] of CUTS)
    it(`ends ${title}`, () => {
      const context = contextAt(document, language);
      const output = marked.replace('¦', '');
      for (const size of [1, 2, 3, 5, 1000]) {
        const pieces = output.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        const cut = feed(new StopRule(context, width(context, 'auto')), pieces);
        assert.equal(`${output.slice(0, cut)}¦${output.slice(cut)}`, marked, `pieces of ${size}`);
      }
    });

  it('says early that a line lies outside', () => {
    const rule = new StopRule(contextAt('def f():║\n', 'python'), 'block');
    assert.equal(rule.push('\n    a()\n'), undefined);
    assert.equal(rule.certain, 8);
    assert.equal(rule.push('b'), 8);
  });

  it('goes beyond blank lines when all is wanted, but not beyond two', () => {
    const rule = new StopRule(contextAt('║'), 'rest');
    assert.equal(feed(rule, ['a();\n\nb();\n\n\nc();']), 10);
  });
});
