// Tests texts between the quotes of a character literal.
import assert from 'node:assert/strict';
import { requestedText } from './suggestedText';

describe('single quotes around the cursor', () => {
  it('receive one whole character or nothing in languages where they enclose no string', async () => {
    for (const languageId of 'c cpp csharp go java julia kotlin rust scala'.split(' '))
      for (const [text, shown] of [
        ['a', 'a'],
        ['ab', ''],
        ["a' || b", 'a'],
        ['\\n', '\\n'],
        ["\\x4F' + b", '\\x4F'],
        ['\\u{1F600}', '\\u{1F600}'],
        ['\\x4', ''],
        ["'", ''],
        ['\n', ''],
      ] as const)
        assert.equal(await requestedText("a = '║'\n", text, languageId), shown, `${languageId}: ${text}`);
    assert.equal(await requestedText("a = b'║'\n", 'a', 'rust'), 'a');
    assert.equal(await requestedText("a = b'║'\n", 'ab', 'rust'), '');
    assert.equal(await requestedText("a = '║'\n", 'ab', 'python'), 'ab');
  });
});

describe('single quotes in a comment or a string', () => {
  for (const languageId of ['c', 'cpp', 'csharp', 'go', 'java', 'kotlin', 'rust'])
    it(`receive any text in ${languageId}`, async () => {
      for (const document of ["// The '║' flag\nf();\n", 'f("use \'║\' here");\n', "/* it's '║' */\n"])
        assert.equal(await requestedText(document, '--quiet', languageId), '--quiet', document);
    });
});
