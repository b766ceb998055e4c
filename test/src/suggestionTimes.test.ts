// Which times of suggestions are counted.
import assert from 'node:assert/strict';
import { SuggestionTimes } from '../../src/ghostText/middleware';

const COUNTED = 20;
const MODEL = { target: 'a', device: 'cpu', infill: 'fim', maxDraftTokens: 0 } as const;

function times(...parts: readonly (readonly [count: number, milliseconds: number])[]): number[] {
  return parts.flatMap(([count, milliseconds]) => Array.from({ length: count }, () => milliseconds));
}

describe('SuggestionTimes', () => {
  it('forgets the oldest, and all of another model', () => {
    const suggestions = new SuggestionTimes();
    suggestions.of(MODEL);
    for (const time of times([COUNTED, 3000])) suggestions.add(time);
    suggestions.of({ ...MODEL });
    assert.equal(suggestions.typical, 3000);
    for (const time of times([COUNTED, 80])) suggestions.add(time);
    assert.equal(suggestions.typical, 80);
    for (const time of times([COUNTED, 2000])) suggestions.add(time);
    assert.equal(suggestions.typical, 2000);
    suggestions.of({ ...MODEL, target: 'b' });
    assert.equal(suggestions.typical, undefined);
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
    assert.equal(suggestions.typical, 3000);
    suggestions.of(remote('other:8000', 2));
    assert.equal(suggestions.typical, undefined);
  });
});
