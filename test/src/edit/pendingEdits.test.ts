// Tests proposed edits when files are copied by "Save As" or deleted. test/host/suite/edit.test.ts tests proposed edits
// in VS Code, where no test can answer the dialog of "Save As".
import assert from 'node:assert/strict';
import { PendingEdits } from '../../../src/instruct/edit/pendingEdits';
import { EditableDocument } from '../support/editableDocument';
import {
  documents,
  memento,
  Position,
  Range,
  TextDocumentSaveReason,
  TextEdit,
  Uri,
  workspace,
} from '../support/fakeVscode';

const BEFORE = ['const a = 1;', 'const b = 2;', 'const c = 3;'];
const AFTER = ['const a = 10;', 'const b = 2;', 'const d = 4;', 'const e = 5;'];
const textOf = (lines: readonly string[]): string => ['// above', ...lines, '// below', ''].join('\n');

describe('"Save As" of a document with a proposed edit', () => {
  let pending: PendingEdits;
  let source: EditableDocument;
  beforeEach(async () => {
    pending = new PendingEdits(memento());
    source = new EditableDocument('/project/a.ts', textOf(BEFORE));
    assert.ok(await pending.propose(source.document, 1, 4, AFTER));
    assert.equal(source.getText(), textOf(['', 'const a = 10;', 'const b = 2;', '', ...AFTER.slice(2)]));
  });
  afterEach(() => {
    pending.dispose();
    workspace.textDocuments = [];
  });

  for (const [how, reason] of [
    ['by the user', TextDocumentSaveReason.Manual],
    ['automatically', TextDocumentSaveReason.AfterDelay],
  ] as const)
    it(`writes no placeholder line into a new file that is saved ${how}`, async () => {
      const proposed = source.getText();
      const copy = new EditableDocument('/project/b.ts', proposed);
      await copy.save(reason);
      assert.equal(copy.getText(), textOf(AFTER));
      assert.equal(pending.hunksOf(copy.document).length, 0);
      assert.equal(source.getText(), proposed);
      assert.equal(pending.hunksOf(source.document).length, 2, 'the edit of the first file is still pending');
      await pending.decide(source.document, pending.hunksOf(source.document), false);
      assert.equal(source.getText(), textOf(BEFORE));
    });

  it('leaves empty lines of a document with another text alone', async () => {
    const text = textOf(['', ...AFTER, '']);
    const unrelated = new EditableDocument('/project/c.ts', text);
    await unrelated.save(TextDocumentSaveReason.Manual);
    assert.equal(unrelated.getText(), text);
  });
});

describe('a proposed edit', () => {
  const { applyEdit } = workspace;
  let stored: Map<string, unknown>;
  let pending: PendingEdits;
  let file: EditableDocument;
  beforeEach(() => {
    stored = new Map();
    pending = new PendingEdits(memento(stored));
    file = new EditableDocument('/project/a.ts', textOf(BEFORE));
  });
  afterEach(() => {
    pending.dispose();
    workspace.applyEdit = applyEdit;
    workspace.textDocuments = [];
  });

  it('is accepted by a save of the user, and stays after an automatic one, also when the editor loses the focus', async () => {
    for (const [reason, count] of [
      [TextDocumentSaveReason.AfterDelay, 2],
      [TextDocumentSaveReason.FocusOut, 2],
      [TextDocumentSaveReason.Manual, 0],
    ] as const) {
      if (reason === TextDocumentSaveReason.AfterDelay)
        assert.ok(await pending.propose(file.document, 1, 4, AFTER));
      await file.save(reason);
      assert.equal(file.getText(), textOf(AFTER));
      assert.equal(pending.hunksOf(file.document).length, count);
      assert.equal(stored.get('flashline.pendingEdit') === undefined, count === 0);
    }
  });

  it('is written again after one refusal by VS Code, and stays as it was after two', async () => {
    let refusals = 1;
    workspace.applyEdit = (edit) => ((refusals -= 1) < 0 ? applyEdit(edit) : Promise.resolve(false));
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    assert.equal(pending.hunksOf(file.document).length, 2);
    refusals = 2;
    assert.equal(await pending.decide(file.document, pending.hunksOf(file.document), false), false);
    assert.equal(pending.hunksOf(file.document).length, 2);
    refusals = 0;
    assert.ok(await pending.decide(file.document, pending.hunksOf(file.document), false));
    assert.equal(file.getText(), textOf(BEFORE));
  });

  it('is not written again after a refusal if the text has changed meanwhile', async () => {
    let writes = 0;
    workspace.applyEdit = () => {
      writes += 1;
      file.apply([TextEdit.insert(new Position(0, 0), '// typed\n')]);
      return Promise.resolve(false);
    };
    assert.equal(await pending.propose(file.document, 1, 4, AFTER), false);
    assert.deepEqual([writes, file.getText()], [1, `// typed\n${textOf(BEFORE)}`]);
    assert.equal(pending.hunksOf(file.document).length, 0);
  });

  it('is written again after a refusal if the text has changed and is the same again', async () => {
    workspace.applyEdit = () => {
      file.apply([TextEdit.insert(new Position(0, 0), 'x')]);
      file.apply([TextEdit.delete(new Range(0, 0, 0, 1))]);
      workspace.applyEdit = applyEdit;
      return Promise.resolve(false);
    };
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    assert.equal(pending.hunksOf(file.document).length, 2);
  });

  it('keeps its hunks if VS Code does not apply the changes of an automatic save', async () => {
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    const hunks = pending.hunksOf(file.document);
    const event = { document: file, reason: TextDocumentSaveReason.AfterDelay, waitUntil: () => undefined };
    documents.willBeSaved.fire(event);
    assert.deepEqual(pending.hunksOf(file.document), hunks);
    await file.save(TextDocumentSaveReason.AfterDelay);
    assert.equal(file.getText(), textOf(AFTER));
  });

  it('is hidden while its file is closed or has another text, and pending again with the same text', async () => {
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    documents.closed.fire(file);
    assert.equal(pending.hunksOf(file.document).length, 2, 'a change of language reports a closed document');
    let changes = 0;
    pending.onDidChange(() => (changes += 1));
    documents.closed.fire(Object.assign(file, { isClosed: true }));
    assert.deepEqual([pending.hunksOf(file.document), changes], [[], 1]);
    const reopened = new EditableDocument('/project/a.ts', `${file.getText()}x`);
    assert.deepEqual([pending.hunksOf(reopened.document), changes], [[], 1]);
    const { lineCount } = reopened;
    reopened.apply([TextEdit.delete(new Range(lineCount - 1, 0, lineCount - 1, 1))]);
    assert.deepEqual([pending.hunksOf(reopened.document).length, changes], [2, 2]);
  });

  it('is pending again with its text, though VS Code refused another edit while the file had another text', async () => {
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    documents.closed.fire(Object.assign(file, { isClosed: true }));
    const reopened = new EditableDocument('/project/a.ts', `${file.getText()}x`);
    workspace.applyEdit = () => Promise.resolve(false);
    assert.equal(await pending.propose(reopened.document, 0, 1, ['// new']), false);
    const { lineCount } = reopened;
    reopened.apply([TextEdit.delete(new Range(lineCount - 1, 0, lineCount - 1, 1))]);
    assert.equal(pending.hunksOf(reopened.document).length, 2);
  });

  it('is forgotten with an untitled document', async () => {
    assert.ok(await pending.propose(file.document, 1, 4, AFTER));
    documents.closed.fire(Object.assign(file, { isClosed: true, isUntitled: true }));
    assert.equal(stored.get('flashline.pendingEdit'), undefined);
    const reopened = new EditableDocument('/project/a.ts', file.getText());
    assert.equal(pending.hunksOf(reopened.document).length, 0);
  });

  it('is pending again after the window is reloaded, in files with the same text', async () => {
    const other = new EditableDocument('/project/b.ts', textOf(BEFORE));
    for (const { document } of [file, other]) assert.ok(await pending.propose(document, 1, 4, AFTER));
    const hunks = pending.hunksOf(file.document);
    pending.dispose();
    other.apply([TextEdit.insert(new Position(0, 0), 'x')]);
    pending = new PendingEdits(memento(stored));
    assert.deepEqual(pending.hunksOf(file.document), hunks);
    assert.deepEqual(pending.hunksOf(other.document), []);
  });

  it('is stored for the fifty files that were edited last', async () => {
    const uris: string[] = [];
    for (let i = 0; i < 51; i += 1) {
      const { document } = new EditableDocument(`/project/${String(i)}.ts`, 'a\nb\n');
      uris.push(String(document.uri));
      assert.ok(await pending.propose(document, 0, 1, ['x']));
    }
    const edits = stored.get('flashline.pendingEdit') as readonly { readonly uri: string }[];
    assert.deepEqual(
      edits.map(({ uri }) => uri),
      uris.slice(1),
    );
  });

  for (const [what, lines, from, isAccepted, isSaved, result] of [
    ['accepted', 'a\nb', 1, true, false, 'a'],
    ['rejected', 'a\nb', 1, false, false, 'a\nb'],
    ['rejected after an automatic save', 'a\nb', 1, false, true, 'a\nb'],
    ['accepted for all lines', 'a\nb', 0, true, false, ''],
    ['rejected for all lines', 'a\nb', 0, false, false, 'a\nb'],
  ] as const)
    it(`that removes lines at the end of a file without a final line break can be ${what}`, async () => {
      const end = new EditableDocument('/project/end.ts', lines);
      assert.ok(await pending.propose(end.document, from, 2, []));
      if (isSaved) await end.save(TextDocumentSaveReason.AfterDelay);
      assert.ok(await pending.decide(end.document, pending.hunksOf(end.document), isAccepted));
      assert.equal(end.getText(), result);
      assert.deepEqual(pending.hunksOf(end.document), []);
    });
});

describe('a proposed edit of /project/a.ts', () => {
  for (const [deleted, isKept] of [
    ['/project/a.ts', false],
    ['/project', false],
    ['/project/a', true],
    ['/proj', true],
  ] as const)
    it(`is ${isKept ? 'kept' : 'dropped'} when ${deleted} is deleted`, async () => {
      const pending = new PendingEdits(memento());
      const { document } = new EditableDocument('/project/a.ts', textOf(BEFORE));
      assert.ok(await pending.propose(document, 1, 4, AFTER));
      documents.deleted.fire({ files: [Uri.file(deleted)] });
      assert.equal(pending.hunksOf(document).length, isKept ? 2 : 0);
      pending.dispose();
      workspace.textDocuments = [];
    });
});

describe('a proposed edit of /project/a.ts after a rename', () => {
  for (const [renamed, name, now, isKept] of [
    ['/project/a.ts', '/project/b.ts', '/project/b.ts', true],
    ['/project', '/other', '/other/a.ts', true],
    ['/project/a', '/project/b', '/project/b.ts', false],
  ] as const)
    for (const isOpen of [true, false])
      it(`is ${isKept ? 'pending' : 'not pending'} in ${now}, opened ${isOpen ? 'before' : 'after'} ${renamed} is renamed`, async () => {
        const stored = new Map<string, unknown>();
        const pending = new PendingEdits(memento(stored));
        const file = new EditableDocument('/project/a.ts', textOf(BEFORE));
        assert.ok(await pending.propose(file.document, 1, 4, AFTER));
        const open = () => new EditableDocument(now, file.getText());
        const before = isOpen ? open() : undefined;
        documents.renamed.fire({ files: [{ oldUri: Uri.file(renamed), newUri: Uri.file(name) }] });
        const { document } = before ?? open();
        assert.equal(pending.hunksOf(document).length, isKept ? 2 : 0);
        assert.equal(pending.hunksOf(file.document).length, isKept ? 0 : 2);
        const [edit] = stored.get('flashline.pendingEdit') as readonly { readonly uri: string }[];
        assert.equal(edit?.uri, `file://${isKept ? now : '/project/a.ts'}`);
        pending.dispose();
        workspace.textDocuments = [];
      });
});
