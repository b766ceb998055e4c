// Tests the tokenizer that replaces an unknown one: it decodes the texts that it encodes, and splits a prompt only at
// the gap to fill in.
import assert from 'node:assert/strict';
import { TextTokenizer } from '../../server/remote/textTokenizer';

const TEXTS = [
  '',
  'const total = items.map((item) => item.price);\n\treturn  total;\n',
  'aVeryLongIdentifier_with$9 größe 日本 😀\r\n    x',
  '<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>',
  ' \t \n\n  ',
];

describe('the tokenizer for a server with an unknown tokenizer', () => {
  let tokenizer: TextTokenizer;
  beforeEach(() => (tokenizer = new TextTokenizer()));

  it('decodes every text that it encodes, whole or in parts', () => {
    for (const text of TEXTS) {
      const ids = tokenizer.encodeText(text);
      assert.equal(tokenizer.decode(ids), text);
      assert.equal(tokenizer.spell(ids), text);
      assert.equal(Buffer.concat(ids.map((id) => tokenizer.bytes(id))).toString(), text);
      assert.deepEqual(tokenizer.encodePrompt(text), ids);
      const half = text.length >> 1;
      const parts = [text.slice(0, half), text.slice(half)].map((part) => ({
        text: part,
        from: 'message' as const,
      }));
      assert.deepEqual(tokenizer.encodeParts(parts), ids);
    }
  });

  it('splits code into pieces: up to six letters or digits, blanks, or another character', () => {
    const pieces = (text: string): string[] => tokenizer.encodeText(text).map((id) => tokenizer.decode([id]));
    assert.deepEqual(pieces('a = functionName(1);'), [
      'a',
      ' ',
      '=',
      ' functi',
      'onName',
      '(',
      '1',
      ')',
      ';',
    ]);
    assert.deepEqual(pieces('  x\t\ty  \n'), [' ', ' x', '\t', '\t', 'y', ' ', ' ', '\n']);
    assert.equal(new Set(tokenizer.encodeText('a a a')).size, 2);
  });

  it('reads the spelling of a special token as text', () => {
    const special = tokenizer.specialTokenId('<|fim_suffix|>') ?? assert.fail();
    assert.ok(TEXTS.every((text) => !tokenizer.encodeText(text).includes(special)));
    assert.equal(tokenizer.spell([special]), '<|fim_suffix|>');
    assert.equal(tokenizer.decode([special]), '');
    assert.deepEqual([...tokenizer.bytes(special, { skipSpecialTokens: true })], []);
    assert.equal(tokenizer.specialTokenId('<|file_sep|>'), undefined);
  });

  it('splits a fill-in-the-middle prompt into the texts before and after its gap', () => {
    const [prefix, suffix, middle] = ['prefix', 'suffix', 'middle'].map(
      (name) => tokenizer.specialTokenId(`<|fim_${name}|>`) ?? assert.fail(),
    ) as [number, number, number];
    const [before, after] = ['f(', ');'].map((text) => tokenizer.encodeText(text)) as [number[], number[]];
    const gap = [prefix, ...before, suffix, ...after, middle];
    assert.deepEqual(tokenizer.texts(gap), { prompt: 'f(', suffix: ');' });
    assert.deepEqual(tokenizer.texts([prefix, ...before, suffix, middle]), { prompt: 'f(', suffix: '' });
    assert.deepEqual(tokenizer.texts([...gap, ...before]), { prompt: 'f(', suffix: ');' });
    assert.deepEqual(tokenizer.texts(before), { prompt: 'f(' });
    assert.deepEqual(tokenizer.texts([prefix, ...before]), { prompt: 'f(' });
    assert.deepEqual(tokenizer.texts([...before, ...gap]), { prompt: 'f(f();' });
  });
});
