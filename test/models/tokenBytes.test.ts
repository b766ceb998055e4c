// Bytes of tokens in the spellings of vocabularies.
import assert from 'node:assert/strict';
import { tokenBytes } from '../../server/models/tokenBytes';

describe('tokenBytes', () => {
  it('reads the alphabet of byte-level vocabularies', () => {
    assert.deepEqual([...tokenBytes('ðŁĺ')], [0xf0, 0x9f, 0x98]);
    assert.deepEqual([...tokenBytes('Ġa')], [...Buffer.from(' a')]);
    // The first and the last byte without a character of its own.
    assert.deepEqual([...tokenBytes('ĀŃ')], [0x00, 0xad]);
  });

  it('reads the byte tokens of SentencePiece', () => {
    assert.deepEqual([...tokenBytes('<0xE2>')], [0xe2]);
  });
});
