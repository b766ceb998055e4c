// Tests token healing: which characters before the cursor a prompt leaves out, and how they are removed from the output
// with their tokens.
import assert from 'node:assert/strict';
import { HealedDecode, healedLimits } from '../../../server/completion/prompt/healedDecode';
import { healing, type Spelling } from '../../../server/completion/prompt/healing';
import type { Chunk } from '../../../server/completion/prompt/healingPrefix';
import { loadTokenizer } from '../../../server/models/text/loadTokenizer';
import { PAIR_TARGET } from '../../support/fixtures';
import { FakeDecoder } from '../fakeDecoder';

/** A token for each character. */
const LETTERS: Spelling = {
  encodeText: (text) => [...text].map((letter) => letter.charCodeAt(0)),
  decode: (ids) => String.fromCharCode(...ids),
};

describe('the characters that a healed prompt leaves out', () => {
  const embedded = loadTokenizer(PAIR_TARGET) ?? assert.fail();
  for (const [prefix, removed] of [
    ['const ', ' '],
    ['a\n  return ', ' '],
    ['foo.', '.'],
    ['f(', '('],
    ['f();\n', undefined],
    ['', undefined],
  ] as const)
    it(`are ${removed === undefined ? 'none' : JSON.stringify(removed)} at the end of ${JSON.stringify(prefix)}`, () => {
      assert.deepEqual(
        healing(prefix, embedded),
        removed && { kept: prefix.slice(0, -removed.length), removed },
      );
    });

  it('are at most 24, in the line of the cursor', () => {
    const { tokenizer } = new FakeDecoder([]);
    const word = 'a'.repeat(23);
    assert.equal(healing(`b ${word}`, tokenizer)?.removed, ` ${word}`);
    assert.equal(healing(`b ${word}a`, tokenizer), undefined);
    assert.equal(healing(`b\n${word}`, tokenizer)?.kept, 'b\n');
  });

  it('are none after a complete name', () => {
    const { tokenizer } = new FakeDecoder([]);
    assert.equal(healing('a.size', tokenizer)?.removed, 'size');
    assert.equal(healing('a.size', tokenizer, true), undefined);
  });

  it('are none if a token ends inside a character', () => {
    const half: Spelling = { encodeText: (text) => [...text].map((_, i) => i), decode: () => '\ufffd' };
    assert.equal(healing('a = 😀', half), undefined);
  });
});

describe('the output of a healed prompt', () => {
  /** Reads the outputs of the prompts, in chunks of tokens. */
  async function read(
    outputs: readonly (readonly string[])[],
    removed: readonly string[],
    spelling?: Spelling,
    signal?: AbortSignal,
  ) {
    const limits: unknown[] = [];
    const decodes: unknown[] = [];
    const decode = new HealedDecode<AsyncIterable<Chunk>>(
      { maxTokens: 10, signal },
      (_, { maxTokens }) => {
        const output = outputs[limits.length] ?? [];
        limits.push(maxTokens);
        const chunks = (async function* () {
          for (const text of output)
            yield await Promise.resolve({ text, tokens: LETTERS.encodeText(text), logprobs: [] });
        })();
        decodes.push(chunks);
        return chunks;
      },
      spelling,
    );
    const chunks: Chunk[] = [];
    for await (const chunk of decode.read(removed.map((text) => ({ ids: [], removed: text }))))
      chunks.push(chunk);
    return {
      texts: chunks.map(({ text }) => text),
      tokens: chunks.flatMap(({ tokens = [] }) => tokens).map((token) => String.fromCharCode(token ?? 0)),
      limits,
      decode,
      decodes,
    };
  }

  it('leaves out the repeated characters, and with a spelling their tokens', async () => {
    const { texts, tokens, limits, decode } = await read([['a', 'bc', 'd']], ['ab'], LETTERS);
    assert.deepEqual([texts, tokens, limits], [['', 'c', 'd'], ['c', 'd'], [12]]);
    assert.deepEqual([decode.skipped, decode.isRepeated], [2, true]);
    const unspelled = await read([['a', 'bc', 'd']], ['ab']);
    assert.deepEqual([unspelled.texts, unspelled.tokens.join('')], [['', 'c', 'd'], 'abcd']);
    assert.deepEqual([unspelled.limits, unspelled.decode.skipped], [[10], 0]);
  });

  it('keeps a token that spans the cursor', async () => {
    const pairs: Spelling = { encodeText: LETTERS.encodeText, decode: () => 'xy' };
    const { tokens, decode } = await read([['ab', 'cd']], ['abc'], pairs);
    assert.deepEqual([tokens.join(''), decode.skipped], ['bcd', 1]);
  });

  it('comes from the next prompt unless the first output begins with the removed text', async () => {
    for (const first of [['x'], ['a'], []]) {
      const { texts, limits, decode, decodes } = await read([first, ['c']], ['ab', '']);
      assert.deepEqual([texts.join(''), limits.length], ['c', 2]);
      assert.equal(decode.latest, decodes[1]);
      assert.deepEqual([decode.isRepeated, decode.skipped], [true, 0]);
    }
    const { texts, limits } = await read([['x'], ['y']], ['ab', 'c'], undefined, AbortSignal.abort());
    assert.deepEqual([texts, limits.length], [[], 1], 'a cancelled request decodes no further prompt');
  });

  it('has no latest decode before it is read', () => {
    const decode = new HealedDecode({ maxTokens: 1 }, () => assert.fail());
    assert.throws(() => decode.latest, /before the output is read/);
  });

  it('ends when it does not repeat the removed text, or when the text after that is complete', () => {
    const { isComplete, maxTokens } = healedLimits(
      { maxTokens: 5, isComplete: (text) => text === 'c' },
      'ab',
    );
    assert.equal(maxTokens, 5);
    for (const [output, isEnd] of [
      ['', false],
      ['a', false],
      ['x', true],
      ['ab', false],
      ['abc', true],
      ['abd', false],
    ] as const)
      assert.equal(isComplete?.(output), isEnd, output);
    assert.equal(healedLimits({ maxTokens: 5 }, 'ab').isComplete?.('abc'), false);
    assert.equal(healedLimits({ maxTokens: 5 }, '').isComplete, undefined);
  });
});
