// When an output goes round in circles, and what only looks like it.
import assert from 'node:assert/strict';
import { Ending } from '../../server/engine/ending';
import { RepetitionGuard } from '../../server/engine/repetitionGuard';
import { seededIntegers } from '../support/seededRandom';

/** Tokens until the guard ends the output; undefined when it does not. */
function endOf(tokens: readonly number[]): number | undefined {
  const guard = new RepetitionGuard();
  const at = tokens.findIndex((token) => guard.push(token));
  return at < 0 ? undefined : at + 1;
}

const repeated = (piece: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => piece).flat();

describe('RepetitionGuard', () => {
  it('ends a piece that comes four times and over 32 tokens, of any length up to 24', () => {
    for (let length = 1; length <= 24; length++) {
      const piece = Array.from({ length }, (_, i) => 100 + i);
      const end = Math.max(32, 4 * length);
      assert.equal(endOf(repeated(piece, 40)), end);
      assert.equal(endOf(repeated(piece, 40).slice(0, end - 1)), undefined);
      assert.equal(endOf([1, 2, 3, ...repeated(piece, 40)]), 3 + end);
    }
  });

  it('lets pieces pass that are longer', () => {
    assert.equal(
      endOf(
        repeated(
          Array.from({ length: 25 }, (_, i) => i),
          40,
        ),
      ),
      undefined,
    );
  });

  it('lets tables of zeros and rules of dashes pass that are shorter than that', () => {
    const [zero, comma, line, dash] = [1, 2, 3, 4] as const;
    assert.equal(endOf([...repeated([zero, comma], 15), zero, line]), undefined);
    const row = [...repeated([zero, comma], 8), line];
    assert.equal(endOf(repeated(row, 3)), undefined);
    assert.equal(endOf(Array<number>(31).fill(dash)), undefined);
  });

  it('lets lines pass that differ in one token', () => {
    const lines = Array.from({ length: 30 }, (_, i) => [1, 2, 3, 1000 + i, 4, 5]).flat();
    assert.equal(endOf(lines), undefined);
  });

  it('lets random text pass', () => {
    for (let seed = 0; seed < 20; seed++) assert.equal(endOf(seededIntegers(seed, 2000, 0, 3)), undefined);
  });
});

describe('an output that goes round in circles', () => {
  const circles = [9, 8, ...repeated([5, 6, 7], 30)];
  const rules = { maxTokens: 200, endTokenIds: [0], stopStrings: [] };

  it('ends at the same token however the rounds fall', () => {
    for (let size = 1; size <= 16; size++) {
      const ending = new Ending({ ...rules, repetitionGuard: true }, undefined);
      const kept: number[] = [];
      for (let from = 0; from < circles.length; from += size) {
        const { tokens, finishReason } = ending.cut(circles.slice(from, from + size));
        kept.push(...tokens);
        if (!finishReason) continue;
        assert.equal(finishReason, 'repetition');
        break;
      }
      assert.equal(kept.length, 2 + 32);
    }
  });

  it('goes on where nobody asked for an end', () => {
    const { tokens, finishReason } = new Ending(rules, undefined).cut(circles);
    assert.deepEqual([tokens.length, finishReason], [circles.length, undefined]);
  });

  it('stops rather than repeats at an end token', () => {
    const ending = new Ending({ ...rules, endTokenIds: [7], repetitionGuard: true }, undefined);
    assert.equal(ending.cut(Array<number>(32).fill(7)).finishReason, 'stop');
  });
});
