// Tests recent suggestions: which of them answers a later request, and when they are forgotten.
import assert from 'node:assert/strict';
import { completionContext } from '../../../server/completion/prompt/context';
import { RecentSuggestions } from '../../../server/completion/session/recent';
import { contextAt, markedDocument } from '../../support/cursor';

/** Returns the context of the ║ in a document of this name. */
function contextIn(name: string, marked: string) {
  const { text, offset } = markedDocument(marked);
  return completionContext(
    { uri: `file:///${name}`, fileName: name, languageId: 'typescript', text },
    offset,
  );
}

/** Stores texts for one document, and returns those for another. */
function textsAfter(
  stored: string,
  texts: readonly string[],
  document: string,
): readonly string[] | undefined {
  const recent = new RecentSuggestions();
  recent.remember(contextAt(stored), texts);
  return recent.match(contextAt(document))?.texts;
}

describe('a recent suggestion', () => {
  const CASES: readonly (readonly [
    why: string,
    document: string,
    rest: readonly string[] | undefined,
    texts?: readonly string[],
  ])[] = [
    ['at the same cursor', 'a = ║;\n', ['b(c)', 'b.d']],
    ['after its beginning was typed', 'a = b║;\n', ['(c)', '.d']],
    ['with only the texts whose beginning was typed', 'a = b(║;\n', ['c)']],
    ['after all of it was typed', 'a = b(c)║;\n', undefined],
    ['after other text was typed', 'a = c║;\n', undefined],
    ['after text before the cursor was deleted', 'a =║;\n', undefined],
    ['after other text above', 'x = ║;\n', undefined],
    ['with more text in front of it', ' a = ║;\n', undefined],
    ['before other text', 'a = ║,\n', undefined],
    ['before less text', 'a = ║;', undefined],
    ['without the bracket that the editor has closed', 'a = b(║);\n', ['c']],
    ['before a closer that no editor inserts', 'a = b(║*/;\n', undefined],
    ['with one text for texts with the same rest', 'a = b(║);\n', ['c'], ['b(c)', 'b(c);']],
    ['without rests that are only white space', 'a = b║;\n', ['.d'], ['b  ', 'b.d']],
  ];
  for (const [why, document, rest, texts = ['b(c)', 'b.d']] of CASES)
    it(`${rest === undefined ? 'does not answer' : 'answers'} ${why}`, () => {
      assert.deepEqual(textsAfter('a = ║;\n', texts, document), rest);
    });

  it('keeps the probability with which it was judged', () => {
    const recent = new RecentSuggestions();
    recent.remember(contextAt('a = ║\n'), ['bc'], 0.5);
    assert.deepEqual(recent.match(contextAt('a = b║\n')), { texts: ['c'], keepProbability: 0.5 });
  });

  it('depends on 512 characters before and 256 after the cursor', () => {
    const [before, after] = ['x'.repeat(511), 'y'.repeat(256)];
    const stored = `Aa${before}║${after}B`;
    assert.deepEqual(textsAfter(stored, ['z'], `Ca${before}║${after}D`), ['z']);
    assert.equal(textsAfter(stored, ['z'], `Ab${before}║${after}B`), undefined);
    assert.equal(textsAfter(stored, ['z'], `Aa${before}║${after.slice(1)}zB`), undefined);
    // A shorter text before the cursor is compared as a whole.
    assert.equal(textsAfter(`${before}║`, ['z'], `A${before}║`), undefined);
  });

  it('answers only in its document, and before older suggestions that fit', () => {
    const recent = new RecentSuggestions();
    recent.remember(contextIn('a.ts', 'f(║'), ['abc']);
    recent.remember(contextIn('a.ts', 'f(a║'), ['xyz', 'bd']);
    assert.deepEqual(recent.match(contextIn('a.ts', 'f(a║'))?.texts, ['xyz', 'bd']);
    assert.equal(recent.match(contextIn('b.ts', 'f(║')), undefined);
    // The user deletes a letter, and types it again: the older suggestion is now the newest.
    assert.deepEqual(recent.match(contextIn('a.ts', 'f(║'))?.texts, ['abc']);
    assert.deepEqual(recent.match(contextIn('a.ts', 'f(a║'))?.texts, ['bc']);
  });

  it('replaces an earlier suggestion for the same cursor', () => {
    const recent = new RecentSuggestions();
    recent.remember(contextAt('f(║'), ['abc']);
    recent.remember(contextAt('f(║'), ['x']);
    assert.deepEqual(recent.match(contextAt('f(║'))?.texts, ['x']);
    assert.equal(recent.match(contextAt('f(a║')), undefined);
  });

  it('is kept beside a suggestion with the same text before the cursor and other text after it', () => {
    const recent = new RecentSuggestions();
    recent.remember(contextAt('f(║'), ['abc']);
    recent.remember(contextAt('f(║, x'), ['xyz']);
    assert.deepEqual(recent.match(contextAt('f(║'))?.texts, ['abc']);
    assert.deepEqual(recent.match(contextAt('f(║, x'))?.texts, ['xyz']);
  });

  it('is forgotten with its document, and once 64 others were stored or used after it', () => {
    const recent = new RecentSuggestions();
    const contexts = Array.from({ length: 65 }, (_, i) => contextIn(`f${String(i)}.ts`, 'f(║'));
    for (const [i, context] of contexts.entries()) {
      if (i === 64) assert.ok(contexts[0] && recent.match(contexts[0]));
      recent.remember(context, ['a']);
    }
    const isKept = (i: number) => recent.match(contexts[i] ?? assert.fail()) !== undefined;
    assert.deepEqual([0, 1, 2, 64].map(isKept), [true, false, true, true]);
    recent.forget('file:///f2.ts');
    assert.deepEqual([0, 2].map(isKept), [true, false]);
  });
});
