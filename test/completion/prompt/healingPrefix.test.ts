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
