// Tests hunks: after decisions in any order, the document has exactly the accepted text, and hunks follow its edits.
import assert from 'node:assert/strict';
import {
  decision,
  edited,
  endOf,
  joined,
  moved,
  proposed,
  type Hunk,
  type TextChange,
} from '../../../src/instruct/edit/hunks';
import { lineDiff } from '../../../server/rules/lineDiff';
import { seededRandom } from '../../support/seededRandom';

const BEFORE = ['one', 'two', 'three', 'four', 'five'];
const AFTER = ['one', 'TWO', 'three', 'five', 'six'];

/** Adds lines above and below, which no hunk must touch. */
const around = (lines: readonly string[]): string[] => ['above', ...lines, 'below'];

/** Returns the lines after a change. */
function changed(lines: readonly string[], { range: { start, end }, text }: TextChange): string[] {
  const head = lines.slice(0, start.line).map((line) => `${line}\n`);
  const tail = lines.slice(end.line + 1).map((line) => `\n${line}`);
  const first = lines[start.line]?.slice(0, start.character) ?? '';
  return [...head, first, text, lines[end.line]?.slice(end.character) ?? '', ...tail].join('').split('\n');
}

describe('hunks of a proposed edit', () => {
  it('leave exactly the accepted changes in the document, in whatever order they are decided', () => {
    const random = seededRandom(2);
    const pick = (count: number): number => Math.floor(random() * count);
    const draw = (): string[] => Array.from({ length: pick(9) }, () => ['a', 'b', 'c', ''][pick(4)] ?? '');
    for (let i = 0; i < 1000; i += 1) {
      const [before, after] = [draw(), draw()];
      const { lines, hunks } = proposed(before, after, 1);
      let text = around(lines);
      let open: readonly Hunk[] = hunks;
      // Indices of the open hunks in the difference; `isAccepted` has a decision for each index.
      const openIndices = hunks.map((_, k) => k);
      const isAccepted = hunks.map(() => random() < 0.5);
      while (open.length > 0) {
        const k = pick(open.length);
        const hunk = open[k] ?? assert.fail();
        const accepted = isAccepted[openIndices.splice(k, 1)[0] ?? 0] ?? false;
        const edit = decision(hunk, accepted);
        text = edited(text, joined([edit]));
        const growth = edit.lines.length - (edit.to - edit.from);
        open = open
          .filter((candidate) => candidate !== hunk)
          .map((later) => (later.line > hunk.line ? { ...later, line: later.line + growth } : later));
      }
      const expected = [...before];
      for (const [k, { at, removed, added }] of [...lineDiff(before, after).entries()].toReversed())
        if (isAccepted[k]) expected.splice(at, removed, ...added);
      assert.deepEqual(text, around(expected));
    }
  });

  it('move along with edits of the document, or end, and never overlap', () => {
    const random = seededRandom(3);
    const pick = (count: number): number => Math.floor(random() * count);
    const { lines, hunks } = proposed(BEFORE, AFTER, 1);
    let movedCount = 0;
    for (let i = 0; i < 1000; i += 1) {
      let text = around(lines);
      let open: readonly Hunk[] = hunks;
      for (let k = 0; k < 5; k += 1) {
        const line = pick(text.length);
        const endLine = Math.min(text.length - 1, line + pick(3));
        const [a, b] = [pick((text[line]?.length ?? 0) + 1), pick((text[endLine]?.length ?? 0) + 1)];
        const [from, to] = line === endLine ? [Math.min(a, b), Math.max(a, b)] : [a, b];
        const range = { start: { line, character: from }, end: { line: endLine, character: to } };
        const edit: TextChange = { range, text: ['', 'x', '\n', 'x\n', 'x\ny'][pick(5)] ?? '' };
        text = changed(text, edit);
        open = moved(open, edit);
      }
      for (const hunk of open) {
        if (hunk.line !== hunks[hunk.id]?.line) movedCount += 1;
        // Placeholder lines are still there, so that no line of the user is removed.
        const { line, removed } = hunk;
        assert.deepEqual(text.slice(line, line + removed.length), Array<string>(removed.length).fill(''));
        assert.ok(endOf(hunk) <= text.length);
      }
      const bounds = open.map((hunk) => [hunk.line, endOf(hunk)]).flat();
      assert.deepEqual(
        bounds,
        bounds.toSorted((a, b) => a - b),
      );
    }
    assert.ok(movedCount > 100, `${movedCount} hunks kept and moved`);
  });

  it('are merged where they are adjacent, and dropped where they have no effect', () => {
    assert.deepEqual(
      joined([
        { from: 1, to: 2, lines: ['a'] },
        { from: 2, to: 4, lines: [] },
        { from: 5, to: 5, lines: [] },
        { from: 6, to: 6, lines: ['b'] },
      ]),
      [
        { from: 1, to: 4, lines: ['a'] },
        { from: 6, to: 6, lines: ['b'] },
      ],
    );
  });

  // The hunk has an empty line in line 2, and two added ones below it.
  for (const [what, [line, character, endLine, endCharacter], text, expected] of [
    ['moves up when the line above it is deleted', [1, 0, 2, 0], '', [1, 2]],
    ['moves down when a line is inserted at its start', [2, 0, 2, 0], 'x\n', [3, 2]],
    ['stays when the line above it is edited', [1, 0, 1, 1], 'y', [2, 2]],
    ['moves down when the line above it is split', [1, 1, 1, 1], '\n', [3, 2]],
    ['ends when the line above it is joined with it', [1, 1, 2, 0], '', undefined],
    ['ends when other text replaces the line break above it', [1, 0, 2, 0], 'x', undefined],
    ['ends when its empty line is filled', [2, 0, 2, 0], 'x', undefined],
    ['ends when its empty line is deleted', [2, 0, 3, 0], '', undefined],
    ['grows when an added line is split', [3, 1, 3, 1], '\n', [2, 3]],
    ['shrinks when an added line is deleted', [3, 0, 4, 0], '', [2, 1]],
    ['loses its added lines when they are deleted', [3, 0, 5, 0], '', [2, 0]],
    ['ends when its last line is joined with the line below it', [4, 1, 5, 0], '', undefined],
    ['stays when the line below it is edited', [5, 0, 5, 0], 'x', [2, 2]],
  ] as const)
    it(`follow changes: a hunk ${what}`, () => {
      const hunk: Hunk = { id: 0, line: 2, removed: ['old'], empty: 1, added: 2 };
      const range = { start: { line, character }, end: { line: endLine, character: endCharacter } };
      const [now] = moved([hunk], { range, text });
      assert.deepEqual(now && [now.line, now.added], expected);
    });

  it('end when their last added line is deleted and none was removed', () => {
    const hunk: Hunk = { id: 0, line: 1, removed: [], empty: 0, added: 1 };
    const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
    assert.deepEqual(moved([hunk], { range, text: '' }), []);
  });
});
