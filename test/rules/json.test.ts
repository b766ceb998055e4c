// Tests the limits for JSON of other programs: brackets in strings are not levels, and every value has a cost.
import assert from 'node:assert/strict';
import { beyondLimit, parseJson } from '../../server/rules/json';

const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);

describe('JSON of other programs', () => {
  it('can have 200 levels, not counting those that are closed and brackets in strings', () => {
    assert.deepEqual(parseJson('[1,{"a":null}]'), [1, { a: null }]);
    assert.ok(Array.isArray(parseJson(nested(200))));
    assert.throws(() => parseJson(nested(202)), /^SyntaxError: more than 200 levels$/);
    assert.equal(beyondLimit(`[${'[],'.repeat(300)}1]`), undefined);
    assert.equal(beyondLimit(`["${'[{'.repeat(300)}"]`), undefined);
    // A string goes on after an escaped quote, but not after an escaped backslash.
    assert.equal(beyondLimit(`["\\"${'['.repeat(300)}"]`), undefined);
    assert.equal(beyondLimit(`["\\\\",${'['.repeat(300)}`), 'levels');
  });

  it('costs more the more values it has', () => {
    // An opening bracket costs 8, a string 4, a comma 1, and a colon 12.
    for (const [json, weight] of [
      ['[1,2,3]', 8 + 2],
      ['["a","b"]', 8 + 4 + 1 + 4],
      ['{"a":{"b":1}}', 8 + 4 + 12 + 8 + 4 + 12],
      [`"${'a,:'.repeat(99)}"`, 4],
    ] as const) {
      assert.equal(beyondLimit(json, weight), undefined, json);
      assert.equal(beyondLimit(json, weight - 1), 'weight', json);
    }
  });
});
