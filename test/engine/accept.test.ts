// Which drafts pass and which token of the target follows them: by the target's own choice, and by rejection with
// chances that the test chooses. Pure; no model is involved.
import assert from 'node:assert/strict';
import { acceptMatching, acceptRejecting, type RejectionRow } from '../../server/engine/accept';
import type { Chances } from '../../server/engine/sampling/chances';
import { certain, distribution } from '../../server/engine/sampling/distribution';

describe('acceptMatching', () => {
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
        acceptMatching(drafts, (row) => best[row] ?? NaN),
        { accepted: tokens.length - 1, tokens },
      );
    });

  it('asks for no choice that it does not need', () => {
    const asked: number[] = [];
    acceptMatching([1, 2, 3], (row) => {
      asked.push(row);
      return [1, 9][row] ?? NaN;
    });
    assert.deepEqual(asked, [0, 1]);
  });
});

describe('acceptRejecting', () => {
  const p = distribution([0, 1, 2], [0.5, 0.3, 0.2]);
  const q = distribution([0, 1], [0.8, 0.2]);
  const row = (chances: Partial<Chances>): RejectionRow => ({
    target: p,
    draft: q,
    chances: { draft: 0, accept: 0, token: 0, ...chances },
  });

  it('keeps a draft while chance is below the quotient of both probabilities', () => {
    const kept = (draft: number, accept: number) =>
      acceptRejecting([draft], () => row({ accept })).accepted === 1;
    assert.ok(kept(0, 0.624) && !kept(0, 0.626), '0.5 / 0.8');
    assert.ok(kept(1, 0.999999), '0.3 / 0.2');
  });

  it('never keeps what the target cannot say', () => {
    const { tokens } = acceptRejecting([7], () => ({ ...row({}), draft: certain(7) }));
    assert.deepEqual(tokens, [0]);
  });

  it('corrects a refused draft from what the drafter has too little of', () => {
    const correction = (token: number) => acceptRejecting([0], () => row({ accept: 0.9, token })).tokens;
    // 0.1 of token 1 and 0.2 of token 2.
    assert.deepEqual(
      [correction(0), correction(0.33), correction(0.34), correction(0.99)],
      [[1], [1], [2], [2]],
    );
  });

  it('adds a bonus token of the target when all drafts stay', () => {
    const rows = [row({}), row({}), { ...row({ token: 0.95 }), draft: certain(9) }];
    const verdict = acceptRejecting([1, 0], (i) => rows[i] ?? row({}));
    assert.deepEqual(verdict, { accepted: 2, tokens: [1, 0, 2] });
  });

  it('asks for no row behind the first refused draft', () => {
    const asked: number[] = [];
    const { accepted } = acceptRejecting([1, 0, 1], (i) => {
      asked.push(i);
      return row({ accept: 0.9, token: 0 });
    });
    assert.equal(accepted, 1);
    assert.deepEqual(asked, [0, 1]);
  });
});
