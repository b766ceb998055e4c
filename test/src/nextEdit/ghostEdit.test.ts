// Tests which next edits VS Code can show as ghost text: those that only insert at the cursor.
import assert from 'node:assert/strict';
import { ghostEdit, ghostItem } from '../../../src/nextEdit/ghostEdit';
import { FakeEditor } from './fakeEditor';

/** Returns the offset, old and new text of the ghost text for an edit; the cursor is at | in the text. */
function ghostFor(marked: string, offset: number, old: string, text: string) {
  const cursor = marked.indexOf('|');
  const { document } = new FakeEditor(marked.replace('|', ''));
  const edit = ghostEdit({ offset, old, text }, document as never, document.positionAt(cursor) as never);
  return edit && [edit.offset, edit.old, edit.text];
}

describe('a next edit as ghost text', () => {
  for (const [what, marked, [offset, old, text], expected] of [
    ['inserts at the cursor', 'a|b', [1, '', 'x'], [1, '', 'x']],
    ['moves back over a line break that its text ends with', 'a|\nb', [2, '', 'x\n'], [1, '', '\nx']],
    ['moves on over a line break that its text begins with', 'a\n|b', [1, '', '\nx'], [2, '', 'x\n']],
    ['moves by all of its text', 'a|xb', [2, '', 'x'], [1, '', 'x']],
    ['does not move back over other text', 'a|cb', [2, '', 'x'], undefined],
    ['does not move on over other text', 'ac|b', [1, '', 'x'], undefined],
    ['does not move farther than its text is long', 'a|xxb', [3, '', 'x'], undefined],
    ['replaces text around the cursor that it keeps', 'f(a|c)', [2, 'ac', 'abc'], [2, 'ac', 'abc']],
    ['can end at the cursor', 'fo|', [0, 'fo', 'foo'], [0, 'fo', 'foo']],
    ['changes no character before the cursor', 'a|c', [0, 'ac', 'xc'], undefined],
    ['removes no character after the cursor', 'a|cd', [0, 'acd', 'ad'], undefined],
    ['is not before the cursor', 'abc|', [0, 'a', 'ax'], undefined],
    ['is not after the cursor', '|abc', [2, 'c', 'cx'], undefined],
    ['is not in another line', 'a\n|bc', [0, 'a', 'ax'], undefined],
    ['replaces no line break', 'a|\nb', [1, '\n', '\n\n'], undefined],
  ] as const)
    it(what, () => {
      assert.deepEqual(ghostFor(marked, offset, old, text), expected);
    });

  it('is an item that replaces the old text', () => {
    const { document } = new FakeEditor('a\nbcd');
    const { insertText, range } = ghostItem({ offset: 3, old: 'c', text: 'cx' }, document as never);
    assert.deepEqual(
      [insertText, range?.start.line, range?.start.character, range?.end.character],
      ['cx', 1, 1, 2],
    );
  });
});
