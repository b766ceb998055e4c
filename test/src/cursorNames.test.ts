// Tests the names before the cursor that are looked up.
import assert from 'node:assert/strict';
import { calledName, receiver } from '../../src/ghostText/cursorNames';

describe('the name before the cursor', () => {
  const RECEIVERS: Readonly<Record<string, string | undefined>> = {
    '  cart.': 'cart',
    '  return this.db.que': 'this.db',
    'if (user?.address?.': 'user?.address',
    'this.': undefined,
    'self.na': undefined,
    'super.': undefined,
    'cls.make': undefined,
    'open(path).': undefined,
    'rows[0].': undefined,
    cart: undefined,
    '': undefined,
  };
  const CALLED: Readonly<Record<string, string | undefined>> = {
    'draw(': 'draw',
    'const db = await Database.open(path, ': 'Database.open',
    'draw(scale(2), ': 'draw',
    'draw(scale(': 'scale',
    ...Object.fromEntries(
      'if for while switch catch return function def class await'
        .split(' ')
        .map((word) => [`${word}(`, undefined]),
    ),
    'draw(1)': undefined,
    '(a, ': undefined,
  };
  for (const [what, find, lines] of [
    ['receiver', receiver, RECEIVERS],
    ['called function', calledName, CALLED],
  ] as const)
    it(`is found if it is a ${what}`, () => {
      for (const [line, expected] of Object.entries(lines)) {
        const found = find(line);
        assert.equal(found?.text, expected, line);
        if (found) assert.ok(line.startsWith(/[\w$]+$/.exec(found.text)?.[0] ?? '?', found.at), line);
      }
    });
});
