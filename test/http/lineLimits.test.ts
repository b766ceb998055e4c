// Where the line limits of /infill end a text, whatever pieces it comes in.
import assert from 'node:assert/strict';
import { LineLimits, tooLittleIndented } from '../../server/http/infill';

function limited(
  pieces: readonly string[],
  minIndent: number,
  times: readonly number[] = [],
  maxMs = 0,
): string {
  let turn = 0;
  const lines = new LineLimits({ minIndent, maxMs }, () => times[turn] ?? 0);
  let text = '';
  for (const piece of pieces) {
    text += lines.push(piece);
    turn += 1;
    if (lines.ended) return text;
  }
  return text + lines.flush();
}

describe('LineLimits', () => {
  const text = 'a + b;\n\n    const c = 1;\n  return c;\n}\n';
  const ends: readonly (readonly [number, string])[] = [
    [0, text],
    [1, 'a + b;\n\n    const c = 1;\n  return c;'],
    [3, 'a + b;\n\n    const c = 1;'],
    [5, 'a + b;'],
  ];
  for (const [minIndent, expected] of ends)
    it(`keeps lines that are indented by ${String(minIndent)}, in whatever pieces they come`, () => {
      assert.equal(limited([text], minIndent), expected);
      assert.equal(limited([...text], minIndent), expected);
      for (let cut = 1; cut < text.length; cut++)
        assert.equal(limited([text.slice(0, cut), text.slice(cut)], minIndent), expected);
      assert.equal(tooLittleIndented(minIndent)?.(text) ?? false, expected !== text);
      assert.equal(tooLittleIndented(minIndent)?.(expected) ?? false, false);
    });

  it('keeps white space at the end of an output that ended on its own', () => {
    assert.equal(limited(['a\n', '  \n'], 2), 'a\n  \n');
  });

  it('ends after its time, but not before the first line does', () => {
    assert.equal(limited(['a', 'b', 'c\nd', 'e'], 0, [0, 50, 100, 150], 20), 'abc\nd');
    assert.equal(limited(['a\nb', 'c', 'd'], 0, [0, 20, 21], 20), 'a\nbcd');
    assert.equal(limited(['a\nb', 'c', 'd'], 0, [0, 900, 901]), 'a\nbcd');
  });
});
