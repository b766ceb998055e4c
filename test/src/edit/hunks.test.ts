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
});
