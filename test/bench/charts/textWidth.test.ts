// Lines of a label: within the width where the words allow it, and no word lost.
import assert from 'node:assert/strict';
import { balanced, textWidth, widestWord, wrapped } from '../../../bench/charts/textWidth';

const TEXT = 'Flashline, adaptive drafts of a long name';

describe('wrapped and balanced', () => {
  it('keep all words in order and every line within the width', () => {
    for (const lines of [wrapped, balanced])
      for (let width = widestWord(TEXT, 12); width < 400; width += 7) {
        const found = lines(TEXT, 12, width);
        assert.equal(found.join(' '), TEXT);
        for (const line of found) assert.ok(textWidth(line, 12) <= width, line);
      }
  });

  it('need one line for what fits, and one for a word that does not', () => {
    for (const lines of [wrapped, balanced]) {
      assert.deepEqual(lines('two words', 12, 500), ['two words']);
      assert.deepEqual(lines('word', 12, 1), ['word']);
      assert.deepEqual(lines('', 12, 100), ['']);
    }
  });

  it('differ in where a line ends', () => {
    const width = textWidth('Flashline, 5', 12);
    assert.deepEqual(wrapped('Flashline, 5 drafts', 12, width), ['Flashline, 5', 'drafts']);
    assert.deepEqual(balanced('Flashline, 5 drafts', 12, width), ['Flashline,', '5 drafts']);
  });
});
