// Tests where a text can be cut into pieces, and the cache of pieces, which forgets the least recently used ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { TextPieces } from '../../../server/models/text/textPieces';
import { writeJson } from '../../support/tinyCheckpoint';
import { writeVocabulary } from '../../support/vocabulary';

/** Writes the small vocabulary with more tokens and merges. */
function vocabularyWith(
  vocab: Readonly<Record<string, number>>,
  merges: readonly (readonly string[])[],
): string {
  const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'] });
  const file = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as {
    model: { vocab: object; merges: unknown[] };
  };
  const model = {
    ...file.model,
    vocab: { ...file.model.vocab, ...vocab },
    merges: [...file.model.merges, ...merges],
  };
  writeJson(folder, 'tokenizer.json', { ...file, model });
  return folder;
}

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
});

describe('TextPieces', () => {
  it('keeps a text whole if no cut is safe, and cuts it at line ends otherwise', () => {
    // Each id depends on the whole text, so that none of the rules for cuts holds.
    const texts = new TextPieces((text) => [text.length], []);
    assert.deepEqual(texts.split('a\nb\nc\n'), ['a\nb\nc\n']);
    assert.deepEqual(texts.split(''), []);
    const byLetter = new TextPieces((text) => [...text].map((letter) => letter.charCodeAt(0)), []);
    assert.deepEqual(byLetter.split('a\n  b\n\n\nc\n'), ['a\n', '  b\n\n\n', 'c\n']);
  });

  it('encodes only the line that a key press changes, even if tokens span blank lines', () => {
    const vocab = { '\n': 700, '▁▁\n': 701, '\n▁▁\n': 702 };
    const merges = [
      ['▁▁', '\n'],
      ['\n', '▁▁\n'],
    ];
    const tokenizer = loadTokenizer(vocabularyWith(vocab, merges)) ?? assert.fail();
    const lines = Array.from({ length: 200 }, (_, i) => `  ab${String(i)} (x) {\n`);
    tokenizer.encodeText(lines.join(''));
    const encoding = mock.method(LibraryTokenizer.prototype, 'encode').mock;
    const text = lines.with(100, '  ab1000 (x) {\n').join('');
    const ids = tokenizer.encodeText(text);
    const encoded = encoding.calls.map(({ arguments: [piece] }) => piece);
    encoding.restore();
    assert.deepEqual(encoded, ['  ab1000 (x) {\n']);
    assert.deepEqual(ids, tokenizer.encodeParts([{ text, from: 'message' }]));
    // A token that begins before a line and ends after it stays whole.
    assert.ok(tokenizer.encodeText('a\n  \nb').includes(702));
  });
});
