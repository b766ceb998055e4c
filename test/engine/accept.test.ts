// Which drafts pass and which token of the target follows them, whatever way the target has to say its tokens. Pure; no
// model is involved.
import assert from 'node:assert/strict';
import { accept } from '../../server/engine/decode/accept';

describe('accept', () => {
  const table: readonly (readonly [rule: string, drafts: number[], best: number[], tokens: number[]])[] = [
    ['gives the token of the target when nothing was drafted', [], [7], [7]],
    ['adds a bonus token when all drafts are right', [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]],
    ['corrects the first draft when it is wrong', [9, 2, 3], [1, 2, 3, 4], [1]],
    ['corrects the first wrong draft after right ones', [1, 9, 3], [1, 2, 3, 4], [1, 2]],
    ['corrects the last draft', [1, 2, 9], [1, 2, 3, 4], [1, 2, 3]],
    ['does not take up right drafts after a wrong one', [9, 2], [1, 2, 3], [1]],
    ['judges a draft by the row before it, not by its own', [2, 3, 4], [1, 2, 3, 4], [1]],
    ['compares each position, even when all tokens are equal', [5, 5, 5], [5, 5, 6, 5], [5, 5, 6]],
    ['treats token 0 as any other', [0, 0], [0, 0, 0], [0, 0, 0]],
  ];
  for (const [rule, drafts, best, tokens] of table)
    it(rule, () => {
      assert.deepEqual(
        accept(drafts, (row) => best[row] ?? NaN),
        { accepted: tokens.length - 1, tokens },
      );
    });

  it('asks for no row behind the first draft that does not stay', () => {
    const asked: number[] = [];
    accept([1, 2, 3], (row) => {
      asked.push(row);
      return [1, 9][row] ?? NaN;
    });
    assert.deepEqual(asked, [0, 1]);
  });
});
