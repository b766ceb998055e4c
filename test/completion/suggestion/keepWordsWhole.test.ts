// Tests texts within a word, and those that would join the word after the cursor.
import assert from 'node:assert/strict';
import { keepWordsWhole } from '../../../server/completion/suggestion/keepWordsWhole';
import { describeStep } from './describeStep';
import { contextAt } from '../../support/cursor';
import { requestedText, suggestedText } from './suggestedText';

describeStep(keepWordsWhole, [
  ['text that would tear a word apart', 'const items = [];\nf(item⟦ = ⟧s[0]);\n', ''],
  ['text that makes a name the document lacks', 'f(item⟦List⟧s[0]);\n', ''],
  ['a word that the next word would join', 'f(⟦a⟧b);\n', ''],
  ['text that a word cannot follow', 'export type ⟦A = {}⟧B = {\n', ''],
  ['keeps text before a word in a template', 'const a = `${⟦b}⟧c`;\n'],
  ['keeps braces before a word of an element', '<p>⟦{{ a }}⟧b</p>\n', undefined, 'vue'],
  ['keeps text that makes a name of the document', 'const itemLists = [];\nf(item⟦List⟧s[0]);\n'],
  ['keeps text that ends before a word', 'f(⟦a, ⟧b);\n'],
  ['keeps text that follows a word', 'f(item⟦s[0]⟧);\n'],
]);

describe('a text that ends a statement', () => {
  for (const [document, text, languageId] of [
    ['<p>A║(b)</p>\n', '&nbsp;', 'html'],
    ['<p>A &amp║.</p>\n', ';', 'html'],
    ['Only║(that)\n', ' one;', 'markdown'],
    ['const c = "a║.b";\n', ';', 'javascript'],
    ['a{color:red║.b{}}\n', ';', 'scss'],
    ['if (a) ║ else b();\n', 'c();', 'javascript'],
  ] as const)
    it(`stays in ${languageId}: ${text} at ${document.trim()}`, () => {
      assert.equal(keepWordsWhole(text, contextAt(document, languageId)), text);
    });
});

describe('a combining mark after the cursor', () => {
  for (const rest of ['\u0301e', '\u093f', '\u200dx', '\ufe0f'])
    it(`prevents suggestions like the rest of a word: U+${(rest.codePointAt(0) ?? 0).toString(16)}`, async () => {
      assert.equal(await suggestedText(`const e║${rest} = 1;\n`, 'x'), '');
      assert.equal(await requestedText(`const e║${rest} = 1;\n`, 'x'), '');
    });
});
