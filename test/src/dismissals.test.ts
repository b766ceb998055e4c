// Tests dismissed suggestions: which ones are not shown again, and where.
import assert from 'node:assert/strict';
import { Dismissals } from '../../src/ghostText/dismissals';
import { fake } from '../support/fake';
import { FakeEditor } from './nextEdit/fakeEditor';
import { commands, window } from './support/fakeVscode';

describe('a dismissed suggestion', () => {
  let offered: readonly string[];
  let dismissals: Dismissals;
  beforeEach(() => {
    offered = ['\n  foo();\nbar();', 'baz();'];
    dismissals = new Dismissals(fake({ dismiss: () => offered }));
  });
  afterEach(() => {
    window.activeTextEditor = undefined;
  });

  /** Returns whether a suggestion was dismissed at the cursor of an editor. */
  const isDismissed = ({ document, selection }: FakeEditor, insertText: string): boolean =>
    dismissals.has(document as never, selection.active as never, { insertText });

  it('is hidden, and recognised at the same text by its first line that is not blank', async () => {
    const editor = new FakeEditor('const a = f(x);\nrest\n');
    editor.moveTo('f(', 2);
    assert.ok(!isDismissed(editor, '  foo();'));
    await dismissals.dismiss();
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.hide']);
    assert.ok(isDismissed(editor, '  foo();\nother();'));
    assert.ok(isDismissed(editor, 'baz();'), 'each of the alternatives counts');
    assert.ok(!isDismissed(editor, 'bar();'));
    editor.moveTo('f(', 1);
    assert.ok(!isDismissed(editor, 'baz();'), 'at another position');
    const other = new FakeEditor(editor.text, '/other.ts');
    other.moveTo('f(', 2);
    assert.ok(!isDismissed(other, 'baz();'), 'in another file');
  });

  it('is recognised by the 256 characters before the cursor and the rest of the line', async () => {
    const before = 'x'.repeat(256);
    const open = (head: string, rest: string): FakeEditor => {
      const editor = new FakeEditor(`${head}${before}|${rest}\n// below\n`);
      editor.moveTo(`${before}|`, before.length);
      return editor;
    };
    open('a', ';');
    await dismissals.dismiss();
    for (const [head, rest, expected] of [
      ['b', ';', true],
      ['', ';', true],
      ['a', ')', false],
    ] as const)
      assert.equal(isDismissed(open(head, rest), 'baz();'), expected, head + rest);
    const changed = new FakeEditor(`a${before.slice(1)}y|;\n`);
    changed.moveTo('|', 0);
    assert.ok(!isDismissed(changed, 'baz();'));
  });

  it('is forgotten after 64 later dismissals', async () => {
    const editors = Array.from({ length: 65 }, (_, i) => `const name${String(i)} = `).map((text) => {
      const editor = new FakeEditor(text);
      editor.moveTo('= ', 2);
      return editor;
    });
    for (const editor of editors) {
      window.activeTextEditor = editor;
      await dismissals.dismiss();
    }
    assert.deepEqual(
      editors.map((editor) => isDismissed(editor, 'baz();')),
      editors.map((_, i) => i > 0),
    );
  });

  it('is not recorded without an editor, or if no suggestion of Flashline is shown', async () => {
    await dismissals.dismiss();
    const editor = new FakeEditor('const a = ');
    editor.moveTo('= ', 2);
    assert.ok(!isDismissed(editor, 'baz();'));
    await dismissals.dismiss();
    offered = [];
    for (let i = 0; i < 64; i += 1) await dismissals.dismiss();
    assert.ok(!isDismissed(editor, ''));
    assert.ok(isDismissed(editor, 'baz();'), 'only 64 later records would displace this one');
  });
});
