// Tests how a proposed edit is shown: its colours and notes, its code lenses, and which hunk a command decides.
// test/host/suite/edit.test.ts tests the documents in VS Code.
import assert from 'node:assert/strict';
import { decideAll, decideHunk } from '../../../src/instruct/edit/decideHunks';
import { EditView } from '../../../src/instruct/edit/editView';
import { PendingEdits } from '../../../src/instruct/edit/pendingEdits';
import { EditableDocument } from '../support/editableDocument';
import {
  commands,
  languages,
  memento,
  type Position,
  Selection,
  TextDocumentSaveReason,
  window,
  workspace,
  type Range,
} from '../support/fakeVscode';

const BEFORE = ['one', 'two', 'three', 'four', 'five'];
/** Changes the first line, removes the third, and adds one at the end. */
const AFTER = ['ONE', 'two', 'four', 'five', 'six'];

/** A range in the form in which VS Code draws it: alone, or with the text that follows it and its hover. */
interface Drawn {
  readonly range?: Range;
  readonly start?: Position;
  readonly end?: Position;
  readonly hoverMessage?: { readonly value: string };
  readonly renderOptions?: { readonly after: { readonly contentText: string } };
}

class Editor {
  selection = new Selection(0, 0, 0, 0);
  readonly options = { tabSize: 2 };
  readonly drawn = new Map<unknown, readonly Drawn[]>();
  /** Number of times that the editor has scrolled to a hunk. */
  reveals = 0;

  constructor(readonly document: EditableDocument) {}

  setDecorations(type: { looks: { backgroundColor?: { id: string } } }, drawn: readonly Drawn[]): void {
    this.drawn.set(type.looks.backgroundColor?.id ?? 'note', drawn);
  }

  revealRange(): void {
    this.reveals += 1;
  }

  /** Returns the ranges drawn in a colour, or those of notes, each as first line, last line and the text after it. */
  lines(kind: string): string[] {
    return (this.drawn.get(kind) ?? []).map((drawn) => {
      const { start, end } = drawn.range ?? (drawn as Range);
      const text = drawn.renderOptions?.after.contentText.replaceAll('\u00a0', ' ') ?? '';
      return `${String(start.line)}-${String(end.line)}${text && ` ${text}`}`;
    });
  }
}

const ADDED = 'diffEditor.insertedLineBackground';
const REMOVED = 'diffEditor.removedLineBackground';

describe('the view of a proposed edit', () => {
  let pending: PendingEdits;
  let view: EditView;
  let editor: Editor;
  let onVisible: () => void;
  const original = { ...window };
  beforeEach(async () => {
    window.onDidChangeVisibleTextEditors = (listener) => {
      onVisible = listener as () => void;
      return { dispose: () => undefined };
    };
    languages.lensProviders = [];
    pending = new PendingEdits(memento());
    view = new EditView(pending);
    editor = new Editor(new EditableDocument('/project/a.ts', ['// above', ...BEFORE, ''].join('\n')));
    window.activeTextEditor = editor;
    window.visibleTextEditors = [editor];
    assert.ok(await pending.propose(editor.document.document, 1, 6, AFTER));
  });
  afterEach(() => {
    view.dispose();
    pending.dispose();
    Object.assign(window, original, { activeTextEditor: undefined, visibleTextEditors: [] });
    workspace.textDocuments = [];
  });

  const hunkLines = (): number[] => pending.hunksOf(editor.document.document).map(({ line }) => line);

  it('draws added lines, and removed ones with their text in the empty lines above', () => {
    // "// above", empty, "ONE", "two", empty, "four", "five", "six"
    assert.deepEqual(hunkLines(), [1, 4, 7]);
    assert.deepEqual(editor.lines(ADDED), ['2-2', '7-7']);
    assert.deepEqual(editor.lines(REMOVED), ['1-1 one', '4-4 three']);
    assert.equal(editor.drawn.get(REMOVED)?.[1]?.hoverMessage?.value, 'three');
    assert.deepEqual(editor.lines('note'), []);
    assert.equal(commands.context['flashline.editPending'], true);
  });

  it('notes how many lines were removed once a save has deleted their empty lines', async () => {
    await editor.document.save(TextDocumentSaveReason.AfterDelay);
    assert.deepEqual(editor.lines(REMOVED), []);
    assert.deepEqual(editor.lines(ADDED), ['1-1', '5-5']);
    // In the first added line, or in the line above if none was added.
    assert.deepEqual(editor.lines('note'), ['1-1   old lines: 1', '2-2   old lines: 1']);
    assert.equal(editor.drawn.get('note')?.[0]?.hoverMessage?.value, 'one');
  });

  it('draws in editors that become visible, and sets the context key for the active editor', () => {
    const beside = new Editor(editor.document);
    window.visibleTextEditors = [editor, beside];
    window.activeTextEditor = new Editor(new EditableDocument('/project/other.ts', 'x'));
    onVisible();
    assert.deepEqual(beside.lines(ADDED), ['2-2', '7-7']);
    assert.equal(commands.context['flashline.editPending'], false);
  });

  it('draws a removed line with tabs as wide as in the editor', async () => {
    const file = new EditableDocument('/project/tabs.ts', '\ta\tb\n');
    const other = new Editor(file);
    window.visibleTextEditors = [other];
    assert.ok(await pending.propose(file.document, 0, 1, []));
    assert.deepEqual(other.lines(REMOVED), ['0-0   a  b']);
  });

  it('draws an edit that is still pending from before the window was reloaded', () => {
    view.dispose();
    editor.drawn.clear();
    view = new EditView(pending);
    assert.deepEqual(editor.lines(ADDED), ['2-2', '7-7']);
  });

  it('has code lenses on each hunk, and lenses for all hunks on the first if there are several', async () => {
    interface Lens {
      readonly range: Range;
      readonly command: { title: string; command: string; arguments: readonly { uri: string; id: number }[] };
    }
    const [provider] = languages.lensProviders as {
      provideCodeLenses: (document: unknown) => readonly Lens[];
      onDidChangeCodeLenses: (listener: () => void) => unknown;
    }[];
    let changes = 0;
    provider?.onDidChangeCodeLenses(() => (changes += 1));
    const lenses = (): string[] =>
      (provider?.provideCodeLenses(editor.document) ?? []).map(
        ({
          range,
          command: {
            title,
            command,
            arguments: [hunk],
          },
        }) =>
          `${String(range.start.line)}:${String(hunk?.id)} ${title}, ${command.replace('flashline.', '')}`,
      );
    assert.deepEqual(lenses(), [
      '1:0 Accept, acceptHunk',
      '1:0 Reject, rejectHunk',
      '1:0 Accept All (3), acceptEdit',
      '1:0 Reject All, rejectEdit',
      '4:1 Accept, acceptHunk',
      '4:1 Reject, rejectHunk',
      '7:2 Accept, acceptHunk',
      '7:2 Reject, rejectHunk',
    ]);
    await decideHunk(pending, true);
    await decideHunk(pending, true);
    assert.deepEqual(lenses(), ['5:2 Accept, acceptHunk', '5:2 Reject, rejectHunk']);
    assert.equal(changes, 2);
  });

  it('decides the hunk at the cursor, else the next, else the last, and moves to another open hunk', async () => {
    const decideAt = async (line: number, isAccepted: boolean): Promise<void> => {
      editor.selection = new Selection(line, 0, line, 0);
      await decideHunk(pending, isAccepted);
    };
    await decideAt(3, false);
    assert.deepEqual(hunkLines(), [1, 7], 'the hunk after the cursor is rejected, and its line restored');
    assert.deepEqual([editor.selection.active.line, editor.reveals], [7, 1]);
    await decideAt(8, true);
    assert.deepEqual(hunkLines(), [1], 'the last hunk is accepted, as none follows the cursor');
    assert.equal(editor.selection.active.line, 1, 'the cursor is at the only open hunk');
    await decideAt(2, false);
    assert.deepEqual(hunkLines(), []);
    assert.equal(editor.document.getText(), ['// above', ...BEFORE, 'six', ''].join('\n'));
    assert.equal(editor.reveals, 2);
    assert.equal(commands.context['flashline.editPending'], false);
  });

  it('decides all hunks of a visible file, the active one first, or of the file of a code lens', async () => {
    const second = new Editor(new EditableDocument('/project/b.ts', 'a\nb\n'));
    assert.ok(await pending.propose(second.document.document, 0, 1, ['x']));
    window.visibleTextEditors = [second, editor];
    await decideAll(pending, true, { uri: String(second.document.uri), id: 0 });
    assert.equal(second.document.getText(), 'x\nb\n');
    assert.equal(hunkLines().length, 3);
    assert.ok(await pending.propose(second.document.document, 0, 1, ['y']));
    await decideAll(pending, false);
    assert.equal(editor.document.getText(), ['// above', ...BEFORE, ''].join('\n'));
    await decideAll(pending, false);
    assert.equal(second.document.getText(), 'x\nb\n');
    await decideHunk(pending, true, { uri: 'file:///none', id: 0 });
  });

  it('shows an error and keeps the hunks if VS Code refuses a decision', async () => {
    const { applyEdit } = workspace;
    const errors: string[] = [];
    window.showErrorMessage = (message) => Promise.resolve(void errors.push(message));
    workspace.applyEdit = () => Promise.resolve(false);
    await decideHunk(pending, true);
    workspace.applyEdit = applyEdit;
    assert.match(errors.join(), /^VS Code refused to change the file/);
    assert.equal(hunkLines().length, 3);
  });

  it('decides the hunk of a code lens, wherever the cursor is', async () => {
    const uri = String(editor.document.uri);
    await decideHunk(pending, true, { uri, id: 2 });
    assert.deepEqual(hunkLines(), [1, 4]);
    await decideHunk(pending, true, { uri, id: 9 });
    assert.deepEqual(hunkLines(), [1, 4], 'a hunk that was decided before');
  });

  it('has its code lenses at the start of lines', () => {
    const [provider] = languages.lensProviders as {
      provideCodeLenses: (document: unknown) => readonly { readonly range: Range }[];
    }[];
    for (const { range } of provider?.provideCodeLenses(editor.document) ?? assert.fail())
      assert.deepEqual([range.start.character, range.end.character], [0, 0]);
  });

  it('shows 400 characters of a removed line, and notes a removed first line in the line after it', async () => {
    const file = new EditableDocument('/project/long.ts', `${'x'.repeat(401)}\nlast`);
    const other = new Editor(file);
    window.visibleTextEditors = [other];
    assert.ok(await pending.propose(file.document, 0, 1, []));
    assert.deepEqual(other.lines(REMOVED), [`0-0 ${'x'.repeat(400)}`]);
    await file.save(TextDocumentSaveReason.AfterDelay);
    assert.deepEqual(other.lines('note'), ['0-0   old lines: 1']);
  });

  it('decides nothing without a proposed edit in a visible file', async () => {
    const text = editor.document.getText();
    Object.assign(window, { activeTextEditor: undefined, visibleTextEditors: [] });
    await decideAll(pending, true);
    await decideHunk(pending, true);
    assert.equal(editor.document.getText(), text);
  });

  it('draws nothing more once it is disposed of', async () => {
    view.dispose();
    editor.drawn.clear();
    await decideHunk(pending, true);
    assert.equal(editor.drawn.size, 0);
  });
});
