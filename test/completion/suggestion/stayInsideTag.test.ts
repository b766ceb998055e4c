// Tests texts that only resemble a tag.
import assert from 'node:assert/strict';
import { requestedText } from './suggestedText';

describe('a text that is in no tag and no regular expression', () => {
  for (const [document, text] of [
    ['if (a <b║ || c > d) {}\n', 'c || e > f'],
    ['a = /b║\n', 'c/g;'],
  ] as const)
    it(`stays as it is: ${document.trim()} with ${text}`, async () => {
      assert.equal(await requestedText(document, text), text);
    });
});
