// Tests the step that cuts before lines with invisible characters.
import assert from 'node:assert/strict';
import { requestedText, suggestedText } from './suggestedText';

describe('invisible characters', () => {
  it('end a suggestion before their line, unless the document has them', async () => {
    for (const mark of ['\u202e', '\u2066', '\u200b', '\u200d', '\u{e0041}', '\u2028', '\u001b[8m']) {
      const text = `grant();\nrevoke(); //${mark} lla`;
      assert.equal(await requestedText('║\n', text), 'grant();', JSON.stringify(mark));
      assert.equal(await requestedText(`║\n// ${mark}\n`, text), text, JSON.stringify(mark));
      assert.equal(await suggestedText('║\n', `${mark}grant();`), '', JSON.stringify(mark));
    }
  });

  it('stay in a suggestion if only the far beginning of the document has them', async () => {
    const document = `// \u200b\n${'run();\n'.repeat(5000)}║\n`;
    assert.equal(await requestedText(document, 'grant(); // \u200b'), 'grant(); // \u200b');
  });

  it('leave no part of a literal that has them', async () => {
    for (const rest of ['"a\u200bb";', "'\u202ea';", '`a\ufe0f`;'])
      assert.equal(await requestedText('const flag = ║\n', rest), '', rest);
    assert.equal(await requestedText('║\n', 'grant();\nconst flag = "a\u200bb";'), 'grant();');
  });

  it('stay where text is spelled with them', async () => {
    for (const text of [
      '👩\u200d💻',
      '🏳\u200d🌈',
      '❤\ufe0f',
      '1\ufe0f\u20e3',
      '✓\ufe0f done',
      'é',
      '\u00a0',
      '語',
    ])
      assert.equal(await requestedText('const flag = ║\n', `"${text}";`), `"${text}";`, text);
    assert.equal(await requestedText('// می║\n', '\u200cخواهم'), '\u200cخواهم');
  });
});
