// Tests how fill-in-the-middle prompts are cut: they keep the text near the cursor and use nearly all of their room,
// and a long file is not encoded whole.
import assert from 'node:assert/strict';
import type { FimContext } from '../../../server/completion/prompt/fimPrompt';
import { fimPrompt } from '../../support/fimPrompt';
import { seededIntegers } from '../../support/seededRandom';
import { WordlessTokenizer } from '../wordlessTokenizer';

/** Number of tokens in every prompt: the four special ones and `a.ts` with its line end. */
const FRAME = 9;
const PARTS =
  /^\{<\|file_sep\|>\}a\.ts\n\{<\|fim_prefix\|>\}(.*)\{<\|fim_suffix\|>\}(.*)\{<\|fim_middle\|>\}$/s;

const tokenizer = new WordlessTokenizer();

/** Returns the text that stays on both sides in a prompt with this room for them, in tokens. */
function kept(prefix: string, suffix: string, room: number): [prefix: string, suffix: string] {
  const context: FimContext = { fileName: 'a.ts', prefix, suffix };
  const ids = fimPrompt(context, tokenizer, FRAME + room) ?? assert.fail();
  assert.ok(ids.length <= FRAME + Math.max(0, room));
  const [, before, after] = PARTS.exec(tokenizer.spell(ids)) ?? assert.fail();
  return [before ?? '', after ?? ''];
}

describe('fimSegments', () => {
  it('keeps the text near the cursor, three parts before it to one after it', () => {
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 8), ['efghij', 'kl']);
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 1), ['', 'k']);
    assert.deepEqual(kept('abcdefghij', 'klmnopqrst', 2), ['j', 'k']);
  });

  it('never exceeds its room, cuts nothing that fits, and wastes at most an eighth', () => {
    const [prefixLengths, suffixLengths, rooms] = [1, 2, 3].map((seed) => seededIntegers(seed, 300, 0, 40));
    for (const [i, room] of (rooms ?? []).entries()) {
      const before = 'p'.repeat(prefixLengths?.[i] ?? 0);
      const after = 's'.repeat(suffixLengths?.[i] ?? 0);
      const [prefix, suffix] = kept(before, after, room);
      assert.ok(before.endsWith(prefix) && after.startsWith(suffix));
      const possible = Math.min(room, before.length + after.length);
      assert.ok(prefix.length + suffix.length > possible - Math.max(1, room / 8));
      if (before.length + after.length <= room) assert.deepEqual([prefix, suffix], [before, after]);
    }
  });

  it('does not encode all of a long file', () => {
    const counting = new WordlessTokenizer();
    const context = { fileName: 'a.ts', prefix: 'p'.repeat(1_000_000), suffix: 's'.repeat(1_000_000) };
    for (const room of [0, 100]) fimPrompt(context, counting, FRAME + room);
    assert.ok(counting.encodedCharacters < 10_000, String(counting.encodedCharacters));
  });
});
