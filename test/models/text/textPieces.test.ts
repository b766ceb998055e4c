// The cache of encoded pieces of text has a limit, and forgets the pieces that were not used for longest.
import assert from 'node:assert/strict';
import { TextPieces } from '../../../server/models/text/textPieces';

describe('the cache of encoded pieces', () => {
  it('forgets the least recently used pieces beyond four million characters', () => {
    const encoded: string[] = [];
    const texts = new TextPieces((text) => {
      encoded.push(text);
      return [text.length];
    }, []);
    const million = 2 ** 20;
    const pieces = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(million));
    for (const piece of pieces) texts.encode(piece);
    assert.ok(pieces.every((piece) => texts.isCached(piece)));
    const [oldest = '', second = '', ...newest] = pieces;
    // Used again, and counted only once.
    texts.encode(oldest);
    texts.encode('e');
    assert.deepEqual(
      [oldest, second, ...newest, 'e'].map((piece) => texts.isCached(piece)),
      [true, false, true, true, true],
    );
    encoded.length = 0;
    assert.deepEqual(texts.encode(second), [million]);
    assert.deepEqual(encoded, [second]);
    assert.ok(!texts.isCached(newest[0] ?? ''));
    assert.ok(texts.isCached(oldest));
  });

  it('keeps a text whole if no cut is safe', () => {
    // Each id depends on the whole text, so that none of the rules for cuts holds.
    const texts = new TextPieces((text) => [text.length], []);
    assert.deepEqual(texts.split('a\nb\nc\n'), ['a\nb\nc\n']);
    assert.deepEqual(texts.split(''), []);
    const byLetter = new TextPieces((text) => [...text].map((letter) => letter.charCodeAt(0)), []);
    assert.deepEqual(byLetter.split('a\n  b\n\n\nc\n'), ['a\n', '  b\n\n\n', 'c\n']);
  });
});
