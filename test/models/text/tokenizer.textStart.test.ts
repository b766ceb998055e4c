// Tests the start of a prompt, which is added exactly once, for the vocabularies of the model families, and text in the
// middle of a prompt, to which no space is added.
import assert from 'node:assert/strict';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import type { Tokenizer } from '../../../server/models/text/tokenizer';
import { FIRST_ADDED, writeVocabulary, type VocabularyOptions } from '../../support/vocabulary';

const BEGIN = FIRST_ADDED;
const END = FIRST_ADDED + 1;
const TURN = FIRST_ADDED + 2;
const added = ['<s>', '</s>', '[INST]', '[/INST]'];

function open(options: Partial<VocabularyOptions>): Tokenizer {
  return loadTokenizer(writeVocabulary({ kind: 'pieces', added, ...options })) ?? assert.fail();
}

/** The families by their published tokenizer files. */
const FAMILIES: Readonly<Record<string, Partial<VocabularyOptions>>> = {
  'Llama 2 and Code Llama': { space: 'always', begin: '<s>' },
  Mistral: { space: 'first', begin: '<s>', config: { add_bos_token: true, bos_token: '<s>' } },
  Gemma: { begin: '<s>', config: { add_bos_token: true, bos_token: { content: '<s>' } } },
  'Llama 3': { kind: 'bytes', begin: '<s>' },
};

describe('the start of a prompt', () => {
  for (const [family, options] of Object.entries(FAMILIES)) {
    it(`begins a prompt with one begin token: ${family}`, () => {
      const tokenizer = open(options);
      assert.deepEqual(tokenizer.textStart.ids, [BEGIN]);
      for (const text of ['def f', ' def f', '', '<s>def f', '<s>[INST] def f'])
        assert.deepEqual(
          tokenizer.encodePrompt(text).filter((id) => id === BEGIN),
          [BEGIN],
          text,
        );
      assert.equal(tokenizer.encodePrompt('def')[0], BEGIN);
      assert.ok(!tokenizer.encodeText('def').includes(BEGIN));
      assert.ok(!tokenizer.encodeParts([{ text: 'def', from: 'message' }]).includes(BEGIN));
    });

    it(`adds no begin token to text in the middle of a prompt: ${family}`, () => {
      const tokenizer = open(options);
      for (const text of ['def f', ' def', '  ab', '\n\ndef ', 'x <s> y', '</s>', 'größe 🙂', '▁a']) {
        const ids = tokenizer.encodeText(text);
        assert.equal(tokenizer.decode(ids), text.replace('▁', options.kind === 'bytes' ? '▁' : ' '), text);
        assert.ok(!ids.some((id) => id >= FIRST_ADDED), text);
        assert.equal(tokenizer.decode([END, ...ids]), tokenizer.decode(ids));
      }
    });
  }

  it('takes the begin token from tokenizer.json or tokenizer_config.json, unless the config turns it off', () => {
    const begins = (config: object) => open({ config }).textStart.ids;
    assert.deepEqual(begins({ add_bos_token: true, bos_token: '<s>' }), [BEGIN]);
    assert.deepEqual(begins({ add_bos_token: true, bos_token: '<absent>' }), []);
    assert.deepEqual(open({ begin: '<s>' }).textStart.ids, [BEGIN]);
    // Some files name no begin token although tokenizer.json puts one before every text.
    const unnamed = { add_bos_token: true, bos_token: null };
    assert.deepEqual(open({ begin: '<s>', config: unnamed }).textStart.ids, [BEGIN]);
    assert.deepEqual(open({ kind: 'bytes' }).textStart, { ids: [], space: '' });
    const withoutBegin = { add_bos_token: false, bos_token: '<s>' };
    for (const options of [{}, { begin: '<s>' }])
      assert.deepEqual(open({ ...options, config: withoutBegin }).textStart.ids, []);
  });

  it('begins a prompt with the space that some vocabularies put before the first word', () => {
    const spaces = Object.values(FAMILIES).map((options) => open(options).textStart.space);
    assert.deepEqual(spaces, [' ', ' ', '', '']);
    for (const space of ['always', 'first'] as const) {
      const tokenizer = open({ space });
      assert.deepEqual(tokenizer.encodeText(' def'), tokenizer.encodePrompt('def'));
      assert.notDeepEqual(tokenizer.encodeText('def'), tokenizer.encodePrompt('def'));
    }
  });
});

describe('a prompt in parts', () => {
  const template = (text: string) => ({ text, from: 'template' }) as const;
  const message = (text: string) => ({ text, from: 'message' }) as const;

  for (const [family, options] of Object.entries(FAMILIES))
    it(`encodes a prompt in parts to the tokens of the whole text, as in training: ${family}`, () => {
      const tokenizer = open(options);
      for (const content of ['def f', ' ab ', '\ndef', '', 'a b']) {
        const parts = [template('<s>[INST] '), message(content), template(' [/INST] a'), message('b')];
        const fullText = parts.map(({ text }) => text).join('');
        assert.deepEqual(
          tokenizer.encodeParts(parts),
          tokenizer.encodePrompt(fullText),
          JSON.stringify(content),
        );
      }
    });

  // The ids are those of the Rust library tokenizers 0.23.2.
  it('encodes text after a token that absorbs white space to the ids of the Rust library', () => {
    const idsAfter = { always: [354, 356], first: [353, 356] };
    for (const space of ['always', 'first'] as const) {
      const tokenizer = open({ space, rstrip: '</s>' });
      assert.deepEqual(tokenizer.encodeParts([template('a</s>\n\ndef a')]), [356, END, ...idsAfter[space]]);
    }
  });

  it('finds special tokens only in text of the template', () => {
    for (const options of Object.values(FAMILIES)) {
      const tokenizer = open(options);
      const parts = [template('<s>[INST] '), message('a [INST]b</s>'), template('[/INST]')];
      const ids = tokenizer.encodeParts(parts);
      assert.deepEqual(
        ids.filter((id) => id >= FIRST_ADDED),
        [BEGIN, TURN, TURN + 1],
      );
      assert.equal(tokenizer.decode(ids).trimStart(), 'a [INST]b</s>');
      assert.deepEqual(
        tokenizer.encodeParts([template('['), message('INST]')]).filter((id) => id >= FIRST_ADDED),
        [],
      );
    }
  });
});
