// Pieces of text from single tokens: whole characters only, and together the text of all tokens.
// On tokenizers written for the purpose and on the one of the embedded pair.
import assert from 'node:assert/strict';
import { Detokenizer } from '../../server/models/text/detokenizer';
import { loadTokenizer, type Tokenizer } from '../../server/models/text/tokenizer';
import { PAIR_TARGET } from '../support/fixtures';
import { PieceTokenizer } from '../support/pieceTokenizer';
import { seededIntegers } from '../support/seededRandom';

const SMILE = Buffer.from('🙂');
const TEXT = 'const π = "日本語 🙂👩‍👩‍👧";\n\t// naïve — ﬁn é';

const of = (tokenizer: Pick<Tokenizer, 'bytes'>, before?: readonly number[]): Detokenizer =>
  new Detokenizer((token) => tokenizer.bytes(token, 'left out'), before);

/** One piece per token. */
function pieces(tokenizer: Tokenizer, tokens: readonly number[]): string[] {
  const detokenizer = of(tokenizer);
  return tokens.map((token) => detokenizer.push(token));
}

/** The pieces make up the text, without a character that may have begun at its end. */
function requireWhole(tokenizer: Tokenizer, tokens: readonly number[]): void {
  const given = pieces(tokenizer, tokens).join('');
  const whole = tokenizer.decode(tokens);
  assert.ok([whole, whole.replace(/\uFFFD$/, '')].includes(given), `tokens ${tokens.join(' ')}`);
}

describe('Detokenizer', () => {
  const bytes = PieceTokenizer.ofBytes();

  it('never gives out a character that is not whole, but one that was written', () => {
    const written = new PieceTokenizer(['x', '\uFFFD', SMILE.subarray(0, 3), SMILE.subarray(3)]);
    assert.deepEqual(pieces(written, [0, 2]), ['x', '']);
    assert.deepEqual(pieces(written, [0, 1]), ['x', '\uFFFD']);
    assert.deepEqual(pieces(written, [1, 2]), ['\uFFFD', '']);
    assert.deepEqual(pieces(written, [2, 3, 1, 2]), ['', '🙂', '\uFFFD', '']);
  });

  it('completes a character that has begun before', () => {
    for (const split of [1, 2, 3]) {
      const tokens = [0x61, ...SMILE];
      const detokenizer = of(bytes, tokens.slice(0, 1 + split));
      assert.equal(detokenizer.peek(tokens.slice(1 + split)), '🙂');
      assert.deepEqual(
        tokens.slice(1 + split).map((token) => detokenizer.push(token)),
        [...Array<string>(3 - split).fill(''), '🙂'],
      );
    }
  });

  it('goes on after bytes that are no text', () => {
    assert.equal(pieces(bytes, [0xff, 0x80, 0x41, 0xe6, 0x42]).join(''), '\uFFFD\uFFFDA\uFFFDB');
  });

  it('gives the text of all tokens together, for any bytes', () => {
    for (let seed = 0; seed < 200; seed++) requireWhole(bytes, seededIntegers(seed, 40, 0, 255));
    for (let seed = 0; seed < 200; seed++) requireWhole(bytes, seededIntegers(seed, 40, 0x7e, 0xf4));
    requireWhole(bytes, [...Buffer.from(TEXT)]);
  });

  describe('with the tokenizer of the embedded pair', () => {
    let tokenizer: Tokenizer;
    before(() => {
      const loaded = loadTokenizer(PAIR_TARGET);
      assert.ok(loaded);
      tokenizer = loaded;
    });

    it('splits characters over tokens and gives them out whole', () => {
      const tokens = tokenizer.encodeText(TEXT);
      assert.ok(
        tokens.some((token) => tokenizer.decode([token]).includes('\uFFFD')),
        'no character is split',
      );
      requireWhole(tokenizer, tokens);
      assert.equal(pieces(tokenizer, tokens).join(''), TEXT);
    });
  });
});
