// Brackets that are code, apart from those in strings, comments and regular expressions.
import assert from 'node:assert/strict';
import { brackets } from '../../server/completion/brackets';

const CASES: readonly (readonly [text: string, language: string, open: string, closing: string])[] = [
  ['f(a[b], { c })', 'typescript', '', ''],
  ['f(() => {', 'typescript', '({', ''],
  ['}); g(', 'typescript', '(', '})'],
  ['"(" + \'[\' + `{`', 'typescript', '', ''],
  ['"it\\"s (" + (', 'typescript', '(', ''],
  ['a /* ( */ // [\n{', 'typescript', '{', ''],
  ['a.replace(/[(]\\/\\(/g, b', 'typescript', '(', ''],
  ['a / (b / c', 'typescript', '(', ''],
  ["don't (", 'typescript', '(', ''],
  ['`unfinished (', 'typescript', '', ''],
  ['a `', 'typescript', '', ''],
  ['a = [  # (', 'python', '[', ''],
  ['"""a ( b\n"""\n(', 'python', '(', ''],
  ["fn f<'a>(a: &'a str) {", 'rust', '{', ''],
  ["let a = '('; (", 'rust', '(', ''],
  ["it's (fine", 'markdown', '(', ''],
  ['(a]', 'typescript', '(', ']'],
  ['[(]', 'typescript', '', ''],
];

describe('brackets', () => {
  for (const [text, language, open, closing] of CASES)
    it(`of ${JSON.stringify(text)} (${language})`, () => {
      const found = brackets(text, language);
      assert.equal(found.open.map(({ character }) => character).join(''), open);
      assert.equal(found.closing.map(({ character }) => character).join(''), closing);
    });

  it('are found in a text so long that each character must be read once only', () => {
    const text = 'const a = f({ b: [1, 2], c: "(" }); // )\n'.repeat(8000) + '/'.repeat(500_000);
    assert.deepEqual(brackets(text, 'typescript'), { open: [], closing: [] });
  });
});
