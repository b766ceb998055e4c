// Tests proposed edits in documents of VS Code: the document has what was accepted, and undo, saving, closing and other
// edits leave nothing behind.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { decideAll, decideHunk } from '../../../src/instruct/edit/decideHunks';
import { PendingEdits } from '../../../src/instruct/edit/pendingEdits';
import { until } from '../../editor/waiting';
import { closeEditors, show } from '../flashline';

const BEFORE = ['const a = 1;', 'const b = 2;', 'const c = 3;', 'const d = 4;'];
const AFTER = ['const a = 10;', 'const b = 2;', 'const c = 3;', 'const e = 5;', 'const f = 6;'];
const TEXT = ['// above', ...BEFORE, '// below', ''].join('\n');
const STORED = 'flashline.pendingEdit';

/** Creates an empty storage of a workspace. */
function newStorage(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: (key: string, fallback?: unknown) => (values.get(key) ?? fallback) as never,
    update: (key, value: unknown) =>
      Promise.resolve(void values.set(key, value && JSON.parse(JSON.stringify(value)))),
  };
}

/** Text with the proposed edit: an empty placeholder line replaces each removed line. */
const PROPOSED = ['// above', '', ...AFTER.slice(0, 3), '', ...AFTER.slice(3), '// below', ''].join('\n');

describe('a proposed edit', () => {
  let pending: PendingEdits;
  let storage: vscode.Memento;
  beforeEach(() => {
    storage = newStorage();
    pending = new PendingEdits(storage);
  });
  afterEach(async () => {
    pending.dispose();
    await closeEditors();
  });

  async function propose(file: string, text = TEXT): Promise<vscode.TextEditor> {
    const editor = await show(file, text);
    assert.ok(await pending.propose(editor.document, 1, 5, AFTER));
    assert.equal(hunkCount(editor.document), 2);
    return editor;
  }

  /** Returns the number of undecided hunks. */
  const hunkCount = (document: vscode.TextDocument): number => pending.hunksOf(document).length;

  /** Replaces the edits as a restart of the extension host does. */
  function restart(): void {
    pending.dispose();
    pending = new PendingEdits(storage);
  }

  const textOnDisk = async (uri: vscode.Uri): Promise<string> =>
    Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();

  const textOf = (lines: readonly string[]): string => ['// above', ...lines, '// below', ''].join('\n');

  it('undoes and redoes a proposed edit in one step', async () => {
    const { document } = await propose('undone.ts');
    assert.equal(document.getText(), PROPOSED);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), TEXT);
    assert.equal(hunkCount(document), 0);
    await vscode.commands.executeCommand('redo');
    assert.equal(document.getText(), PROPOSED);
    assert.equal(hunkCount(document), 2);
    await decideAll(pending, true);
    assert.equal(document.getText(), textOf(AFTER));
  });

  it('accepts and rejects an edit hunk by hunk, and undoes a decision', async () => {
    const editor = await propose('hunks.ts');
    const { document } = editor;
    await decideHunk(pending, true, { id: 0 });
    assert.equal(hunkCount(document), 1);
    assert.equal(editor.selection.active.line, pending.hunksOf(document)[0]?.line);
    await decideHunk(pending, false);
    assert.equal(document.getText(), textOf([AFTER[0] ?? '', ...BEFORE.slice(1)]));
    assert.equal(hunkCount(document), 0);
    await vscode.commands.executeCommand('undo');
    assert.equal(hunkCount(document), 1);
    await decideHunk(pending, true);
    assert.equal(document.getText(), textOf(AFTER));
  });

  it('moves the hunks of an edit when lines around and in them change', async () => {
    const editor = await propose('moved.ts');
    const { document } = editor;
    const edit = (builder: vscode.TextEditorEdit): void => {
      builder.insert(new vscode.Position(0, 0), '// more\n');
      builder.insert(new vscode.Position(2, 0), 'export ');
      builder.insert(document.lineAt(8).range.end, ' and more');
    };
    await until('the document is edited', async () => await editor.edit(edit));
    await decideHunk(pending, true, { id: 0 });
    await decideAll(pending, false);
    assert.equal(
      document.getText(),
      ['// more', '// above', 'export const a = 10;', ...BEFORE.slice(1), '// below and more', ''].join('\n'),
    );
  });

  it('accepts a proposed edit when the file is saved', async () => {
    const { document } = await propose('saved.ts');
    await decideHunk(pending, false, { id: 0 });
    await document.save();
    assert.equal(document.getText(), textOf([...BEFORE.slice(0, 3), ...AFTER.slice(3)]));
    assert.equal(hunkCount(document), 0);
    assert.equal(await textOnDisk(document.uri), document.getText());
  });

  /** Turns on automatic saving while `work` runs. */
  async function withAutoSave<T>(work: () => Promise<T>): Promise<T> {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('autoSaveDelay', 1, vscode.ConfigurationTarget.Global);
    await files.update('autoSave', 'afterDelay', vscode.ConfigurationTarget.Global);
    try {
      return await work();
    } finally {
      // Not undefined: without the setting, VS Code in a browser saves automatically.
      await files.update('autoSave', 'off', vscode.ConfigurationTarget.Global);
      await files.update('autoSaveDelay', undefined, vscode.ConfigurationTarget.Global);
    }
  }

  /** Waits until the file of a proposed edit is saved automatically, and returns its document. */
  const saved = async ({ document }: vscode.TextEditor): Promise<vscode.TextDocument> =>
    await withAutoSave(async () => {
      await until(
        'the file is saved',
        async () => !document.isDirty && (await textOnDisk(document.uri)) !== TEXT,
      );
      return document;
    });

  for (const isAccepted of [true, false])
    it(`saves a file automatically without placeholder lines, and then ${isAccepted ? 'accepts' : 'rejects'} its edit`, async () => {
      const document = await saved(await propose(`automatic${String(isAccepted)}.ts`));
      assert.equal(await textOnDisk(document.uri), textOf(AFTER));
      assert.equal(hunkCount(document), 2);
      await decideAll(pending, isAccepted);
      assert.equal(document.getText(), textOf(isAccepted ? AFTER : BEFORE));
      assert.equal(hunkCount(document), 0);
    });

  it('keeps proposed edits in two files, undoes decisions per file, and restores both edits after a restart', async () => {
    const first = await propose('one.ts');
    const second = await propose('other.ts');
    assert.deepEqual([hunkCount(first.document), hunkCount(second.document)], [2, 2]);
    await decideAll(pending, true);
    assert.deepEqual([first.document.getText(), second.document.getText()], [PROPOSED, textOf(AFTER)]);
    await vscode.window.showTextDocument(first.document);
    await decideHunk(pending, false);
    await vscode.window.showTextDocument(second.document);
    await vscode.commands.executeCommand('undo');
    assert.deepEqual([hunkCount(first.document), hunkCount(second.document)], [1, 2]);
    restart();
    assert.deepEqual([hunkCount(first.document), hunkCount(second.document)], [1, 2]);
    await decideAll(pending, false);
    await vscode.window.showTextDocument(first.document);
    await decideAll(pending, true);
    const rejected = textOf([...BEFORE.slice(0, 3), ...AFTER.slice(3)]);
    assert.deepEqual([first.document.getText(), second.document.getText()], [rejected, TEXT]);
  });

  it('restores a proposed edit whose file opens some time after a restart', async () => {
    const first = await saved(await propose('lateTab.ts'));
    // The window remembers the edit, but the new host cannot reach the document yet.
    const late = first.uri.with({ path: first.uri.path.replace('lateTab', 'laterTab') });
    const kept = JSON.stringify(storage.get(STORED));
    await storage.update(STORED, JSON.parse(kept.replace('lateTab', 'laterTab')));
    // The file has the text of another branch until the second file has its edit.
    await vscode.workspace.fs.writeFile(late, Buffer.from('// another branch\n'));
    restart();
    const second = await propose('second.ts');
    restart();
    await vscode.workspace.fs.writeFile(late, Buffer.from(first.getText()));
    const opened = await vscode.window.showTextDocument(late);
    await until('the edit is restored', () => hunkCount(opened.document) === 2);
    assert.equal(hunkCount(second.document), 2);
    await decideAll(pending, false);
    assert.equal(opened.document.getText(), TEXT);
  });

  it('drops a proposed edit when its file is deleted', async () => {
    const { document } = await propose('deleted.ts');
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(document.uri);
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the edit is forgotten', () => storage.get(STORED) === undefined);
  });

  for (const [renamed, from, to, isSaved] of [
    ['the file', 'renamed.ts', 'renamedNow.tsx', false],
    ['its folder', 'folder/inside.ts', 'folderNow/inside.ts', true],
  ] as const)
    it(`keeps a proposed edit of ${isSaved ? 'a file saved automatically' : 'an unsaved file'} when ${renamed} is renamed`, async () => {
      const editor = await propose(`${String(isSaved)}/${from}`);
      const document = isSaved ? await saved(editor) : editor.document;
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail();
      /** Returns the URI of a file, or of its folder if that is renamed. */
      const renamedUri = (name: string): vscode.Uri =>
        vscode.Uri.joinPath(
          folder,
          String(isSaved),
          name.startsWith('folder') ? name.replace(/\/.*/, '') : name,
        );
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(renamedUri(from), renamedUri(to));
      assert.ok(await vscode.workspace.applyEdit(edit));
      const renamedDocument = await until('the renamed file is open', () =>
        vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith(`/${String(isSaved)}/${to}`)),
      );
      await until('the edit is restored', () => hunkCount(renamedDocument) === 2);
      assert.equal(hunkCount(document), 0);
      await vscode.window.showTextDocument(renamedDocument);
      await decideAll(pending, false);
      assert.equal(renamedDocument.getText(), TEXT);
    });

  it('keeps a proposed edit when the language changes, and accepts it when an untitled document is saved', async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail();
    const file = vscode.Uri.joinPath(folder, 'wasUntitled.ts');
    const untitled = await vscode.workspace.openTextDocument(file.with({ scheme: 'untitled' }));
    const editor = await vscode.window.showTextDocument(untitled);
    const write = (edit: vscode.TextEditorEdit): void => edit.insert(new vscode.Position(0, 0), TEXT);
    await until('the text is written', async () => await editor.edit(write));
    assert.ok(await pending.propose(untitled, 1, 5, AFTER));
    await vscode.languages.setTextDocumentLanguage(untitled, 'javascript');
    assert.equal(hunkCount(untitled), 2);
    await untitled.save();
    const text = await until('the file is saved', () => textOnDisk(file).catch(() => false as const));
    assert.equal(text, textOf(AFTER));
    await until('the edit is forgotten', () => storage.get(STORED) === undefined);
  });

  /** Writes the file as another program does, and waits until the editor has read it. */
  async function writeOnDisk({ uri }: vscode.TextDocument, text: string): Promise<void> {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }

  it('keeps the hunks of an edit that a change on disk leaves alone', async () => {
    const document = await saved(await propose('changedOnDisk.ts'));
    await writeOnDisk(document, `// new\n${textOf(AFTER)}`);
    await until('the file is read again', () => document.lineAt(0).text === '// new');
    assert.equal(hunkCount(document), 2);
    await decideAll(pending, false);
    assert.equal(document.getText(), `// new\n${TEXT}`);
  });

  it('decides the hunks of a file that the code lens names, not those of the active editor', async () => {
    const { document } = await propose('split.ts');
    await vscode.commands.executeCommand('workbench.action.splitEditor');
    await until('two editors show the file', () => vscode.window.visibleTextEditors.length === 2);
    const second = await propose('beside.ts');
    await until('both files are visible', () =>
      [document, second.document].every((shown) =>
        vscode.window.visibleTextEditors.some((editor) => editor.document === shown),
      ),
    );
    const hunk = { uri: String(document.uri), id: pending.hunksOf(document)[0]?.id };
    await decideHunk(pending, true, hunk);
    assert.deepEqual([hunkCount(document), hunkCount(second.document)], [1, 2]);
    await decideAll(pending, false, hunk);
    assert.deepEqual([hunkCount(document), hunkCount(second.document)], [0, 2]);
  });

  it('discards a proposed edit when its file is closed without saving', async () => {
    const { document } = await propose('closed.ts');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await until('the edit is discarded', () => hunkCount(document) === 0);
    assert.equal(await textOnDisk(document.uri), TEXT);
    assert.equal(storage.get(STORED), undefined);
  });
});
