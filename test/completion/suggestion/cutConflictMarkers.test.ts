// Tests the markers of a merge conflict, in the document and in a text.
import assert from 'node:assert/strict';
import { LANGUAGES, requestedText, suggestedText } from './suggestedText';

describe('the markers of a merge conflict', () => {
  const CONFLICT = 'a\n<<<<<<< HEAD\nb\n=======\n║\n>>>>>>> feature\n';
  for (const languageId of LANGUAGES)
    it(`prevent automatic suggestions, and are not suggested on request, in ${languageId}`, async () => {
      assert.equal(await suggestedText(CONFLICT, 'c', languageId), '');
      for (const marker of ['=======', '>>> feature =', '  <<<<<<< HEAD', '||||||| base'])
        assert.equal(await requestedText(CONFLICT, marker, languageId), '');
      assert.equal(await requestedText(CONFLICT, 'c\n>>>>>>> feature', languageId), 'c');
      assert.equal(await requestedText('<<<<<<< HE║\nb\n=======\n', 'AD', languageId), '');
    });

  it('are recognized, also far above the cursor', async () => {
    const far = 'b();\n'.repeat(20_000);
    for (const marker of ['<<<<<<< HEAD', '>>>>>>> feature', '|||||||', '  >>>>>>> moved']) {
      assert.equal(await suggestedText(`${marker}\n║\n`, 'c'), '', marker);
      assert.equal(await suggestedText(`║\n${marker}\n`, 'c'), '', marker);
      assert.equal(await suggestedText(`${marker}\n${far}║\n`, 'c'), '', marker);
    }
    for (const line of ['<<<<<<<< a', '<<<<<<', 'a <<<<<<< b', '>>>>>>>a', '=======', '|||||||| a'])
      assert.equal(await suggestedText(`${line}\n║\n`, 'c'), 'c', line);
  });

  it('are cut from a suggestion, unless equals signs underline a heading', async () => {
    for (const marker of ['<<<<<<< HEAD', '>>>>>>>', '=======', '||||||| a', '  <<<<<<<< a', '========'])
      assert.equal(await requestedText('║\n', `c\n${marker}`), 'c', marker);
    for (const line of ['<<<<<< a', '=======a', 'a =======', '======'])
      assert.equal(await requestedText('║\n', `c\n${line}`), `c\n${line}`, line);
    for (const languageId of ['markdown', 'restructuredtext'])
      assert.equal(await requestedText('║\n', 'c\n=======', languageId), 'c\n=======');
    const conflict = 'a\n<<<<<<< HEAD\n║\n';
    for (const part of ['<<<', '>>>', '===', '|||', '    ===='])
      assert.equal(await requestedText(conflict, `c\n${part}`), 'c', part);
    assert.equal(await requestedText(conflict, 'c\n>>>>>>> feature', 'markdown'), 'c');
    for (const line of ['== d', '<<', 'd === e'])
      assert.equal(await requestedText(conflict, `c\n${line}`), `c\n${line}`, line);
  });

  it('do not include the underline of a heading', async () => {
    assert.equal(await suggestedText('Summary\n=======\n\n║\n', 'Text', 'markdown'), 'Text');
  });
});
