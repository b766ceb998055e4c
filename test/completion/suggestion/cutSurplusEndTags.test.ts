// Tests end tags that the document has already: in the rest of the cursor's line, or below it.
import assert from 'node:assert/strict';
import { cutSurplusEndTags } from '../../../server/completion/suggestion/cutSurplusEndTags';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(cutSurplusEndTags, [
  ['the end tag of an element that the editor has ended', '<p>a ⟦b</p></p>⟧</p>\n', 'b', 'html'],
  [
    'end tags that the editor has inserted, with the text between them',
    '<p><code>⟦a</code> b</p>⟧</code></p>\n',
    'a',
    'html',
  ],
  ['keeps the end tag of an element of the text', '<p>⟦<b>a</b> c⟧</p>\n', undefined, 'html'],
  ['keeps the end tag of another element', '<p><b>⟦a</b> c⟧</p>\n', undefined, 'html'],
]);

describe('an end tag', () => {
  it('is not suggested if all elements of its name end below the cursor', async () => {
    const DOCUMENT = '<body>\n  <p>a</p>║\n  <b>c</b>\n</body>\n';
    for (const languageId of ['html', 'xml', 'vue']) {
      assert.equal(await requestedText(DOCUMENT, '\n</body>\n</html>', languageId), '');
      assert.equal(await requestedText(`<body>\n${DOCUMENT}`, '\n</body>', languageId), '\n</body>');
    }
    assert.equal(await requestedText('<b id="║\n<i>c</i>\n', 'a"></b>', 'html'), 'a"></b>');
    assert.equal(await requestedText('<ul>\n  <li>a║\n  <li>b</li>\n</ul>\n', '</li>', 'html'), '</li>');
  });

  it('is suggested before another element of its name, in a string and in another case', async () => {
    for (const [document, text, languageId] of [
      ['<tr>\n<td>1</td>\n║\n<td>2</td>\n</tr>\n', '</tr>\n<tr>', 'html'],
      ['<div class="a">\n║\n<p>a</p>\n</div>\n', '</div>\n<div class="b">', 'html'],
      ['<td>\n<script>\nhtml += ║\n</script>\n</td>\n', "'</td></tr>';", 'html'],
      ['<td>\n<script>\nhtml += ║\n</script>\n</td>\n', "'</td></tr>';", 'vue'],
      ['<DIV>\n<p>a</p>║\n', '</div>', 'html'],
    ] as const)
      assert.equal(await requestedText(document, text, languageId), text);
  });
});
