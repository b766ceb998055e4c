// Tests the maximum length of prompts: it follows the prefill speed in coarse steps, and is stable within a document.
import assert from 'node:assert/strict';
import { PromptTokens } from '../../../server/completion/prompt/promptTokens';

/** Returns the lengths for one document after another, each at one of the prefill speeds (tokens/ms). */
function lengths(speeds: readonly (number | undefined)[]): readonly number[] {
  const tokens = new PromptTokens();
  return speeds.map((speed, i) => tokens.of(String(i), 'auto', { prefillSpeed: speed }));
}

describe('the maximum length of prompts', () => {
  it('is a power of two that is read in a second, within bounds', () => {
    const speeds = [0.001, 0.3, 0.6, 1.1, 1.6, 3.2, 6.2, 100];
    assert.deepEqual(
      speeds.map((speed) => lengths([speed])[0]),
      [512, 512, 512, 1024, 1024, 2048, 4096, 4096],
    );
  });

  it('does not change with noise around a step', () => {
    assert.deepEqual(lengths([1.9, 2.1, 1.9, 2.1, 2.9, 2.2]), Array(6).fill(1024));
    assert.deepEqual(lengths([3.2, 2.1, 2.9, 2.1]), Array(4).fill(2048));
  });

  it('stays the same in a document, and follows the measured speed in the next one', () => {
    const tokens = new PromptTokens();
    assert.equal(tokens.of('a', 'auto', { prefillSpeed: 1.2 }), 1024);
    for (const speed of [0.1, 50, undefined])
      assert.equal(tokens.of('a', 'auto', { prefillSpeed: speed }), 1024);
    assert.equal(tokens.of('b', 'auto', { prefillSpeed: 50 }), 4096);
    assert.equal(
      tokens.of('a', 'auto', { prefillSpeed: 50 }),
      1024,
      'two windows used alternately keep their lengths',
    );
    // Four more documents, so that the length of the first one is forgotten.
    for (const uri of ['c', 'd', 'e', 'f']) tokens.of(uri, 'auto', { prefillSpeed: 50 });
    assert.equal(tokens.of('a', 'auto', { prefillSpeed: 0.1 }), 512);
    assert.equal(
      tokens.of('f', 300, { prefillSpeed: 50 }),
      300,
      'the setting overrides the automatic length',
    );
    assert.equal(tokens.of('f', 'auto', { prefillSpeed: 50 }), 4096);
  });

  it('stays the same in the four documents that were used last', () => {
    const tokens = new PromptTokens();
    for (const uri of ['a', 'b', 'c', 'd', 'a', 'e']) tokens.of(uri, 'auto', { prefillSpeed: 50 });
    assert.equal(tokens.of('a', 'auto', { prefillSpeed: 0.1 }), 4096);
    assert.equal(tokens.of('b', 'auto', { prefillSpeed: 0.1 }), 512);
  });

  it('begins with the expected speed of a mixture of experts until the speed is measured', () => {
    const first = (expectedPrefillSpeed: number | undefined) =>
      new PromptTokens().of('a', 'auto', { expectedPrefillSpeed });
    assert.deepEqual([undefined, 0.05, 0.215, 0.39, 0.6, 3].map(first), [1024, 256, 256, 256, 512, 1024]);
    const tokens = new PromptTokens();
    assert.equal(tokens.of('a', 'auto', { expectedPrefillSpeed: 0.2 }), 256);
    const measured = { prefillSpeed: 1.2, expectedPrefillSpeed: 0.2 };
    assert.equal(tokens.of('a', 'auto', measured), 256, 'a document that was not left keeps its length');
    assert.equal(tokens.of('b', 'auto', measured), 1024);
    assert.equal(tokens.of('a', 'auto', measured), 1024, 'on return, a document gets the measured length');
  });
});
