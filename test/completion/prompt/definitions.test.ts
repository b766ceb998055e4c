// Tests how definitions in other files become snippets: one for each file, in at most as many characters as the budget
// has.
import assert from 'node:assert/strict';
import { definitionSnippets } from '../../../server/completion/prompt/definitions';

const definition = (fileName: string, text: string) => ({ uri: `file:///${fileName}`, fileName, text });
const DEFINITIONS = [
  definition('a.ts', 'first();'),
  definition('b.ts', 'second();'),
  definition('a.ts', 'third();'),
];
/** Characters of all of them, with a line end after each text and each name. */
const SIZE = 'first();\nsecond();\nthird();\na.ts\nb.ts\n'.length;

describe('the snippets of definitions', () => {
  const textsIn = (
    budget: number,
    definitions = DEFINITIONS,
    isQuotable: (part: { readonly uri: string }) => boolean = () => true,
  ) => definitionSnippets(definitions, budget, isQuotable).map(({ fileName, text }) => [fileName, text]);

  it('join the texts of a file, in their order', () => {
    assert.deepEqual(textsIn(SIZE), [
      ['a.ts', 'first();\nthird();'],
      ['b.ts', 'second();'],
    ]);
  });

  it('keep files of the same name apart, and join the cells of a notebook', () => {
    const inFile = (uri: string, fileName: string, text: string) => ({ uri, fileName, text });
    const definitions = [
      inFile('file:///a/index.ts', 'index.ts', 'first();'),
      inFile('file:///b/index.ts', 'index.ts', 'first();'),
      inFile('vscode-notebook-cell:/c.ipynb#1', 'c.ipynb', 'second();'),
      inFile('file:///a/index.ts', 'index.ts', 'third();'),
      inFile('vscode-notebook-cell:/c.ipynb#2', 'c.ipynb', 'fourth();'),
    ];
    assert.deepEqual(textsIn(1000, definitions), [
      ['index.ts', 'first();\nthird();'],
      ['index.ts', 'first();'],
      ['c.ipynb', 'second();\nfourth();'],
    ]);
  });

  it('leave out a text that does not fit, and take a later one that does', () => {
    assert.deepEqual(textsIn(SIZE - 1), [
      ['a.ts', 'first();'],
      ['b.ts', 'second();'],
    ]);
    const large = [definition('a.ts', 'x'.repeat(30)), ...DEFINITIONS.slice(1)];
    assert.deepEqual(textsIn('b.ts\nsecond();\na.ts\nthird();\n'.length, large), [
      ['b.ts', 'second();'],
      ['a.ts', 'third();'],
    ]);
  });

  it('leave out blank texts, repeated ones, and those that must not be quoted', () => {
    const [first, second] = DEFINITIONS;
    assert.ok(first && second);
    const definitions = [first, definition('c.ts', ' \n'), first, second];
    assert.deepEqual(textsIn(SIZE, definitions), [
      ['a.ts', 'first();'],
      ['b.ts', 'second();'],
    ]);
    assert.deepEqual(
      textsIn(SIZE, definitions, ({ uri }) => uri !== second.uri),
      [['a.ts', 'first();']],
    );
  });
});
