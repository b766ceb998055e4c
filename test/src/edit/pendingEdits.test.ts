// Tests proposed edits when files are copied by "Save As" or deleted. test/host/suite/edit.test.ts tests proposed edits
// in VS Code, where no test can answer the dialog of "Save As".
import assert from 'node:assert/strict';
import { PendingEdits } from '../../../src/instruct/edit/pendingEdits';
import { EditableDocument } from '../support/editableDocument';
import {
  documents,
  memento,
  Position,
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

  it('is accepted by a save of the user, and stays after an automatic one', async () => {
    for (const [reason, count] of [
      [TextDocumentSaveReason.AfterDelay, 2],
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
