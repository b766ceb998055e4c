// Figures of a few fills that can be counted by hand: all together, by kind, by language, and one pair against another.
import assert from 'node:assert/strict';
import type { Fill } from '../../../bench/holes/fillHoles';
import type { Hole } from '../../../bench/holes/holes';
import { holesReport, renderHoles, type PairFills } from '../../../bench/holes/holesReport';
import { holeOf } from './holeOf';

const FIRST = holeOf('let a = ⟦12;⟧\n');
const SECOND = holeOf('{\n  ⟦a();\n  b();⟧\n}\n', { kind: 'block' });
const THIRD = holeOf('a = f(⟦x⟧)\n', { path: 'python/a.py', kind: 'arguments' });

const fill = (hole: Hole, text: string, rounds: number, roundTokens: number): Fill => ({
  hole,
  text,
  outcome: text === '' ? 'filtered' : 'shown',
  rounds,
  roundTokens,
});
const OURS: PairFills = {
  target: 'new',
  drafter: 'new-drafter',
  fills: [fill(FIRST, '12;', 1, 3), fill(SECOND, 'a();\n  c();', 2, 8), fill(THIRD, '', 0, 0)],
};
const THEIRS: PairFills = {
  target: 'old',
  drafter: 'none',
  fills: [fill(FIRST, '13;', 3, 3), fill(SECOND, 'a();\n  b();', 4, 4), fill(THIRD, '', 1, 1)],
};
const WHERE = { draftLength: 'full', device: 'cpu' };

describe('holesReport', () => {
  it('has means over all holes, over each kind, and over each language', () => {
    const { pairs, change, cpu, cores, ...rest } = holesReport(WHERE, [OURS]);
    assert.ok(cpu.length > 0 && cores > 0);
    assert.deepEqual(rest, {
      ...WHERE,
      platform: `${process.platform}-${process.arch}`,
      node: process.versions.node,
    });
    assert.equal(change, undefined);
    const [pair, ...more] = pairs;
    assert.deepEqual(more, []);
    assert.deepEqual([pair?.target, pair?.drafter], ['new', 'new-drafter']);
    const names = pair?.figures.map(({ name, holes }) => `${name} ${String(holes)}`);
    assert.deepEqual(names, ['all 3', 'rest 1', 'arguments 1', 'block 1', 'typescript 2', 'python 1']);
    const [all, , , block, typescript, python] = pair?.figures ?? [];
    assert.deepEqual(all, {
      name: 'all',
      holes: 3,
      exactMatch: 2 / 3,
      editSimilarity: 2 / 3,
      wholeExactMatch: 1 / 3,
      wholeEditSimilarity: (1 + (1 - 1 / 11)) / 3,
      empty: 1 / 3,
      filtered: 1 / 3,
      tokensPerRound: 11 / 3,
    });
    assert.equal(block?.wholeEditSimilarity, 1 - 1 / 11);
    assert.equal(block.writtenMatch, 0);
    assert.equal(typescript?.exactMatch, 1);
    assert.deepEqual([python?.empty, python?.tokensPerRound], [1, 0]);
  });

  it('has the change of the first lines over another pair', () => {
    const { pairs, change } = holesReport(WHERE, [OURS, THEIRS]);
    assert.deepEqual(
      pairs.map(({ target }) => target),
      ['new', 'old'],
    );
    assert.equal(change?.exactMatch.relative, 1);
    assert.ok(Math.abs((change?.editSimilarity.relative ?? 0) - (2 / (1 + 2 / 3) - 1)) < 1e-12);
    const same = holesReport(WHERE, [OURS, OURS]).change;
    const none = { relative: 0, low: 0, high: 0 };
    assert.deepEqual(same, { exactMatch: none, editSimilarity: none });
  });

  it('is a table for each pair, and one of the change', () => {
    const lines = renderHoles(holesReport(WHERE, [OURS, THEIRS])).split('\n');
    const cells = lines.map((line) => line.trim().split(/ {2,}/));
    assert.equal(lines[0], 'Holes (new, drafter new-drafter)');
    const all = ['all', '3', '66.7 %', '66.7 %', '33.3 %', '63.6 %', '33.3 %', '33.3 %', '3.67'];
    assert.deepEqual(cells[2], all);
    assert.ok(lines.includes('Holes (old, drafter none)'));
    const at = lines.indexOf('Relative change (new against old, first line)');
    assert.deepEqual(cells[at + 2]?.slice(0, 2), ['exact', '+100.0 %']);
    assert.deepEqual(cells[at + 3]?.slice(0, 2), ['similarity', '+20.0 %']);
  });
});
