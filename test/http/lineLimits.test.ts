// Tests where the limits of an infill request end a text, with outputs that arrive in pieces.
import assert from 'node:assert/strict';
import { LineLimits } from '../../server/http/lineLimits';
import { ManualClock } from '../lsp/manualClock';

describe('the limits of an infill request', () => {
  /** Returns the text that belongs to the output, and whether the limits have ended it. */
  const limited = (minIndent: number, pieces: readonly string[]): readonly [string, boolean] => {
    const limits = new LineLimits(minIndent, 0);
    let text = '';
    for (const piece of pieces) {
      text += limits.push(piece);
      if (limits.ended) break;
    }
    return [text + limits.flush(), limits.ended];
  };

  it('end the text before a line with less indentation', () => {
    for (const [minIndent, text, expected] of [
      [2, 'a\n  b\n c', 'a\n  b'],
      [2, 'a\n  b\nc', 'a\n  b'],
      [2, 'a\n  b\n\tc', 'a\n  b'],
      [1, 'a\n b\nc', 'a\n b'],
      [2, 'a\n  b\n\n  \n\n}', 'a\n  b'],
    ] as const)
      for (const pieces of [[text], [...text]])
        assert.deepEqual(limited(minIndent, pieces), [expected, true], JSON.stringify(pieces));
  });

  it('keep lines with enough indentation, empty lines and the first line', () => {
    for (const [minIndent, text] of [
      [2, 'a\n  b\n\n   c\n \n\t\td'],
      [0, 'a\nb\n\nc'],
      [4, 'a'],
      [2, 'a\n'],
      [2, 'a\n \n'],
    ] as const)
      for (const pieces of [[text], [...text]])
        assert.deepEqual(limited(minIndent, pieces), [text, false], JSON.stringify(pieces));
  });

  it('end the text after the time limit, counted from the first piece, but not within the first line', async () => {
    const clock = new ManualClock();
    const limits = new LineLimits(0, 100);
    await clock.pass(1000);
    const seen: [string, boolean][] = [];
    for (const piece of ['a', 'b', 'c\nd', 'e']) {
      seen.push([limits.push(piece), limits.ended]);
      await clock.pass(50);
    }
    assert.deepEqual(seen, [
      ['a', false],
      ['b', false],
      ['c\nd', false],
      ['e', true],
    ]);
    const slow = new LineLimits(0, 100);
    slow.push('a');
    await clock.pass(500);
    slow.push('b');
    assert.equal(slow.ended, false);
    slow.push('\n');
    assert.deepEqual([slow.ended, slow.flush()], [true, '']);
  });
});
