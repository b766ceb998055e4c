// Tests the step that cuts before invisible characters.
import assert from 'node:assert/strict';
import { requestedText, suggestedText } from './suggestedText';

describe('invisible characters', () => {
  it('end a suggestion, unless the document has them or they are part of emoji', async () => {
    for (const mark of ['\u202e', '\u2066', '\u200b', '\u200d', '\u{e0041}', '\u2028', '\u001b[8m']) {
      const text = `grant();\nrevoke(); //${mark} lla`;
      assert.equal(await requestedText('║\n', text), 'grant();\nrevoke(); //', JSON.stringify(mark));
      assert.equal(await requestedText(`║\n// ${mark}\n`, text), text, JSON.stringify(mark));
      assert.equal(await suggestedText('║\n', `${mark}grant();`), '', JSON.stringify(mark));
    }
    for (const mark of ['👩\u200d💻', '❤\ufe0f', '1\ufe0f\u20e3', 'é', '\u00a0', '語'])
      assert.equal(await requestedText('║\n', `f(); // ${mark} a`), `f(); // ${mark} a`, mark);
  });
});
