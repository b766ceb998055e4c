// Tests end tags that a text begins.
import assert from 'node:assert/strict';
import { completeEndTags } from '../../../server/completion/suggestion/completeEndTags';
import { contextAt } from '../../support/cursor';
import { describeStep } from './describeStep';
import { requestedText } from './suggestedText';

describeStep(completeEndTags, [
  ['a half end tag before a whole one', 'return <b>⟦{a}</⟧</b>;\n', '{a}', 'javascriptreact'],
  ['a half end tag without an open element', 'a⟦b</⟧\n', 'b', 'html'],
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
