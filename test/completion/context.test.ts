// What is read of a document at a cursor, and that its size does not matter.
import assert from 'node:assert/strict';
import { completionContext, MAX_PREFIX, MAX_SUFFIX, nextLine } from '../../server/completion/prompt/context';
import { contextAt } from '../support/cursor';

const snapshot = (text: string) => ({
  uri: 'a',
  fileName: 'a.ts',
  languageId: 'typescript',
  version: 1,
  text,
});

describe('completionContext', () => {
  it('reads CRLF as one line end and remembers it', () => {
    const context = contextAt('a();\r\n  b(║)\r\nc();\r\n');
    assert.equal(context.eol, '\r\n');
    assert.equal(context.prefix, 'a();\n  b(');
    assert.equal(context.lineAfter, ')');
    assert.equal(nextLine(context), 'c();');
  });

  const units: readonly (readonly [document: string, unit: string, language?: string])[] = [
    ['if (a) {\n  b();\n  ║', '  '],
    ['if (a) {\n    b();\n    ║', '    '],
    ['if (a) {\n\tb();\n\t║', '\t'],
    ['/**\n * a\n * b\n */\nf(\n    c,\n║', '    '],
    ['║\nif a:\n   b\n', '   ', 'python'],
    ['║', '  '],
    ['║', '    ', 'python'],
    ['║', '\t', 'go'],
    ['f(a,\n            b)\n║', '  '],
  ];
  for (const [document, unit, language] of units)
    it(`indents by ${JSON.stringify(unit)} in ${JSON.stringify(document)}`, () => {
      assert.equal(contextAt(document, language).unit, unit);
    });

  it('has the selected item in place of what was typed', () => {
    const context = completionContext(snapshot('a.con"\nb'), 5, { start: 2, end: 6, text: 'concat' });
    assert.equal(context.prefix, 'a.concat');
    assert.equal(context.suffix, '\nb');
    assert.equal(context.lineBefore, 'a.concat');
    assert.equal(context.offset, 5);
    assert.equal(context.selected?.before, 'con');
    assert.equal(context.selected?.behind, '"');
  });

  it('reads no more than it may, and never half a character', () => {
    const half = '😀'.repeat(20_000);
    for (const text of [half + half, `a${half}${half}`, `${half}a${half}`])
      for (const at of [40_000, 40_001, 40_002, 40_003]) {
        const { prefix, suffix, reachesEnd } = completionContext(snapshot(text), at);
        assert.ok(prefix.length <= MAX_PREFIX && suffix.length <= MAX_SUFFIX + 1);
        assert.doesNotMatch(`${prefix}\n${suffix}`, /\p{Surrogate}/u, String(at));
        assert.equal(reachesEnd, false);
      }
  });
});
