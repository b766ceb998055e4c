// Suggestions that are used again while the person types along them.
import assert from 'node:assert/strict';
import { completionContext } from '../../server/completion/prompt/context';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { contextAt, markedDocument } from '../support/cursor';

function recentWith(
  ...entries: readonly (readonly [document: string, ...texts: string[]])[]
): RecentSuggestions {
  const recent = new RecentSuggestions();
  for (const [document, ...texts] of entries) recent.remember(contextAt(document), texts);
  return recent;
}

describe('RecentSuggestions', () => {
  const misses: readonly (readonly [title: string, document: string])[] = [
    ['another character', 'const a = x║;\n'],
    ['the whole text', 'const a = b + c║;\n'],
    ['a cursor before', 'const a =║;\n'],
    ['another line above', 'const z = 1;\nconst a = ║;\n'],
    ['another rest', 'const a = ║ + 1;\n'],
    ['another place that ends alike', 'let a = b║;\n'],
  ];
  for (const [title, document] of misses)
    it(`are not used after ${title}`, () => {
      assert.equal(recentWith(['const a = ║;\n', 'b + c']).match(contextAt(document)), undefined);
    });

  it('with several lines are used line by line', () => {
    const recent = recentWith(['if (a) {║\n', '\n  b();\n}']);
    assert.deepEqual(recent.match(contextAt('if (a) {\n  ║\n'))?.texts, ['b();\n}']);
  });

  it('keep the alternatives that were typed along', () => {
    const recent = recentWith(['a = ║\n', 'bc', 'bd', 'e']);
    assert.deepEqual(recent.match(contextAt('a = b║\n'))?.texts, ['c', 'd']);
  });

  it('belong to one document', () => {
    const recent = recentWith(['a = ║\n', 'b']);
    const { text, offset } = markedDocument('a = ║\n');
    const other = { uri: 'b', fileName: 'sample.ts', languageId: 'typescript', version: 1, text };
    assert.equal(recent.match(completionContext(other, offset)), undefined);
    recent.forget(contextAt('a = ║\n').uri);
    assert.equal(recent.match(contextAt('a = ║\n')), undefined);
  });

  it('give way to newer ones, oldest first', () => {
    const recent = recentWith(['first = ║\n', 'a']);
    for (let i = 0; i < 63; i++) recent.remember(contextAt(`name${i} = ║\n`), ['b']);
    assert.ok(recent.match(contextAt('first = ║\n')));
    recent.remember(contextAt('last = ║\n'), ['c']);
    assert.equal(recent.match(contextAt('name0 = ║\n')), undefined);
    assert.ok(recent.match(contextAt('first = ║\n')));
  });

  it('are found among many below a long text', () => {
    const recent = new RecentSuggestions();
    const above = 'const value = compute(1, 2, 3);\n'.repeat(500);
    for (let i = 0; i < 64; i++) recent.remember(contextAt(`${above}name${i} = ║\n`), [`a${i}`]);
    for (let i = 0; i < 64; i++)
      assert.deepEqual(recent.match(contextAt(`${above}name${i} = ║\n`))?.texts, [`a${i}`]);
    assert.equal(recent.match(contextAt(`${above}other = ║\n`)), undefined);
  });
});
