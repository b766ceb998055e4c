// Bytes of tokens in the spellings of vocabularies.
import assert from 'node:assert/strict';
import { tokenBytes } from '../../server/models/text/tokenBytes';
import { bytesText } from '../../server/rules/visibleText';

describe('tokenBytes', () => {
  it('reads the alphabet of byte-level vocabularies', () => {
    assert.deepEqual(tokenBytes('ðŁĺ'), Uint8Array.of(0xf0, 0x9f, 0x98));
    assert.deepEqual(tokenBytes('Ġa'), Uint8Array.from(Buffer.from(' a')));
    // The first and the last byte without a character of its own.
    assert.deepEqual(tokenBytes('ĀŃ'), Uint8Array.of(0x00, 0xad));
  });

  it('reads the byte tokens of SentencePiece', () => {
    assert.deepEqual(tokenBytes('<0xE2>'), Uint8Array.of(0xe2));
  });

  it('leaves text alone, such as U+FFFD in pieces of SentencePiece', () => {
    for (const text of ['\uFFFD', '▁\uFFFD', 'é\uFFFD']) assert.equal(tokenBytes(text), undefined);
  });
});

describe('bytesText', () => {
  it('shows text as it is, and other bytes as OpenAI does', () => {
    for (const text of ['', 'a', ' 😀', '\uFFFD']) assert.equal(bytesText(Buffer.from(text)), text);
    assert.equal(bytesText(Uint8Array.of(0x20, 0xf0, 0x9f)), ' \\xf0\\x9f');
    assert.equal(bytesText(Uint8Array.of(0x80, 0x0a)), '\\x80\n');
  });
});
