// Commits as sessions of edits, and the hints in them.
import assert from 'node:assert/strict';
import { editsOf } from '../../../bench/edits/commitSessions';
import { added, playEdits } from '../../../bench/edits/editSession';

const START = 'let size = 1;\nuse(size);\nother();\nuse(size, size);\n';
const PATCH = `--- a/a.ts
+++ b/a.ts
@@ -1 +1 @@
-let size = 1;
+let width = 1;
@@ -2,0 +3 @@ use
+added();
@@ -4 +5 @@ other
-use(size, size);
+use(width, width);
`;

describe('sessions of edits', () => {
  it('are the changes of a patch, one for each place in a line, in the text that the ones before have left', () => {
    const edits = editsOf(START, PATCH);
    let text = START;
    for (const { start, end, text: by } of edits) text = text.slice(0, start) + by + text.slice(end);
    assert.equal(text, 'let width = 1;\nuse(size);\nadded();\nother();\nuse(width, width);\n');
    assert.deepEqual(
      edits.map((edit) => edit.text),
      ['width', 'added();\n', 'width', 'width'],
    );
  });

  it('count hints that name the next edit, a later one, or none', () => {
    const outcomes: string[] = [];
    const session = { name: 'a.ts', languageId: 'typescript', start: START, edits: editsOf(START, PATCH) };
    const counts = playEdits(session, (_, outcome) => void outcomes.push(outcome));
    // The hint after the first edit is the use that the commit left alone.
    assert.deepEqual(outcomes, ['wrong', 'next', 'wrong']);
    assert.deepEqual(counts, { edits: 4, hints: 3, next: 1, later: 1 });
    assert.deepEqual(added([counts, counts]), { edits: 8, hints: 6, next: 2, later: 2 });
  });

  it('find a hint that names a later edit', () => {
    const start = 'let size = 1;\nother();\nuse(size);\n';
    const edits = [
      { start: 4, end: 8, text: 'width' },
      { start: 15, end: 20, text: 'another' },
      { start: 30, end: 34, text: 'width' },
    ];
    const counts = playEdits({ name: 'a.ts', languageId: 'typescript', start, edits });
    assert.equal(counts.later, 1);
    assert.equal(counts.next, 0);
  });
});
