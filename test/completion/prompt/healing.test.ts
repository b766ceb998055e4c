// Tests which characters before the cursor a healed prompt leaves out.
import assert from 'node:assert/strict';
import { healing, type Spelling } from '../../../server/completion/prompt/healing';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { PAIR_TARGET } from '../../support/fixtures';
import { FakeDecoder } from '../fakeDecoder';

describe('the characters that a healed prompt leaves out', () => {
  const embedded = loadTokenizer(PAIR_TARGET) ?? assert.fail();
  for (const [prefix, removed] of [
    ['const ', ' '],
    ['a\n  return ', ' '],
    ['foo.', '.'],
    ['f(', '('],
    ['f();\n', undefined],
    ['', undefined],
  ] as const)
    it(`are ${removed === undefined ? 'none' : JSON.stringify(removed)} at the end of ${JSON.stringify(prefix)}`, () => {
      assert.deepEqual(
        healing(prefix, embedded),
        removed && { kept: prefix.slice(0, -removed.length), removed },
      );
    });

  it('are at most 24, in the line of the cursor', () => {
    const { tokenizer } = new FakeDecoder([]);
    const word = 'a'.repeat(23);
    assert.equal(healing(`b ${word}`, tokenizer)?.removed, ` ${word}`);
    assert.equal(healing(`b ${word}a`, tokenizer), undefined);
    assert.equal(healing(`b\n${word}`, tokenizer)?.kept, 'b\n');
  });

  it('are none after a complete name', () => {
    const { tokenizer } = new FakeDecoder([]);
    assert.equal(healing('a.size', tokenizer)?.removed, 'size');
    assert.equal(healing('a.size', tokenizer, true), undefined);
  });

  it('are none if a token ends inside a character', () => {
    const half: Spelling = { encodeText: (text) => [...text].map((_, i) => i), decode: () => '\ufffd' };
    assert.equal(healing('a = 😀', half), undefined);
  });
});
