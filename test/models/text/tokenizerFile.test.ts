// Tests that all kinds of tokenizer.json yield the ids of the Rust library, or are rejected by name.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedTokens } from '../../../server/models/text/addedTokens';
import { endTokenIds, readTokenizerConfig } from '../../../server/models/text/tokenizerConfig';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import type { Tokenizer } from '../../../server/models/text/tokenizer';
import { libraryTokenizer, readTokenizerFile } from '../../../server/models/text/tokenizerFile';
import { usableTemplate } from '../../support/chatTemplate';
import { PAIR_TARGET } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { writeJson } from '../../support/tinyCheckpoint';
import { writeVocabulary } from '../../support/vocabulary';

interface Vectors {
  readonly texts: readonly string[];
  readonly cases: readonly {
    readonly name: string;
    readonly pre_tokenizer: object;
    readonly ids: number[][];
  }[];
}

const VECTORS = JSON.parse(readFileSync('test/fixtures/preTokenizerIds.json', 'utf8')) as Vectors;
const BUILT_IN = JSON.parse(readFileSync(join(PAIR_TARGET, 'tokenizer.json'), 'utf8')) as {
  readonly model: object;
  readonly added_tokens: readonly object[];
};

function folderOf(file: object): string {
  const folder = temporaryFolder();
  writeJson(folder, 'tokenizer.json', file);
  return folder;
}

function open(file: object): Tokenizer {
  return loadTokenizer(folderOf(file)) ?? assert.fail();
}

describe('pre-tokenizers of a tokenizer.json', () => {
  for (const { name, pre_tokenizer, ids } of VECTORS.cases)
    it(`splits text to the ids of the Rust library: ${name}`, () => {
      const tokenizer = open({ ...BUILT_IN, pre_tokenizer });
      assert.deepEqual(
        VECTORS.texts.map((text) => tokenizer.encodePrompt(text)),
        ids,
      );
    });

  // The tokenizer encodes a text after a line end, to find the ids inside a prompt; it must drop that line end again.
  it('adds one space and no line end to a prompt with add_prefix_space', () => {
    const pre_tokenizer = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true };
    const tokenizer = open({ ...BUILT_IN, pre_tokenizer });
    const ids = tokenizer.encodePrompt('a + b;');
    assert.equal(tokenizer.decode(ids), ' a + b;');
    assert.equal(Buffer.concat(ids.map((id) => tokenizer.bytes(id))).toString(), ' a + b;');
  });
});

describe('vocabulary and merges of a tokenizer.json', () => {
  const { vocab, merges, ...model } = BUILT_IN.model as { vocab: Record<string, number>; merges: string[][] };
  const firstRareId = Math.max(...Object.values(vocab)) + 1000;
  const rare = ['\u{1F642}\n"\\\t/é語', '\uD83D', ''];
  const fullVocab = { ...vocab, ...Object.fromEntries(rare.map((token, i) => [token, firstRareId + i])) };
  const ids = Object.values(fullVocab).reverse();
  const reversedIds = Object.fromEntries(Object.keys(fullVocab).map((token, i) => [token, ids[i]]));
  const file = JSON.stringify({ ...BUILT_IN, model: { ...model, vocab: fullVocab, merges } });
  const inModel = (fields: object): string => JSON.stringify({ ...BUILT_IN, model: { ...model, ...fields } });
  const escaped = (code: string): string => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const spellings: Readonly<Record<string, string>> = {
    'on many lines': JSON.stringify(JSON.parse(file), undefined, '\t').replaceAll('\n', ' \r\n'),
    'in ASCII': file.replace(/[^ -~]/g, escaped).replaceAll('/', '\\/'),
    'after a byte order mark': `\uFEFF${file}`,
    'with the merges first': inModel({ merges, vocab: fullVocab }),
    'with merges as texts': inModel({ vocab: fullVocab, merges: merges.map((merge) => merge.join(' ')) }),
    'with a name in escapes': file.replace('"vocab":', '"voc\\u0061b":'),
    'with ids as floats': file.replace(/":(\d+)0(?=[,}])/g, '":$1.0e1'),
    'with another vocabulary before the merges': inModel({ merges, vocab: fullVocab }).replace(
      '"merges":',
      () => `"vocab":${JSON.stringify(reversedIds)},"merges":`,
    ),
    'after earlier fields of the same name': file.replace('"vocab":', '"vocab":{"a":1},"merges":[],"vocab":'),
  };
  const texts = ['let x = "é1";\n\tfoo(\\"/🙂")', '語'.repeat(70)];

  for (const [spelling, text] of Object.entries(spellings))
    it(`reads vocabulary and merges if written ${spelling}`, () => {
      const folder = temporaryFolder();
      const expected = open(BUILT_IN);
      writeFileSync(join(folder, 'tokenizer.json'), text);
      const tokenizer = loadTokenizer(folder) ?? assert.fail();
      for (const sample of texts) assert.deepEqual(tokenizer.encodeText(sample), expected.encodeText(sample));
      for (const id of Object.values(vocab)) assert.deepEqual(tokenizer.bytes(id), expected.bytes(id));
      const library = libraryTokenizer(
        readTokenizerFile(join(folder, 'tokenizer.json')),
        readTokenizerConfig(folder),
      );
      assert.deepEqual(
        rare.map((_, i) => library.id_to_token(firstRareId + i)),
        rare,
      );
    });

  const wrong: Readonly<Record<string, string>> = {
    'a vocabulary that begins with a colon': inModel({ merges: [], vocab: {} }).replace('{}}', '{:}}'),
    'half a merge': file.replace('"merges":[', '"merges":[[,"a"],'),
    'a comma after the merges': file.replace(/\](?=\}*$)/, ',]'),
    'white space in an escape': file.replace('"vocab":{', '"vocab":{"\\u12  ":3,'),
    'a line end in a token': file.replace('"vocab":{', '"vocab":{"\n":3,'),
    'a zero before an id': file.replace('"vocab":{', '"vocab":{"x y":03,'),
  };
  for (const [what, text] of Object.entries(wrong))
    it(`rejects vocabulary and merges, as JSON.parse does, with ${what}`, async () => {
      assert.throws(() => JSON.parse(text) as unknown, SyntaxError);
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'tokenizer.json'), text);
      await assertRefused(() => loadTokenizer(folder), 'invalid JSON');
    });

  it('rejects a merge that makes no token of the vocabulary, and names it', async () => {
    const folder = folderOf(JSON.parse(inModel({ vocab, merges: [...merges, ['no', 'token!']] })) as object);
    await assertRefused(() => loadTokenizer(folder), '["no","token!"]');
  });
});

describe('the options of byte pairs', () => {
  const letters = ['<unk>', 'a', 'b', 'c', 'ab', 'abc', '<0x3F>'];
  const [unknown, a, , c, ab, abc, mark] = letters.keys() as unknown as readonly number[];
  const encode = (options: object, text: string): number[] => {
    const vocab = Object.fromEntries(letters.map((token, i) => [token, i]));
    const model = { type: 'BPE', vocab, merges: [['a', 'b']], ...options };
    return open({ model, decoder: { type: 'Fuse' } }).encodeText(text);
  };
  const unk = { unk_token: '<unk>' };
  const bytes = { ...unk, byte_fallback: true };

  for (const [what, options, text, ids] of [
    ['merges a word that is a token', {}, 'abc', [ab, c]],
    ['takes a word that is a token whole if merges are ignored', { ignore_merges: true }, 'abc', [abc]],
    [
      'merges a word that is not a token even if merges are ignored',
      { ignore_merges: true },
      'abcc',
      [ab, c, c],
    ],
    ['leaves out unknown characters', {}, 'aé?éa', [a, a]],
    ['writes a token for each unknown character', unk, 'aéea', [a, unknown, unknown, a]],
    ['fuses unknown characters', { ...unk, fuse_unk: true }, 'aéeaé', [a, unknown, a, unknown]],
    ['spells unknown characters by their bytes', bytes, 'a?', [a, mark]],
    ['writes the unknown token for bytes without a token', bytes, 'aé', [a, unknown]],
  ] as const)
    it(`${what}: ${text}`, () => assert.deepEqual(encode(options, text), ids));
});

describe('Unigram vocabularies', () => {
  const { unigramTexts: texts, unigram } = JSON.parse(
    readFileSync('test/fixtures/tokenizerIds.json', 'utf8'),
  ) as {
    readonly unigramTexts: readonly string[];
    readonly unigram: readonly { readonly name: string; readonly file: object; readonly ids: number[][] }[];
  };

  for (const { name, file, ids } of unigram)
    it(`encodes with a Unigram vocabulary to the ids of the Rust library: ${name}`, () => {
      const tokenizer = open(file);
      assert.deepEqual(
        texts.map((text) => tokenizer.encodePrompt(text)),
        ids,
      );
      // Byte tokens restore characters that have no token of their own.
      if (name === 'with byte fallback')
        for (const text of texts) assert.equal(tokenizer.decode(tokenizer.encodeText(text)), text);
    });

  it('writes the unknown token for a letter that only an added token spells, and keeps its neighbours', () => {
    const tokenizer = open({
      model: { type: 'Unigram', unk_id: 0, vocab: ['<unk>', 'a'].map((token, i) => [token, -i]) },
      normalizer: { type: 'Lowercase' },
      decoder: { type: 'Fuse' },
      added_tokens: [{ id: 2, content: 'b', special: false, normalized: false }],
    });
    assert.deepEqual(tokenizer.encodeText('aBa'), [1, 0, 1]);
  });
});

describe('a tokenizer with unsupported parts', () => {
  const split = { type: 'Split', pattern: { String: ' ' }, invert: false };
  const token = BUILT_IN.added_tokens[0];
  const files: Readonly<Record<string, object>> = {
    UnicodeScripts: { pre_tokenizer: { type: 'UnicodeScripts' } },
    FixedLength: { pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'FixedLength', length: 3 }] } },
    behavior: { pre_tokenizer: { ...split, behavior: 'Sometimes' } },
    pattern: { pre_tokenizer: { ...split, behavior: 'Isolated', pattern: {} } },
    prepend_scheme: { pre_tokenizer: { type: 'Metaspace', prepend_scheme: 'last' } },
    Precompiled: { normalizer: { type: 'Sequence', normalizers: [{ type: 'Precompiled' }] } },
    single_word: { added_tokens: [{ ...token, single_word: true }] },
    WordPiece: { model: { ...BUILT_IN.model, type: 'WordPiece' } },
    dropout: { model: { ...BUILT_IN.model, dropout: 0.1 } },
    continuing_subword_prefix: { model: { ...BUILT_IN.model, continuing_subword_prefix: '##' } },
    end_of_word_suffix: { model: { ...BUILT_IN.model, end_of_word_suffix: '</w>' } },
    merges: { model: { ...BUILT_IN.model, merges: ['a nothing'] } },
  };
  for (const [name, change] of Object.entries(files))
    it(`rejects an unsupported part by its name: ${name}`, async () => {
      const folder = folderOf({ ...BUILT_IN, ...change });
      await assertRefused(() => loadTokenizer(folder), name, join(folder, 'tokenizer.json'));
    });
});

describe('added tokens that are ordinary text', () => {
  const written = ['<div>', '</div>', '<a>', '</li>', '<h3>', '<img>', '<iframe>', '</html>', '\n\n'];
  const tags = ['<think>', '</think>', '<mask>', '<tool_call>', '<bos>'];

  it('keeps HTML tags and blank lines in a text as added tokens, unlike the tags of templates', () => {
    const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'], written: [...written, ...tags] });
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
    for (const text of written)
      assert.deepEqual(tokenizer.encodeText(text), [tokenizer.specialTokenId(text)], text);
    for (const tag of tags)
      assert.ok(!tokenizer.encodeText(tag).includes(tokenizer.specialTokenId(tag) ?? NaN), tag);
  });
});

describe('tokenizer files', () => {
  it('accepts missing files, and rejects links to nothing', async () => {
    const folder = temporaryFolder();
    assert.equal(loadTokenizer(folder), undefined);
    assert.equal(usableTemplate(folder, { mark: (text) => text }), undefined);
    assert.equal(addedTokens(join(folder, 'tokenizer.json')), undefined);
    for (const name of [
      'tokenizer_config.json',
      'chat_template.json',
      'chat_template.jinja',
      'tokenizer.json',
    ]) {
      const linked = temporaryFolder();
      symlinkSync(join(linked, 'nowhere'), join(linked, name));
      const use = () =>
        name === 'tokenizer.json' ? loadTokenizer(linked) : usableTemplate(linked, { mark: (text) => text });
      await assertRefused(use, join(linked, name), 'got ');
    }
  });

  it('reads the added tokens without the vocabulary, and rejects damaged ones', async () => {
    const folder = writeVocabulary({ kind: 'bytes', added: ['<s>', '</s>'] });
    const added = addedTokens(join(folder, 'tokenizer.json')) ?? assert.fail();
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
    for (const token of ['<s>', '</s>', '<absent>'])
      assert.equal(added.specialTokenId(token), tokenizer.specialTokenId(token));
    assert.equal(added.mark('a <S> </s>', '|'), 'a <|S> <|/s>');
    assert.equal(addedTokens(join(folderOf({ model: {} }), 'tokenizer.json'))?.mark('<s>', '|'), '<s>');
    const damaged = temporaryFolder();
    writeFileSync(join(damaged, 'tokenizer.json'), '{"added_tokens": [');
    await assertRefused(() => addedTokens(join(damaged, 'tokenizer.json')), damaged, 'added tokens');
  });

  it('reads a tokenizer.json without any of its optional steps', () => {
    const idsOf = (steps: object) => open({ ...BUILT_IN, ...steps }).encodePrompt('let x = "é1"');
    for (const step of ['normalizer', 'post_processor', 'pre_tokenizer', 'decoder'])
      assert.deepEqual(idsOf({ [step]: undefined }), idsOf({ [step]: null }), step);
  });

  it('leaves tokens out of decoded text that tokenizer.json or tokenizer_config.json calls special', () => {
    const token = {
      id: 5_000,
      content: '<mark>',
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    };
    const decoded = (special: boolean, config: object) => {
      const folder = folderOf({
        ...BUILT_IN,
        added_tokens: [...BUILT_IN.added_tokens, { ...token, special }],
      });
      writeJson(folder, 'tokenizer_config.json', config);
      const tokenizer = loadTokenizer(folder) ?? assert.fail();
      return [tokenizer.decode([token.id]), tokenizer.spell([token.id])];
    };
    assert.deepEqual(decoded(false, {}), ['<mark>', '<mark>']);
    assert.deepEqual(decoded(true, {}), ['', '<mark>']);
    assert.deepEqual(decoded(false, { additional_special_tokens: ['<mark>'] }), ['', '<mark>']);
  });

  it('encodes every character once when a normalized token of SentencePiece follows a text', () => {
    const vocab = Object.fromEntries([...'\u2581a<s>/'].map((letter, id) => [letter, id]));
    const tokenizer = open({
      model: { type: 'BPE', vocab, merges: [] },
      normalizer: { type: 'Prepend', prepend: '\u2581' },
      decoder: { type: 'Fuse' },
      added_tokens: [{ id: 9, content: '</s>', special: true, normalized: true }],
    });
    assert.deepEqual(tokenizer.encodePrompt('</s>a</s>a'), [9, 1, 9, 1]);
  });

  it('reads the end token from tokenizer_config.json or special_tokens_map.json, as text or object', () => {
    const folder = folderOf(BUILT_IN);
    const tokenizer = loadTokenizer(folder) ?? assert.fail();
    for (const name of ['tokenizer_config.json', 'special_tokens_map.json']) {
      for (const eos_token of ['<|im_end|>', { content: '<|im_end|>', lstrip: false, special: true }]) {
        writeJson(folder, name, { eos_token });
        assert.deepEqual(endTokenIds(folder, tokenizer), [tokenizer.specialTokenId('<|im_end|>')]);
      }
      writeJson(folder, name, { eos_token: '<nowhere>' });
      assert.deepEqual(endTokenIds(folder, tokenizer), []);
    }
  });
});
