// Tests the drawing of next edits, as text: [-struck-], {+inserted+}, and new lines after their mark.
import assert from 'node:assert/strict';
import { drawingOf } from '../../../src/nextEdit/drawing';
import { FakeEditor } from './fakeEditor';

/** Returns the document with the drawing of an edit that replaces the first `old` by `fresh`. */
function drawn(text: string, old: string, fresh: string): string {
  const { document } = new FakeEditor(text);
  const drawing = drawingOf(document as never, { offset: text.indexOf(old), old, text: fresh });
  if (drawing === undefined) return text;
  const { struck, inserted, below } = drawing;
  const marks = [
    ...struck.flatMap(({ start, end }) => [
      { at: document.offsetAt(start as never), mark: '[-' },
      { at: document.offsetAt(end as never), mark: '-]' },
    ]),
    ...inserted.map((part) => ({ at: document.offsetAt(part.at as never), mark: `{+${part.text}+}` })),
    ...below.map((part) => ({ at: document.offsetAt(part.at as never), mark: `{${part.text}}` })),
  ];
  let result = text;
  for (const { at, mark } of marks
    .map((item, i) => ({ ...item, i }))
    .sort((a, b) => b.at - a.at || b.i - a.i))
    result = result.slice(0, at) + mark + result.slice(at);
  return result;
}

describe('the drawing of a next edit', () => {
  it('strikes and inserts words, not whole lines', () => {
    assert.equal(drawn('sum(n, m);', 'n, m', 'total, m'), 'sum([-n-]{+total+}, m);');
    assert.equal(drawn('name;', 'name', 'names'), 'name{+s+};');
    assert.equal(drawn('a  = 1;', '  =', ' b ='), 'a {+b+} = 1;');
    assert.equal(drawn('const älter = 1;', 'älter', 'jünger'), 'const [-älter-]{+jünger+} = 1;');
  });

  it('replaces a line that has little in common with the new one', () => {
    assert.equal(
      drawn('  return n + 1;\n', 'return n + 1;', 'throw new Error("no");'),
      '  [-return n + 1-]{+throw new Error("no")+};\n',
    );
    assert.equal(drawn('  f(a).b(c);', 'f(a).b(c)', 'x = (y) => z.q'), '  [-f(a).b(c);-]{+x = (y) => z.q;+}');
  });

  it('replaces a line without the white space that the old and the new line begin with', () => {
    const [old, fresh] = ['f(a).b(c);', 'x = (y) => z.q;'];
    for (const [before, after, start, rest] of [
      ['  ', '    ', '  ', '  '],
      ['    ', '  ', '  ', ''],
      ['  ', '\t', '', '\t'],
    ] as const) {
      const line = before + old;
      const struck = line.slice(start.length);
      assert.equal(drawn(line, line, after + fresh), `${start}[-${struck}-]{+${rest}${fresh}+}`);
    }
  });

  it('draws by words where a third of the letters stay, and the whole line where fewer do', () => {
    assert.equal(drawn('aaa(bbb).ccc', 'aaa(bbb).ccc', 'xxx(bbb).yyy'), '[-aaa-]{+xxx+}(bbb).[-ccc-]{+yyy+}');
    assert.equal(
      drawn('aaaa(bbb).ccc', 'aaaa(bbb).ccc', 'xxxx(bbb).yyy'),
      '[-aaaa(bbb).ccc-]{+xxxx(bbb).yyy+}',
    );
  });

  it('inserts new lines below the line above, and strikes removed lines', () => {
    assert.equal(drawn('a;\nc;\n', 'c;', 'b;\n  d;\nc;'), 'a;{⏎ b; ⏎ d;}\nc;\n');
    assert.equal(drawn('c;\n', 'c;', 'a;\nc;'), '{⏎ a;}c;\n');
    assert.equal(drawn('a;\n  b;\nc;\n', '  b;\n', ''), 'a;\n[-  b;-]\nc;\n');
    assert.equal(drawn('a;\r\nb;\r\nc;\r\n', 'b;\r\n', ''), 'a;\r\n[-b;-]\r\nc;\r\n');
  });

  it('counts lines, and finds changes that are too large to draw', () => {
    const lines = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}();\n`).join('');
    const { document } = new FakeEditor(lines);
    const drawingFor = (old: string, text: string) =>
      drawingOf(document as never, { offset: lines.indexOf(old), old, text });
    const large = drawingFor('b();\nc();\nd();\ne();\n', 'x();\ny();\n');
    assert.deepEqual([large?.removedCount, large?.addedCount, large?.isSmall], [4, 2, false]);
    const { start, end } = large?.range ?? assert.fail();
    assert.deepEqual([start.line, end.line, end.character], [1, 4, 4]);
    assert.equal(large?.diff, '-b();\n-c();\n-d();\n-e();\n+x();\n+y();');
    assert.equal(drawingFor('a', 'x'.repeat(401))?.isSmall, false);
    assert.equal(drawingFor('a', 'x'.repeat(400))?.isSmall, true);
    for (const [old, fresh, isSmall] of [
      ['b();\nc();\nd();\n', '', true],
      ['b();\nc();\nd();\ne();\n', '', false],
      ['', 'x\ny\nz\n', true],
      ['', 'w\nx\ny\nz\n', false],
    ] as const)
      assert.equal(drawingFor(old, fresh)?.isSmall, isSmall, old + fresh);
    assert.equal(drawingFor('b();\n', '')?.isSmall, true);
    assert.equal(drawingFor('b();\n', 'b();\n'), undefined);
  });
});
