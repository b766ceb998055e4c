// Which drafters are compared: those that are named, or one of each kind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { namedDrafters } from '../../../bench/drafters/namedDrafters';

describe('namedDrafters', () => {
  it('takes the names and folders that are given', () => {
    assert.deepEqual(namedDrafters(['a=one', 'b c=/two=2']), [
      { name: 'a', folder: resolve('one') },
      { name: 'b c', folder: '/two=2' },
    ]);
  });

  it('refuses what has no name, no folder, or a name that is taken', () => {
    for (const [wrong, ...before] of [['folder'], ['=folder'], ['name='], [''], ['a=two', 'a=one']])
      assert.throws(
        () => namedDrafters([...before, wrong ?? '']),
        new RegExp(`Expected --drafter to be NAME=FOLDER, .*got "${wrong ?? ''}"`),
      );
  });

  it('has one of each kind for the built-in target otherwise', () => {
    const drafters = namedDrafters(undefined);
    assert.deepEqual(
      drafters.map(({ name }) => name),
      ['DFlash', 'DSpark'],
    );
    assert.ok(existsSync(join(drafters[0]?.folder ?? '', 'config.json')));
  });
});
