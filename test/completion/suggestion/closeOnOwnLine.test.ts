// Tests the closer after the cursor, which gets a line of its own after a text of several lines.
import assert from 'node:assert/strict';
import { LANGUAGES, requestedText, suggestedText, type Case } from './suggestedText';

describe('a closing bracket after the cursor', () => {
  for (const languageId of LANGUAGES)
    it(`gets a line of its own after a text of several lines in ${languageId}`, async () => {
      const isMarkup = languageId === 'vue' || languageId === 'html';
      const [head, tail] = isMarkup ? ['<style>\n', '</style>\n'] : ['b {\n  c\n}\n', ''];
      for (const indentation of ['', '  ']) {
        const text = `\n${indentation}  a: 1;\n${indentation}  b: 2;`;
        const result = await suggestedText(`${head}${indentation}x {║}\n${tail}`, text, languageId);
        assert.equal(result, `${text}\n${indentation}`, indentation);
      }
    });

  const CASES: readonly Case[] = [
    ['body {║}\n', '\n  margin: 0;\n', '\n  margin: 0;\n', 'css'],
    ['a = [║];\n', '\n  1,\n  2,', '\n  1,\n  2,\n'],
    ['f(║)\n', '\n  a,\n  b', '\n  a,\n  b\n'],
    ['f(a,║)\n', '\n  b', '\n  b'],
    ['\tf(║)\n', '\n\t\ta,\n\t\tb', '\n\t\ta,\n\t\tb,\n\t', 'go'],
    ['\ts := []int{║}\n', '\n\t\t1,\n\t\t2', '\n\t\t1,\n\t\t2,\n\t', 'go'],
    ['\tif a {║}\n', '\n\t\tb()', '\n\t\tb()\n\t', 'go'],
    ['x {║ }\n', '\n  a: 1;', '\n  a: 1;\n}', 'css'],
    ['x { a: 1;║}\n', '\n  b: 2;', '\n  b: 2;\n', 'css'],
    ['a = `${b║}`;\n', '.map(\n  c\n)', '.map(\n  c\n)'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`gives ${JSON.stringify(shown)} for the output ${JSON.stringify(text)} at ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('an end tag after the cursor', () => {
  const TEXT = '\n  <p>text</p>\n';
  const NESTED = '\n    <div>text</div>\n  ';
  const CASES: readonly Case[] = [
    ['<div>║</div>\n', TEXT, TEXT],
    ['<div>║</div>\n', `${TEXT}</div>\n<div>\n`, TEXT],
    ['  <div class="a">║</div>\n', NESTED, NESTED],
    ['  <b><div>║</div></b>\n', `${NESTED}</div></b>\n`, NESTED],
    ['<div>║</div>\n', 'text</div>\n<div>\n', 'text'],
    ['<div>║</div>\n', '<ul>\n  <li>a</li>\n</ul></div>\n', '<ul>\n  <li>a</li>\n</ul>'],
    ['<p>a║</p>\n', TEXT, ''],
    ['<p>║</p> b\n', TEXT, ''],
  ];
  for (const [document, text, shown] of CASES)
    it(`follows ${JSON.stringify(shown)} for the output ${JSON.stringify(text)} at ${document.trim()}`, async () => {
      for (const languageId of 'html xml vue svelte javascriptreact typescriptreact'.split(' '))
        assert.equal(await suggestedText(document, text, languageId), shown, languageId);
    });
});
