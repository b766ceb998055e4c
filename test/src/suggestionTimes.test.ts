// When suggestions count as slow, and which of them are counted.
import assert from 'node:assert/strict';
import { COUNTED, slowMs, SuggestionTimes, USEFUL_MS } from '../../src/ghostText/suggestionTimes';

const MODEL = { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } as const;

function times(...parts: readonly (readonly [count: number, milliseconds: number])[]): number[] {
  return parts.flatMap(([count, milliseconds]) => Array.from({ length: count }, () => milliseconds));
}

describe('slowMs', () => {
  it('is the median of enough suggestions, if that is too long', () => {
    assert.equal(slowMs(times([COUNTED, USEFUL_MS + 1]), 0), USEFUL_MS + 1);
    assert.equal(slowMs(times([COUNTED, USEFUL_MS]), 0), undefined);
    assert.equal(slowMs(times([COUNTED - 1, 9000]), 0), undefined);
    assert.equal(slowMs([], 0), undefined);
  });

  it('does not count the pause that the user has set', () => {
    assert.equal(slowMs(times([COUNTED, 3000]), 2000), undefined);
    assert.equal(slowMs(times([COUNTED, 4000]), 2000), 4000);
  });
});

describe('SuggestionTimes', () => {
  it('forgets the oldest, and all of another model', () => {
    const suggestions = new SuggestionTimes();
    suggestions.of(MODEL);
    for (const time of times([COUNTED, 3000])) suggestions.add(time);
    suggestions.of({ ...MODEL });
    assert.equal(suggestions.slow(0), 3000);
    for (const time of times([COUNTED, 80])) suggestions.add(time);
    assert.equal(suggestions.slow(0), undefined);
    for (const time of times([COUNTED, 2000])) suggestions.add(time);
    assert.equal(suggestions.slow(0), 2000);
    suggestions.of({ ...MODEL, target: 'b' });
    assert.equal(suggestions.slow(0), undefined);
  });

  it('goes on with a remote engine whose totals have changed, and not with another host', () => {
    const suggestions = new SuggestionTimes();
    const remote = (host: string, count: number) => {
      const totals = { draftedTokens: count, acceptedTokens: count, tokensPerRound: null };
      return { ...MODEL, remote: { host, totals } };
    };
    suggestions.of(remote('gpu:8000', 1));
    for (const time of times([COUNTED, 3000])) suggestions.add(time);
    suggestions.of(remote('gpu:8000', 2));
    assert.equal(suggestions.slow(0), 3000);
    suggestions.of(remote('other:8000', 2));
    assert.equal(suggestions.slow(0), undefined);
  });
});
