// Tests texts before strings: those that a string cannot follow.
import assert from 'node:assert/strict';
import { LANGUAGES, requestedText, suggestedText, type Case } from './suggestedText';

describe('a string after the cursor', () => {
  for (const languageId of LANGUAGES.filter((id) => !['html', 'vue'].includes(id)))
    it(`prevents automatic suggestions in ${languageId}`, async () => {
      assert.equal(await suggestedText('a = ║"text";\n', 'b', languageId), '');
      assert.equal(
        await suggestedText('a = "║";\n', 'b', languageId),
        'b',
        'nothing is suggested within the string',
      );
      assert.equal(
        await requestedText('a = ║"text";\n', 'b', languageId),
        '',
        'a value is joined to the string',
      );
      assert.equal(
        await requestedText('f(║"text");\n', 'b, ', languageId),
        'b, ',
        'a text that the string can follow is not suggested',
      );
    });

  const CASES: readonly Case[] = [
    ["const t = ok\n  ? 'a'\n  : ║'b';\n", 'ok ? ', ''],
    ['const a = `x`;\nconst b = ║`y`;\n', '`', '', 'javascript'],
    ["const b = [║'#fff'];\n", "'#000', ", "'#000', "],
    ["let a = &║'a str;\n", 'b', 'b', 'rust'],
    ["<p>║'tis</p>\n", 'So ', 'So ', 'html'],
    ['(see ║"foo" for more)\n', 'what is called', 'what is called', 'markdown'],
    ['<script>f(║"b");</script>\n', 'c', '', 'html'],
    ['<a href=║"b">c</a>\n', 'd', '', 'html'],
  ];
  for (const [document, text, shown, languageId] of CASES)
    it(`leaves ${JSON.stringify(shown)} of the output ${JSON.stringify(text)} at ${document.trim()}`, async () => {
      assert.equal(await requestedText(document, text, languageId), shown);
    });
});

describe('a text before a string', () => {
  it('is suggested on request if a value can follow it', async () => {
    const ends = [...', ; : = ? & | + * % < > ! ~ ^ / -'.split(' ').map((mark) => `b${mark}`), 'b ?? '];
    const words = 'return await yield throw case in of and or not import from'.split(' ');
    const spaced = [...words, 'raise', 'echo'].map((word) => `${word} `);
    for (const text of [...ends, ...words, ...spaced])
      assert.equal(await requestedText('a = ║"text";\n', text), text);
    for (const text of ['b', 'b.', 'c)', 'returned', 'b ? c', "'b'"])
      assert.equal(await requestedText('a = ║"text";\n', text), '', text);
  });

  it('is suggested automatically only if the quote after the cursor begins no string', async () => {
    for (const [text, languageId] of [
      ['$"text"', 'csharp'],
      ['@"text"', 'csharp'],
      ['#"text"#', 'swift'],
      ['"""text"""', 'python'],
      ["''", 'python'],
    ] as const)
      assert.equal(await suggestedText(`a = ║${text}\n`, 'b', languageId), '', text);
    for (const [document, languageId] of [
      ['a = b ║"\n', 'go'],
      ["a = 'b║'\n", 'python'],
      ["a = f('b║' + c)\n", 'python'],
      ["fn f<'b>(a: &║'b str, c: &'b str)\n", 'rust'],
      ['Run ║`b` (or "c")\n', 'markdown'],
      ['(see ║"b" for more)\n', 'markdown'],
      ['<p>See ║"b"</p>\n', 'html'],
    ] as const)
      assert.equal(await suggestedText(document, 'x', languageId), 'x', document);
  });
});
