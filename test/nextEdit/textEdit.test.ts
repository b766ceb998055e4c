// Tests the conversion of changed lines to edits of the text.
import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { textEdit } from '../../server/nextEdit/textEdit';
import { withChange } from '../../server/rules/lineDiff';
import { textDifference } from '../../server/rules/textDifference';
import { seededRandom } from '../support/seededRandom';

const OLD = ['const a = 1;', 'const b = 2;', '', 'f(a);', '}', 'f(b);', '}', 'return a + b;'];

describe('textEdit', () => {
  it('gives the changed document with either line end, and splits no character in half', () => {
    const random = seededRandom(3);
    const pick = (count: number): number => Math.floor(random() * count);
    const line = (): string =>
      Array.from({ length: pick(5) }, () => ['a', '😀', '😁', ' ', 'é', '語'][pick(6)]).join('');
    for (const [eol, isOpen] of [
      ['\n', false],
      ['\r\n', false],
      ['\n', true],
      ['\r\n', true],
    ] as const)
      for (let round = 0; round < 300; round += 1) {
        const lines = [...Array.from({ length: 1 + pick(6) }, line), ...(isOpen ? [] : [''])];
        const at = pick(lines.length + 1);
        const change = {
          at,
          removed: pick(lines.length - at + 1),
          added: Array.from({ length: pick(3) }, line),
        };
        if (change.removed === lines.length && change.added.length === 0) continue;
        const { range, newText } = textEdit(change, lines);
        const document = TextDocument.create('file:///a', 'x', 1, lines.join(eol));
        const after = TextDocument.applyEdits(document, [{ range, newText: newText.replaceAll('\n', eol) }]);
        assert.equal(after, withChange(lines, change).join(eol), JSON.stringify({ lines, change }));
        assert.ok(newText.isWellFormed() && after.isWellFormed());
      }
  });

  it('gives only places within the document for changes at its end', () => {
    const [start, end] = [
      { line: 0, character: 0 },
      { line: 7, character: 13 },
    ];
    assert.deepEqual(textEdit({ at: 0, removed: 8, added: [] }, OLD), { range: { start, end }, newText: '' });
    const above = { line: 6, character: 1 };
    assert.deepEqual(textEdit({ at: 7, removed: 1, added: [] }, OLD), {
      range: { start: above, end },
      newText: '',
    });
    assert.deepEqual(textEdit({ at: 8, removed: 0, added: ['x();'] }, OLD), {
      range: { start: end, end },
      newText: '\nx();',
    });
  });

  it('leaves out the common beginning and end of a change', () => {
    assert.deepEqual(textDifference('for (n of xs)', 'for (total of xs)'), {
      start: 5,
      removed: 'n',
      inserted: 'total',
    });
    assert.deepEqual(textDifference('a😀b', 'a😁b'), { start: 1, removed: '😀', inserted: '😁' });
    assert.deepEqual(textEdit({ at: 3, removed: 1, added: ['f(ab);'] }, OLD), {
      range: { start: { line: 3, character: 3 }, end: { line: 3, character: 3 } },
      newText: 'b',
    });
  });
});
