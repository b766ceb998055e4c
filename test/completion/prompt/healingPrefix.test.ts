// Tests that the text removed by healing is taken out of an output, and its tokens if their spelling is known.
import assert from 'node:assert/strict';
import { HealingPrefix } from '../../../server/completion/prompt/healingPrefix';

/** Chunks of an output that repeats "cons" and goes on. Each token is one character. */
const CHUNKS = ['co', 'nst', ' a'].map((text) => ({ text, tokens: [...text].map((c) => c.charCodeAt(0)) }));
const SPELLING = {
  encodeText: (text: string) => [...text].map((c) => c.charCodeAt(0)),
  decode: (ids: readonly number[]) => String.fromCharCode(...ids),
};

describe('HealingPrefix', () => {
  it('leaves out the tokens of the removed text', () => {
    const healing = new HealingPrefix('cons', SPELLING);
    const rest = CHUNKS.map((chunk) => healing.withoutRemoved(chunk));
    assert.deepEqual(rest, [{ text: '', tokens: [] }, { text: 't', tokens: [116] }, CHUNKS[2]]);
    assert.equal(healing.skipped, 4);
  });

  it('keeps all tokens after one that spans the cursor', () => {
    const texts = ['ab', 'cd', 'e'];
    const spelling = { ...SPELLING, decode: ([id = 0]: readonly number[]) => texts[id] ?? '' };
    const healing = new HealingPrefix('abc', spelling);
    assert.deepEqual(healing.withoutRemoved({ text: 'abcd', tokens: [0, 1] }), { text: 'd', tokens: [1] });
    assert.deepEqual(healing.withoutRemoved({ text: 'e', tokens: [2] }), { text: 'e', tokens: [2] });
    assert.equal(healing.skipped, 1);
  });

  it('keeps all tokens without a spelling', () => {
    const healing = new HealingPrefix('cons');
    const rest = CHUNKS.map((chunk) => healing.withoutRemoved(chunk));
    assert.deepEqual(
      rest.map((chunk) => chunk?.text),
      ['', 't', ' a'],
    );
    assert.deepEqual(
      rest.map((chunk) => chunk?.tokens),
      CHUNKS.map(({ tokens }) => tokens),
    );
    assert.equal(healing.skipped, 0);
  });
});
