// Tests the context of a cursor: the unit of indentation, and the bounds in a document of any size.
import assert from 'node:assert/strict';
import {
  completionContext,
  MAX_PREFIX,
  MAX_SUFFIX,
  nextLine,
} from '../../../server/completion/prompt/context';
import { contextAt } from '../../support/cursor';

describe('completionContext', () => {
  for (const [document, unit, language] of [
    ['if (a) {\n  b();\n  ║', '  ', 'typescript'],
    ['if (a) {\n    b();\n    ║', '    ', 'typescript'],
    ['if (a) {\n\tb();\n\t║', '\t', 'typescript'],
    ['/**\n * a\n * b\n */\nf(\n    c,\n║', '    ', 'typescript'],
    ['║\nif a:\n   b\n', '   ', 'python'],
    ['║', '  ', 'typescript'],
    ['║', '    ', 'python'],
    ['║', '\t', 'go'],
    ['a\n  b\n    c\n      d\n      e\n║', '  ', 'typescript'],
    ['a\n    b\nc\n  d\n║', '  ', 'typescript'],
    ['a\n  b\nc\n    d\ne\n    f\n║', '    ', 'typescript'],
    ['a\n  b\nc\n  d\ne\n\tf\n║', '  ', 'typescript'],
    ['a\n  b\nc\n\td\n║', '\t', 'typescript'],
    ['if a:\n  b\n  ║', '  ', 'python'],
    ['if (a) {\n        b();\n║', '        ', 'typescript'],
    ['if (a) {\n         b();\n║', '  ', 'typescript'],
    ['f(a,\n            b)\n║', '  ', 'typescript'],
  ] as const)
    it(`finds the unit ${JSON.stringify(unit)} in ${JSON.stringify(document)} (${language})`, () => {
      assert.equal(contextAt(document, language).unit, unit);
    });

  it('finds the unit in 12,000 characters on each side', () => {
    const unitBefore = (lines: number) => contextAt(`if a:\n   b\n${'a\n'.repeat(lines)}║`, 'python').unit;
    const unitAfter = (lines: number) => contextAt(`║${'a\n'.repeat(lines)}if a:\n   b\n`, 'python').unit;
    for (const unitAt of [unitBefore, unitAfter])
      assert.deepEqual([5990, 6000].map(unitAt), ['   ', '    '], 'the usual unit of Python');
  });

  it('reads up to 32,768 characters before the cursor, from a start that rarely moves, and 16,384 after it', () => {
    const document = { uri: 'a', fileName: 'a.ts', languageId: 'typescript', text: '1'.repeat(100_000) };
    for (const [at, start] of [
      [32_768, 0],
      [32_769, 4096],
      [36_864, 4096],
      [36_865, 8192],
    ] as const) {
      const { prefix, suffix, beginning, reachesEnd } = completionContext(document, at);
      assert.deepEqual([beginning.length, prefix.length, suffix.length], [start, at - start, 16_384]);
      assert.equal(reachesEnd, false);
    }
    assert.equal(completionContext(document, 100_000 - 16_384).reachesEnd, true);
  });

  it('moves an offset within a character to its end', () => {
    const document = { uri: 'a', fileName: 'a.ts', languageId: 'typescript', text: 'a😀b' };
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((at) => completionContext(document, at).offset),
      [0, 1, 3, 3, 4],
    );
  });

  it('ends lines only at line breaks of the editor, not at a line separator of Unicode', () => {
    const context = contextAt('f(║a\u2028b)\n\n  g\u2028()\n');
    assert.equal(context.lineAfter, 'a\u2028b)');
    assert.equal(nextLine(context), '  g\u2028()');
  });

  it('reads at most MAX_PREFIX and MAX_SUFFIX characters, or one more for a whole emoji after the cursor', () => {
    const half = '😀'.repeat(20_000);
    const document = { uri: 'a', fileName: 'a.ts', languageId: 'typescript' };
    for (const text of [half + half, `a${half}${half}`, `${half}a${half}`])
      for (const at of [40_000, 40_001, 40_002, 40_003]) {
        const { prefix, suffix, reachesEnd } = completionContext({ ...document, text }, at);
        assert.ok(prefix.length <= MAX_PREFIX && suffix.length <= MAX_SUFFIX + 1);
        assert.doesNotMatch(`${prefix}\n${suffix}`, /\p{Surrogate}/u, String(at));
        assert.equal(reachesEnd, false);
      }
  });
});
