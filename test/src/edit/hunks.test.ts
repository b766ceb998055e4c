// Hunks: whatever is accepted and rejected, in any order and with edits in between, the document has exactly that text.
import assert from 'node:assert/strict';
import {
  decision,
  edited,
  endOf,
  joined,
  moved,
  proposed,
  withoutEmpty,
  type Hunk,
  type TextChange,
} from '../../../src/instruct/edit/hunks';
import { lineDiff } from '../../../src/instruct/edit/lineDiff';
import { seededRandom } from '../../support/seededRandom';

const BEFORE = ['one', 'two', 'three', 'four', 'five'];
const AFTER = ['one', 'TWO', 'three', 'five', 'six'];

/** Lines above and below, which no hunk may touch. */
const around = (lines: readonly string[]): string[] => ['above', ...lines, 'below'];

function change(
  line: number,
  character: number,
  endLine: number,
  endCharacter: number,
  text: string,
): TextChange {
  return { range: { start: { line, character }, end: { line: endLine, character: endCharacter } }, text };
}

function changed(lines: readonly string[], { range: { start, end }, text }: TextChange): string[] {
  const head = lines.slice(0, start.line).map((line) => `${line}\n`);
  const tail = lines.slice(end.line + 1).map((line) => `\n${line}`);
  const first = lines[start.line]?.slice(0, start.character) ?? '';
  return [...head, first, text, lines[end.line]?.slice(end.character) ?? '', ...tail].join('').split('\n');
}

describe('hunks', () => {
  it('have an empty line for each removed one above the new ones', () => {
    const { lines, hunks } = proposed(BEFORE, AFTER, 1);
    assert.deepEqual(lines, ['one', '', 'TWO', 'three', '', 'five', 'six']);
    assert.deepEqual(hunks, [
      { id: 0, line: 2, removed: ['two'], empty: 1, added: 1 },
      { id: 1, line: 5, removed: ['four'], empty: 1, added: 0 },
      { id: 2, line: 7, removed: [], empty: 0, added: 1 },
    ]);
  });

  it('are the new text when all are accepted, and the old one when all are rejected', () => {
    const { lines, hunks } = proposed(BEFORE, AFTER, 1);
    const all = (isAccepted: boolean) =>
      edited(around(lines), joined(hunks.map((hunk) => decision(hunk, isAccepted))));
    assert.deepEqual(all(true), around(AFTER));
    assert.deepEqual(all(false), around(BEFORE));
  });

  it('leave exactly what was decided, one by one and in any order', () => {
    const random = seededRandom(2);
    const pick = (count: number): number => Math.floor(random() * count);
    const draw = (): string[] => Array.from({ length: pick(9) }, () => ['a', 'b', 'c', ''][pick(4)] ?? '');
    for (let i = 0; i < 1000; i += 1) {
      const [before, after] = [draw(), draw()];
      const { lines, hunks } = proposed(before, after, 1);
      let text = around(lines);
      let open: readonly Hunk[] = hunks;
      // By their place in the difference.
      const left = hunks.map((_, k) => k);
      const isAccepted = hunks.map(() => random() < 0.5);
      while (open.length > 0) {
        const k = pick(open.length);
        const hunk = open[k] ?? assert.fail();
        const accepted = isAccepted[left.splice(k, 1)[0] ?? 0] ?? false;
        const edit = decision(hunk, accepted);
        text = edited(text, joined([edit]));
        const grown = edit.lines.length - (edit.to - edit.from);
        open = open
          .filter((each) => each !== hunk)
          .map((each) => (each.line > hunk.line ? { ...each, line: each.line + grown } : each));
      }
      const expected = [...before];
      for (const [k, { at, removed, added }] of [...lineDiff(before, after).entries()].toReversed())
        if (isAccepted[k]) expected.splice(at, removed, ...added);
      assert.deepEqual(text, around(expected));
    }
  });

  it('can be decided as before when the empty lines have been taken out', () => {
    const { lines, hunks } = proposed(BEFORE, AFTER, 1);
    const out = withoutEmpty(hunks);
    const text = edited(around(lines), out.edits);
    assert.deepEqual(text, around(AFTER));
    const all = (isAccepted: boolean) =>
      edited(text, joined(out.hunks.map((hunk) => decision(hunk, isAccepted))));
    assert.deepEqual(all(true), around(AFTER));
    assert.deepEqual(all(false), around(BEFORE));
    assert.deepEqual(withoutEmpty(out.hunks), { edits: [], hunks: out.hunks });
  });

  it('stay in place while the rest of the document is edited', () => {
    const random = seededRandom(3);
    const pick = (count: number): number => Math.floor(random() * count);
    const { lines, hunks } = proposed(BEFORE, AFTER, 1);
    for (let i = 0; i < 1000; i += 1) {
      let text = around(lines);
      let open: readonly Hunk[] = hunks;
      for (let k = 0; k < 5; k += 1) {
        const line = pick(text.length);
        const endLine = Math.min(text.length - 1, line + pick(3));
        const [a, b] = [pick((text[line]?.length ?? 0) + 1), pick((text[endLine]?.length ?? 0) + 1)];
        const [from, to] = line === endLine ? [Math.min(a, b), Math.max(a, b)] : [a, b];
        const edit = change(line, from, endLine, to, ['', 'x', '\n', 'x\n', 'x\ny'][pick(5)] ?? '');
        text = changed(text, edit);
        open = moved(open, edit);
      }
      for (const hunk of open) {
        // Empty lines that stood for others are still there, so that none of the person's own are taken out.
        const { line, removed } = hunk;
        assert.deepEqual(text.slice(line, line + removed.length), Array<string>(removed.length).fill(''));
        assert.ok(endOf(hunk) <= text.length);
      }
      const places = open.map((hunk) => [hunk.line, endOf(hunk)]).flat();
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
    }
  });

  const hunk: Hunk = { id: 0, line: 2, removed: ['a', 'b'], empty: 2, added: 2 };
  const edits: readonly (readonly [what: string, TextChange, Hunk | undefined])[] = [
    ['a line above', change(0, 3, 0, 3, '\n'), { ...hunk, line: 3 }],
    ['a line right above', change(2, 0, 2, 0, 'x\n'), { ...hunk, line: 3 }],
    ['the line above taken out', change(1, 0, 2, 0, ''), { ...hunk, line: 1 }],
    ['a word below', change(6, 0, 6, 0, 'x'), hunk],
    ['a word in an added line', change(4, 1, 4, 2, 'xyz'), hunk],
    ['a line between the added ones', change(4, 3, 4, 3, '\n'), { ...hunk, added: 3 }],
    ['an added line taken out', change(5, 0, 6, 0, ''), { ...hunk, added: 1 }],
    ['a word in an empty line', change(2, 0, 2, 0, 'x'), undefined],
    ['an empty line taken out', change(3, 0, 4, 0, ''), undefined],
    ['a selection that begins above', change(1, 0, 4, 0, ''), undefined],
    ['a selection that ends below', change(5, 0, 6, 1, ''), undefined],
    ['the line above joined to it', change(1, 3, 2, 0, ''), undefined],
    ['everything replaced', change(0, 0, 9, 0, 'x'), undefined],
  ];
  for (const [what, edit, expected] of edits)
    it(`${expected ? 'go on' : 'end'} with ${what}`, () => {
      assert.deepEqual(moved([hunk], edit), expected ? [expected] : []);
    });

  it('become one edit where they touch', () => {
    const edits = [
      { from: 1, to: 2, lines: [] },
      { from: 2, to: 4, lines: ['x'] },
      { from: 6, to: 6, lines: [] },
      { from: 7, to: 8, lines: ['y'] },
    ];
    assert.deepEqual(joined(edits), [
      { from: 1, to: 4, lines: ['x'] },
      { from: 7, to: 8, lines: ['y'] },
    ]);
  });
});
