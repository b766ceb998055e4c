// What stands before a cursor: receivers and called functions.
import assert from 'node:assert/strict';
import { calledName, receiver } from '../../server/rules/imports';

describe('the receiver before a cursor', () => {
  const LINES: readonly (readonly [line: string, receiver: string | undefined])[] = [
    ['  cart.', 'cart'],
    ['  return this.db.que', 'this.db'],
    ['if (user?.address?.', 'user?.address'],
    ['this.', undefined],
    ['self.na', undefined],
    ['open(path).', undefined],
    ['rows[0].', undefined],
    ['cart', undefined],
    ['', undefined],
  ];
  for (const [line, expected] of LINES)
    it(`at ${JSON.stringify(line)}`, () => {
      const found = receiver(line);
      assert.equal(found?.text, expected);
      if (found) assert.ok(line.startsWith(/[\w$]+$/.exec(found.text)?.[0] ?? '?', found.at));
    });
});

describe('the function whose arguments are written', () => {
  const LINES: readonly (readonly [line: string, called: string | undefined])[] = [
    ['draw(', 'draw'],
    ['const db = await Database.open(path, ', 'Database.open'],
    ['draw(scale(2), ', 'draw'],
    ['draw(scale(', 'scale'],
    ['if (', undefined],
    ['draw(1)', undefined],
    ['(a, ', undefined],
  ];
  for (const [line, expected] of LINES)
    it(`at ${JSON.stringify(line)}`, () => {
      const found = calledName(line);
      assert.equal(found?.text, expected);
      if (found) assert.ok(line.startsWith(/[\w$]+$/.exec(found.text)?.[0] ?? '?', found.at));
    });
});
