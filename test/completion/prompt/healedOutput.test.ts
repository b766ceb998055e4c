// Tests the output of a healed prompt: the removed text is taken out of it, with its tokens if their spelling is known,
// and the limits of the decode make room for it.
import assert from 'node:assert/strict';
import { HealedOutput } from '../../../server/completion/prompt/healedOutput';

/** Chunks of an output that repeats "cons" and goes on. Each token is one character. */
const CHUNKS = ['co', 'nst', ' a'].map((text) => ({ text, tokens: [...text].map((c) => c.charCodeAt(0)) }));
const SPELLING = {
  encodeText: (text: string) => [...text].map((c) => c.charCodeAt(0)),
  decode: (ids: readonly number[]) => String.fromCharCode(...ids),
};

describe('the output of a healed prompt', () => {
  it('leaves out the removed text and its tokens', () => {
    const healed = new HealedOutput('cons', SPELLING);
    const rest = CHUNKS.map((chunk) => healed.push(chunk));
    assert.deepEqual(rest, [{ text: '', tokens: [] }, { text: 't', tokens: [116] }, CHUNKS[2]]);
    assert.equal(healed.skipped, 4);
  });

  it('keeps all tokens after one that spans the cursor', () => {
    const texts = ['ab', 'cd', 'e'];
    const spelling = { ...SPELLING, decode: ([id = 0]: readonly number[]) => texts[id] ?? '' };
    const healed = new HealedOutput('abc', spelling);
    assert.deepEqual(healed.push({ text: 'abcd', tokens: [0, 1] }), { text: 'd', tokens: [1] });
    assert.deepEqual(healed.push({ text: 'e', tokens: [2] }), { text: 'e', tokens: [2] });
    assert.equal(healed.skipped, 1);
  });

  it('keeps all tokens without a spelling', () => {
    const healed = new HealedOutput('cons');
    const rest = CHUNKS.map((chunk) => healed.push(chunk));
    assert.deepEqual(
      rest.map((chunk) => chunk?.text),
      ['', 't', ' a'],
    );
    assert.deepEqual(
      rest.map((chunk) => chunk?.tokens),
      CHUNKS.map(({ tokens }) => tokens),
    );
    assert.equal(healed.skipped, 0);
  });

  it('is repeated once all of the removed text has arrived', () => {
    const healed = new HealedOutput('cons');
    const states = CHUNKS.map((chunk) => [healed.push(chunk)?.text, healed.isRepeated]);
    assert.deepEqual(states, [
      ['', false],
      ['t', true],
      [' a', true],
    ]);
    assert.equal(new HealedOutput('').isRepeated, true);
  });

  it('has no text if it does not begin with the removed text', () => {
    for (const texts of [['x'], ['c', 'x'], ['con', 'x']]) {
      const healed = new HealedOutput('cons', SPELLING);
      const rest = texts.map((text) => healed.push({ text, tokens: SPELLING.encodeText(text) }));
      assert.deepEqual([rest.at(-1), healed.isRepeated], [undefined, false], texts.join());
    }
  });

  it('can be longer by the tokens of the removed text, if their spelling is known', () => {
    assert.equal(new HealedOutput('ab', SPELLING).limits({ maxTokens: 5 }).maxTokens, 7);
    assert.equal(new HealedOutput('ab').limits({ maxTokens: 5 }).maxTokens, 5);
    assert.equal(new HealedOutput('', SPELLING).limits({ maxTokens: 5 }).maxTokens, 5);
  });

  it('ends when it does not repeat the removed text, or when the text after that is complete', () => {
    const healed = new HealedOutput('ab');
    const { isComplete } = healed.limits({ maxTokens: 5, isComplete: (text) => text === 'c' });
    for (const [output, isEnd] of [
      ['', false],
      ['a', false],
      ['x', true],
      ['ab', false],
      ['abc', true],
      ['abd', false],
    ] as const)
      assert.equal(isComplete?.(output), isEnd, output);
    assert.equal(healed.limits({ maxTokens: 5 }).isComplete?.('abc'), false);
    assert.equal(new HealedOutput('').limits({ maxTokens: 5 }).isComplete, undefined);
  });
});
