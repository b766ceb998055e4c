// Tests end tags: those that a text begins, and those that already follow the cursor.
import assert from 'node:assert/strict';
import { completeEndTags } from '../../../server/completion/suggestion/completeEndTags';
import { contextAt } from '../../support/cursor';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(completeEndTags, [
  ['the end tag of an element that the editor has ended', '<p>a ⟦b</p></p>⟧</p>\n', 'b', 'html'],
  [
    'end tags that the editor has inserted, with the text between them',
    '<p><code>⟦a</code> b</p>⟧</code></p>\n',
    'a',
    'html',
  ],
  ['a half end tag before a whole one', 'return <b>⟦{a}</⟧</b>;\n', '{a}', 'javascriptreact'],
  ['a half end tag without an open element', 'a⟦b</⟧\n', 'b', 'html'],
  ['keeps the end tag of an element of the text', '<p>⟦<b>a</b> c⟧</p>\n', undefined, 'html'],
  ['keeps the end tag of another element', '<p><b>⟦a</b> c⟧</p>\n', undefined, 'html'],
  ['keeps an end tag whose bracket follows', '<p>a⟦</p⟧>\n', undefined, 'html'],
  ['keeps a half end tag in a string', 'a = `⟦</⟧`;\n'],
  ['keeps code that only resembles a tag', 'if (a ⟦< b && c</d/⟧.e)\n'],
]);

describe('a fragment without a name', () => {
  it('keeps its end tag', async () => {
    const text = '<>\n    <B />\n    <C>\n      d\n    </C>\n  </>';
    assert.equal(await requestedText('return (\n  ║\n);\n', text, 'typescriptreact'), text);
  });
});

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

describe('a completed end tag', () => {
  it('is dropped if the next line is the same', async () => {
    assert.equal(await requestedText('<div>\n  <p>a</p>\n  ║\n</div>\n', '\n</d', 'html'), '');
    assert.equal(await requestedText('<ul>\n  <li>a</li>\n║\n</ul>\n', '</u', 'typescriptreact'), '');
  });
});

describe('completeEndTags', () => {
  it('completes an end tag that the text begins', () => {
    const list = '  return <ul>{items.map((item) => (║))}</ul>;\n';
    const item = '<li key={item}>{item}</li';
    assert.equal(completeEndTags(item, contextAt(list, 'typescriptreact')), `${item}>`);
    const script = contextAt('<body>\n  <script>║\n', 'html');
    assert.equal(completeEndTags('\n    run();\n  </', script), '\n    run();\n  </script>');
    assert.equal(completeEndTags('a<br>b</', contextAt('<p>║\n', 'html')), 'a<br>b</p>');
  });
});
