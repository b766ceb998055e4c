// Tests how much a suggestion can span, by the line of its cursor and the setting `multiline`.
import assert from 'node:assert/strict';
import { extentAt, type Extent, type Multiline } from '../../../server/completion/suggestion/extent';
import { contextAt } from '../../support/cursor';

const EXTENTS: readonly (readonly [
  expected: Extent,
  multiline: Multiline,
  document: string,
  language?: string,
])[] = [
  ['block', 'auto', 'const a = ║\n'],
  ['line', 'never', 'const a = ║\n'],
  ['line', 'auto', 'const a = ║ + 1;\n'],
  ['paragraph', 'always', 'const a = ║\n'],
  ['line', 'never', 'if (a) {║\n'],
  ['block', 'auto', 'if (a) {║}\n'],
  ['block', 'always', 'if (a) {║\n'],
  ['line', 'always', 'if (a) {║ b(); }\n'],
  ['block', 'auto', 'f(║)\n'],
  ['block', 'auto', 'a.map((b) =>║);\n'],
  ['block', 'auto', 'def f():║\n', 'python'],
  ['block', 'auto', 'case 1:║\n'],
  ['block', 'auto', 'while true; do║\n', 'shellscript'],
  ['paragraph', 'auto', '{\n  ║\n}\n'],
  ['paragraph', 'auto', '║'],
  ['comment', 'auto', '/**║\n'],
  ['line', 'auto', '/** a */║\n'],
  ['comment', 'auto', 'def f():\n    """║\n', 'python'],
  ['block', 'auto', '    """a"""║\n', 'python'],
  ['line', 'auto', '// f(║\n'],
  ['line', 'auto', '# f(║\n', 'python'],
];

describe('extentAt', () => {
  for (const [expected, multiline, document, language] of EXTENTS)
    it(`is ${expected} at ${JSON.stringify(document)} (${multiline})`, () => {
      assert.equal(extentAt(contextAt(document, language), multiline), expected);
    });
});
