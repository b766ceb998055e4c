// What of a suggestion is accepted by somebody who knows what is to come.
import assert from 'node:assert/strict';
import { agreeingParts } from '../../../bench/replay/agreeingParts';

const WANTED = 'return items.length;\n}\n';

describe('the parts of a suggestion that are accepted', () => {
  it('are all of it, when all of it is right', () => {
    assert.deepEqual(agreeingParts('return items.length;\n}', WANTED, 'whole'), ['return items.length;\n}']);
  });

  it('are a line with its end, when that is wished or the next one is wrong', () => {
    assert.deepEqual(agreeingParts('return items.length;\n}', WANTED, 'line'), ['return items.length;\n']);
    assert.deepEqual(agreeingParts('return items.length;\n  b', WANTED, 'whole'), ['return items.length;\n']);
    assert.deepEqual(agreeingParts('return items.length;', WANTED, 'line'), ['return items.length;']);
  });

  it('are the words before the first wrong one', () => {
    const words = ['return', ' items', '.'];
    assert.deepEqual(agreeingParts('return items.size;', WANTED, 'whole'), words);
    assert.deepEqual(agreeingParts('return items.size;', WANTED, 'line'), words);
    assert.deepEqual(agreeingParts('return items', WANTED, 'word'), ['return', ' items']);
  });

  it('are none when it begins wrongly, or when too little is right', () => {
    assert.deepEqual(agreeingParts('this.items', WANTED, 'whole'), []);
    assert.deepEqual(agreeingParts('', WANTED, 'whole'), []);
    assert.deepEqual(agreeingParts(');', ');\n', 'whole'), []);
    assert.deepEqual(agreeingParts('return x', 'ret', 'word'), []);
  });

  it('go no further than what is wanted', () => {
    assert.deepEqual(
      agreeingParts('return items.length;\n}\n\nmore', WANTED, 'word').join(''),
      'return items.length;\n}',
    );
  });
});
