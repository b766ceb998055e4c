// Tests texts within a tag whose end follows the cursor, and texts that only resemble a tag.
import assert from 'node:assert/strict';
import { stayInsideTag } from '../../../server/completion/suggestion/stayInsideTag';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(stayInsideTag, [
  ['the end of the tag, and the text after it', '<p ⟦class="a">b</p>⟧></p>\n', 'class="a"', 'html'],
  ['the end of an empty element', '<img ⟦alt="a" />⟧ />\n', 'alt="a"', 'html'],
  [
    'the end of a tag after an arrow function',
    '<B ⟦c={() => d}>e</B>⟧ />\n',
    'c={() => d}',
    'typescriptreact',
  ],
  ['keeps an attribute', '<p ⟦class="a"⟧></p>\n', undefined, 'html'],
  ['keeps the end of a tag that lacks it', '<p ⟦class="a">b</p>⟧\n', undefined, 'html'],
  ['keeps a tag outside of a tag', '<p>⟦a</p><p>⟧</p>\n', undefined, 'html'],
]);

describe('a text that is in no tag and no regular expression', () => {
  for (const [document, text] of [
    ['if (a <b║ || c > d) {}\n', 'c || e > f'],
    ['a = /b║\n', 'c/g;'],
  ] as const)
    it(`stays as it is: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text), text);
    });
});
