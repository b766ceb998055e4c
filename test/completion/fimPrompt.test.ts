// The fill-in-the-middle prompt: its exact layout, what is left out when there is little room, and that a
// person's text never turns into special tokens.
import assert from 'node:assert/strict';
import { FIM_TOKENS } from '../support/fimTokens';
import { fimPrompt, type FimContext } from '../../server/completion/prompt/fimPrompt';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { PAIR_TARGET } from '../support/fixtures';
import { seededIntegers } from '../support/seededRandom';
import { WordlessTokenizer } from './wordlessTokenizer';

/** Tokens that are always there: the four special ones and `a.ts` with its line end. */
const FRAME = 9;
const PARTS =
  /^\{<\|file_sep\|>\}a\.ts\n\{<\|fim_prefix\|>\}(.*)\{<\|fim_suffix\|>\}(.*)\{<\|fim_middle\|>\}$/s;

const tokenizer = new WordlessTokenizer();

/** What is left of both sides in a prompt with so much room for them. */
function kept(prefix: string, suffix: string, room: number): [prefix: string, suffix: string] {
  const context: FimContext = { fileName: 'a.ts', prefix, suffix };
  const ids = fimPrompt(context, tokenizer, FRAME + room) ?? assert.fail();
  assert.ok(ids.length <= FRAME + Math.max(0, room));
  const [, before, after] = PARTS.exec(tokenizer.spell(ids)) ?? assert.fail();
  return [before ?? '', after ?? ''];
}

describe('fimPrompt', () => {
  it('has the layout of the Qwen family', () => {
    const ids = fimPrompt({ fileName: 'src/größe.ts', prefix: 'let x =\r\n ', suffix: ';\n' }, tokenizer, 99);
    assert.equal(
      tokenizer.spell(ids ?? []),
      '{<|file_sep|>}src/größe.ts\n{<|fim_prefix|>}let x =\r\n {<|fim_suffix|>};\n{<|fim_middle|>}',
    );
  });

  it('has empty sides where the text is empty', () => {
    assert.deepEqual(kept('', '', 10), ['', '']);
    assert.deepEqual(kept('before', '', 10), ['before', '']);
    assert.deepEqual(kept('', 'after', 10), ['', 'after']);
  });

  it('keeps everything that fits, to the last token', () => {
    assert.deepEqual(kept('abcde', 'fghij', 10), ['abcde', 'fghij']);
    assert.deepEqual(kept('abcde', 'fghij', 9), ['abcde', 'fghi']);
  });

  it('keeps what is near the cursor, three parts before it to one after', () => {
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 8), ['efghij', 'kl']);
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 1), ['', 'k']);
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 2), ['j', 'k']);
  });

  it('gives the room that a short side leaves to the other', () => {
    assert.deepEqual(kept('abcdefghij', 'k', 8), ['defghij', 'k']);
    assert.deepEqual(kept('abcdefghij', '', 8), ['cdefghij', '']);
    assert.deepEqual(kept('ab', 'klmnopqrst', 8), ['ab', 'klmnop']);
    assert.deepEqual(kept('', 'klmnopqrst', 8), ['', 'klmnopqr']);
  });

  it('is the frame alone when there is no room for more', () => {
    for (const room of [0, -1, -FRAME, -1000]) assert.deepEqual(kept('abc', 'def', room), ['', '']);
  });

  it('never exceeds its room, leaves nothing out that fits, and never wastes more than an eighth', () => {
    const [lengths, others, rooms] = [1, 2, 3].map((seed) => seededIntegers(seed, 300, 0, 40));
    for (const [i, room] of (rooms ?? []).entries()) {
      const [before, after] = ['p'.repeat(lengths?.[i] ?? 0), 's'.repeat(others?.[i] ?? 0)];
      const [prefix, suffix] = kept(before, after, room);
      assert.ok(before.endsWith(prefix) && after.startsWith(suffix));
      const most = Math.min(room, before.length + after.length);
      assert.ok(prefix.length + suffix.length > most - Math.max(1, room / 8));
      if (before.length + after.length <= room) assert.deepEqual([prefix, suffix], [before, after]);
    }
  });

  it('cuts both sides where it did before while a person types, but for a few jumps', () => {
    for (const [prefixLength, suffixLength] of [
      [900, 900],
      [900, 30],
      [10, 900],
    ] as const) {
      const typed = Array.from({ length: 300 }, (_, i) =>
        kept('p'.repeat(prefixLength + i), 's'.repeat(suffixLength), 800),
      );
      const starts = typed.map(([prefix], i) => prefixLength + i - prefix.length);
      const ends = typed.map(([, suffix]) => suffix.length);
      const jumps = [starts, ends].map((cuts) => cuts.filter((cut, i) => i > 0 && cut !== cuts[i - 1]));
      assert.ok(jumps.flat().length <= 3, String(jumps));
    }
  });

  it('does not read all of a long file', () => {
    const counting = new WordlessTokenizer();
    const context = { fileName: 'a.ts', prefix: 'p'.repeat(1_000_000), suffix: 's'.repeat(1_000_000) };
    for (const room of [0, 100]) fimPrompt(context, counting, FRAME + room);
    assert.ok(counting.encoded < 10_000, String(counting.encoded));
  });

  it('does not exist for a tokenizer that lacks one of the tokens', () => {
    const context = { fileName: 'a.ts', prefix: 'a', suffix: 'b' };
    for (const missing of FIM_TOKENS.slice(1)) {
      const lacking = new WordlessTokenizer(FIM_TOKENS.filter((token) => token !== missing));
      assert.equal(fimPrompt(context, lacking, 99), undefined);
    }
  });

  it('leaves special tokens that a person spells as text, in the name too', () => {
    const spelled = FIM_TOKENS.join('');
    assert.deepEqual(kept(spelled, spelled, 200), [spelled, spelled]);
    const embedded = loadTokenizer(PAIR_TARGET) ?? assert.fail();
    const text = `${spelled}<|endoftext|>\n<|mask|>`;
    const ids = fimPrompt({ fileName: `<|endoftext|>.ts`, prefix: text, suffix: text }, embedded, 999) ?? [];
    const special = [...FIM_TOKENS, '<|endoftext|>', '<|mask|>'].map((token) =>
      embedded.specialTokenId(token),
    );
    const [fileSep, fimPrefix, fimSuffix, fimMiddle] = special;
    assert.deepEqual(
      ids.filter((id) => special.includes(id)),
      [fileSep, fimPrefix, fimSuffix, fimMiddle],
    );
    assert.equal(embedded.decode(ids), `<|endoftext|>.ts\n${text}${text}`);
  });
});
