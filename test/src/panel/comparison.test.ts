// The comparison with plain decoding: both times and their ratio, good or bad.
import assert from 'node:assert/strict';
import { comparison, verdict } from '../../../src/panel/ledger';
import { sampleRow } from '../support/sampleRow';

describe('comparison', () => {
  const plain = sampleRow({
    kind: 'compare',
    rounds: [
      [0, 0],
      [0, 0],
    ],
    decodeMs: 270,
  });
  const fast = sampleRow({ kind: 'compare', rounds: [[1, 1]], decodeMs: 120 });

  it('shows both times and their ratio', () => {
    const { text } = comparison({ plain, speculative: fast, identical: true });
    assert.ok(
      text.includes('data-value="300"') &&
        text.includes('data-value="150"') &&
        text.includes('data-ratio="2"') &&
        text.includes('2.00 times as fast'),
    );
  });

  it('says so when drafts cost time, change nothing, or when the texts differ', () => {
    assert.ok(verdict(0.8).includes('did not pay') && verdict(0.8).includes('0.80'));
    assert.ok(verdict(1.001).includes('no difference'));
    assert.ok(verdict(undefined).includes('nothing to compare'));
    const differing = (nearTie: boolean) => {
      const difference = { position: 4, logitGap: 0.1, nearTie };
      return comparison({ plain, speculative: fast, identical: false, difference }).text;
    };
    assert.ok(differing(true).includes('from token 5 on') && differing(true).includes('rounding decides'));
    assert.ok(differing(false).includes('This is a bug'));
  });
});
