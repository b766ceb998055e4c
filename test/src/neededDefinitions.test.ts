// Tests the search for definitions that the code at a cursor needs: what is looked up, when again, and what is sent.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import timers from 'node:timers/promises';
import * as vscode from 'vscode';
import type { DefinitionsParams } from '../../server/protocol/messages';
import type { FlashlineClient } from '../../src/connection/client';
import { NeededDefinitions } from '../../src/ghostText/neededDefinitions';
import { ManualClock, settled } from '../lsp/manualClock';
import { fake } from '../support/fake';
import { FakeEditor } from './nextEdit/fakeEditor';
import { commands, FileType, NotebookCellKind, Uri, workspace } from './support/fakeVscode';

interface Location {
  readonly uri: Uri;
  readonly range: { readonly start: { readonly line: number } };
}

describe('definitions that a cursor needs', () => {
  const { executeCommand } = commands;
  const { stat, readFile } = workspace.fs;
  let clock: ManualClock;
  let needed: NeededDefinitions;
  let sent: DefinitionsParams[];
  /** Names that were looked up by language support, each with the kind of definition. */
  let lookups: string[];
  /** Locations that language support finds for a name. */
  let known: Record<string, readonly unknown[]>;
  /** Files on disk. */
  let files: Record<string, string>;
  let unquotable: Set<string>;
  let warnings: string[];
  /** Called at each look-up. */
  let onLookup: () => Promise<void> | void;
  let editor: FakeEditor;

  beforeEach(() => {
    clock = new ManualClock();
    sent = [];
    lookups = [];
    warnings = [];
    known = {};
    files = {};
    unquotable = new Set();
    onLookup = () => undefined;
    needed = new NeededDefinitions(
      fake({ isUnquotable: ({ path }) => unquotable.has(path) }),
      fake<FlashlineClient>({ notify: (_, params) => void sent.push(params as DefinitionsParams) }),
      fake({ warn: (warning: string) => void warnings.push(warning) }),
    );
    commands.executeCommand = (async (command: string, _: unknown, at: vscode.Position) => {
      const text = editor.text.split('\n')[at.line] ?? '';
      const name = /^\w*/.exec(text.slice(at.character))?.[0] ?? '';
      lookups.push(`${command.replace(/^vscode\.execute(.*)Provider$/, '$1')} ${name}`);
      await onLookup();
      return known[name] ?? [];
    }) as never;
    workspace.fs.stat = ({ path }) =>
      files[path] === undefined
        ? Promise.reject(new Error('no such file'))
        : Promise.resolve({ size: workspace.sizes[path] ?? 1, type: FileType.File });
    workspace.fs.readFile = ({ path }) => Promise.resolve(new TextEncoder().encode(files[path]));
  });
  afterEach(() => {
    Object.assign(commands, { executeCommand });
    Object.assign(workspace.fs, { stat, readFile });
    Object.assign(workspace, { textDocuments: [], notebookDocuments: [], folder: undefined, sizes: {} });
  });

  function at(path: string, line = 0): Location {
    return { uri: Uri.file(path), range: { start: { line } } };
  }

  /** Opens a file with the cursor in place of the mark. */
  function open(marked: string, path = '/w/a.ts'): void {
    editor = new FakeEditor(marked.replace('|', ''), path);
    editor.moveTo(marked.split('|')[0] ?? '', marked.indexOf('|'));
  }

  /** Reports that a suggestion is requested at the cursor. */
  async function request(): Promise<void> {
    needed.requested(editor.document as never, editor.selection.active as never);
    await settled();
  }

  const texts = (): string[] => (sent.at(-1)?.definitions ?? []).map(({ uri, text }) => `${uri} ${text}`);

  it('are those of imports, then the type of the receiver, then the called function, and are sent once', async () => {
    files = { '/w/db.ts': 'x\nclass Db {}\n', '/w/open.ts': 'function open() {}', '/w/row.ts': 'type Row' };
    known = {
      Db: [at('/w/db.ts', 1)],
      row: [{ targetUri: Uri.file('/w/row.ts'), targetRange: at('', 0).range }],
      open: [at('/w/open.ts')],
    };
    open("import { Db } from './db';\ndb.open(1, row.|");
    await request();
    assert.deepEqual(lookups.splice(0), ['Definition Db', 'TypeDefinition row', 'Definition open']);
    assert.deepEqual(texts(), [
      'file:///w/db.ts class Db {}\n',
      'file:///w/row.ts type Row',
      'file:///w/open.ts function open() {}',
    ]);
    assert.deepEqual([sent[0]?.uri, sent[0]?.above], ['file:///w/a.ts', undefined]);
    await request();
    assert.deepEqual([lookups, sent.length], [[], 1]);
    needed.reset();
    await request();
    assert.deepEqual([lookups.length, sent.length], [3, 2], 'a new server knows none');
  });

  it('are looked up again after their file has changed, and sent again if their text differs', async () => {
    files = { '/w/db.ts': 'class Db {}' };
    known = { Db: [at('/w/db.ts')] };
    open("import { Db } from './db';\n|");
    await request();
    await clock.pass(1000);
    needed.changed(Uri.file('/w/other.ts') as never);
    await request();
    assert.equal(lookups.length, 1);
    needed.changed(Uri.file('/w/db.ts') as never);
    await clock.pass(1);
    await request();
    assert.deepEqual([lookups.length, sent.length], [2, 1]);
    files = { '/w/db.ts': 'class Db { open() {} }' };
    await clock.pass(1000);
    needed.changed(Uri.file('/w/db.ts') as never);
    await clock.pass(1);
    await request();
    assert.deepEqual(texts(), ['file:///w/db.ts class Db { open() {} }']);
  });

  for (const [what, uri] of [
    ['file', '/w/lib/db.ts'],
    ['folder', '/w/lib'],
  ] as const)
    it(`are dropped when their ${what} is deleted, and sent again once they are back`, async () => {
      files = { '/w/lib/db.ts': 'class Db {}', '/w/library.ts': 'class Row {}' };
      known = { Db: [at('/w/lib/db.ts')], Row: [at('/w/library.ts')] };
      open("import { Db } from './lib/db';\nimport { Row } from './library';\n|");
      Object.assign(workspace, { textDocuments: [editor.document] });
      await request();
      const all = texts();
      const deleted = files['/w/lib/db.ts'] ?? '';
      delete files['/w/lib/db.ts'];
      needed.deleted(Uri.file(uri) as never);
      assert.deepEqual(texts(), ['file:///w/library.ts class Row {}']);
      await request();
      assert.deepEqual(texts(), ['file:///w/library.ts class Row {}']);
      files['/w/lib/db.ts'] = deleted;
      await clock.pass(1001);
      await request();
      assert.deepEqual(texts().toSorted(), all.toSorted());
    });

  it('are dropped when a rule hides their file, also those of earlier positions, and sent again without it', async () => {
    files = { '/w/db.ts': 'class Db {}', '/w/row.ts': 'class Row {}' };
    known = { Db: [at('/w/db.ts')], row: [at('/w/row.ts')] };
    open("import { Db } from './db';\nrow.|\n");
    Object.assign(workspace, { textDocuments: [editor.document] });
    await request();
    assert.deepEqual(texts(), ['file:///w/db.ts class Db {}', 'file:///w/row.ts class Row {}']);
    editor.moveTo("import { Db } from './db';\nrow.\n", 0);
    unquotable = new Set(['/w/db.ts', '/w/row.ts']);
    needed.rulesChanged();
    assert.deepEqual(texts(), []);
    unquotable = new Set();
    needed.rulesChanged();
    await request();
    assert.deepEqual(texts(), ['file:///w/db.ts class Db {}']);
  });

  it('in a file that is deleted during their look-up are dropped at the next request', async () => {
    files = { '/w/db.ts': 'class Db {}' };
    known = { Db: [at('/w/db.ts')] };
    open("import { Db } from './db';\n|");
    Object.assign(workspace, { textDocuments: [editor.document] });
    onLookup = async () => {
      await clock.pass(1);
      needed.deleted(Uri.file('/w/db.ts') as never);
      onLookup = () => undefined;
    };
    await request();
    await clock.pass(0);
    assert.deepEqual(texts(), ['file:///w/db.ts class Db {}'], 'the look-up has read the file');
    files = {};
    await request();
    assert.deepEqual(texts(), []);
  });

  it('that are not found are looked up again after pauses that double, up to a minute', async () => {
    open('a.|');
    await request();
    assert.deepEqual([lookups.length, sent], [1, []]);
    for (const pause of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const { length } = lookups;
      await clock.pass(pause);
      await request();
      assert.equal(lookups.length, length);
      await clock.pass(1);
      await request();
      assert.equal(lookups.length, length + 1, String(pause));
    }
    files = { '/w/b.ts': 'class B {}' };
    known = { a: [at('/w/b.ts')] };
    await clock.pass(60_001);
    await request();
    assert.equal(texts().length, 1);
  });

  it('come from the imports alone where no language support knows them', async () => {
    files = { '/w/money.ts': 'const x = 1;\nexport function round() {}\n', '/w/none.ts': '' };
    open("import { round } from './money';\nimport { lost } from './none';\nimport { b } from 'c';\n|");
    await request();
    assert.deepEqual(texts(), ['file:///w/money.ts export function round() {}\n']);
    // A Python module can be at the root of the project too.
    workspace.folder = { uri: Uri.file('/w') };
    files = { '/w/harbour/tides.py': 'class Tide:\n    pass\n' };
    open('from harbour.tides import Tide\n|', '/w/lib/a.py');
    Object.assign(editor.document, { languageId: 'python' });
    await request();
    assert.deepEqual(texts(), ['file:///w/harbour/tides.py class Tide:\n    pass\n']);
  });

  it('are not taken from the same document, hidden or large files, or pipes', async () => {
    files = {
      '/w/a.ts': 'same',
      '/w/.env': 'hidden',
      '/w/large.ts': 'large',
      '/w/pipe': 'pipe',
      '/w/b.ts': 'b',
    };
    workspace.sizes = { '/w/large.ts': 512 * 1024 + 1, '/w/b.ts': 512 * 1024 };
    unquotable = new Set(['/w/.env']);
    const { stat: statFile } = workspace.fs;
    workspace.fs.stat = async (uri) => {
      const found = await statFile(uri);
      return uri.path === '/w/pipe' ? { ...found, type: FileType.Unknown as never } : found;
    };
    known = {
      a: [at('/w/a.ts'), at('/w/.env'), at('/w/b.ts')],
      b: [at('/w/large.ts'), at('/w/pipe'), at('/w/b.ts')],
    };
    for (const marked of ['a.|', 'b.|']) {
      open(marked);
      await request();
      assert.deepEqual(texts(), ['file:///w/b.ts b']);
    }
  });

  it('are found although another definition of the same name is in a missing file', async () => {
    files = { '/w/b.ts': 'b' };
    known = { a: [at('/w/gone.ts'), at('/w/b.ts')] };
    open('a.|');
    await request();
    assert.deepEqual(texts(), ['file:///w/b.ts b']);
  });

  it('have the unsaved text of open files, and at most 20,000 characters from each of four places', async () => {
    const paths = Array.from({ length: 5 }, (_, i) => `/w/${String(i)}.ts`);
    for (const path of paths) files[path] = 'y'.repeat(20_001);
    workspace.textDocuments = [{ uri: Uri.file('/w/0.ts'), getText: () => 'unsaved' }];
    known = { a: paths.map((path) => at(path)) };
    open('a.|');
    await request();
    assert.deepEqual(
      sent[0]?.definitions.map(({ text }) => text),
      ['unsaved', ...Array<string>(3).fill('y'.repeat(20_000))],
    );
  });

  it('are looked up for at most 16 imports, and for at most one and a half seconds', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `n${String(i)}`);
    open(`import { ${names.join(', ')} } from 'x';\n|`);
    await request();
    assert.equal(lookups.length, 16);
    lookups = [];
    open('import { slow, late } from "x";\n|');
    onLookup = () => clock.pass(1500);
    await request();
    for (let i = 0; i < 3; i += 1) await settled();
    assert.deepEqual(lookups, ['Definition slow']);
    files = { '/w/b.ts': 'b' };
    known = { late: [at('/w/b.ts')] };
    onLookup = () => undefined;
    await settled();
    await request();
    assert.ok(lookups.includes('Definition late'), 'the rest follows with the next request');
  });

  it('are looked up for one request at a time, and further after language support fails or hangs', async () => {
    open('import { bad, good } from "x";\n|');
    files = { '/w/b.ts': 'b' };
    known = { good: [at('/w/b.ts')] };
    onLookup = () => {
      if (lookups.at(-1)?.endsWith('bad')) throw new Error('language support has failed');
    };
    const first = request();
    await request();
    await first;
    assert.equal(lookups.length, 2);
    assert.deepEqual([texts(), warnings], [['file:///w/b.ts b'], []]);
    let giveUp = (): void => undefined;
    const limits: unknown[] = [];
    const { mock: pause } = mock.method(timers, 'setTimeout', (ms: number) => {
      limits.push(ms);
      return new Promise<void>((resolve) => (giveUp = resolve));
    });
    open('hangs.|');
    onLookup = () => new Promise(() => undefined);
    await request();
    await request();
    assert.deepEqual([lookups.length, limits], [3, [1500]]);
    giveUp();
    await settled();
    pause.restore();
    onLookup = () => undefined;
    await clock.pass(2000);
    await request();
    assert.equal(lookups.length, 4);
  });

  it('are kept while they are imported, and for the last eight earlier cursor positions', async () => {
    const names = Array.from({ length: 11 }, (_, i) => `x${String(i)}`);
    files = Object.fromEntries([...names, 'Db'].map((name) => [`/w/${name}.ts`, name]));
    known = Object.fromEntries([...names, 'Db'].map((name) => [name, [at(`/w/${name}.ts`)]]));
    open("import { Db } from './Db';\n|");
    await request();
    for (const name of names) {
      editor.type(`${name}.`);
      await request();
      editor.type('', name.length + 1);
    }
    const uris = (): string[] => (sent.at(-1)?.definitions ?? []).map(({ text }) => text);
    assert.deepEqual(
      uris(),
      ['Db', ...names.slice(2)],
      'those of the import, of the cursor, and of eight earlier positions',
    );
    editor.moveTo('import', 0);
    editor.change([{ range: new vscode.Range(0, 0, 0, 26) as never, text: '' }]);
    await request();
    assert.deepEqual(uris(), names.slice(3));
  });

  it('come with the code cells above the cursor in a notebook', async () => {
    open('x|', '/w/n.ipynb');
    Object.assign(editor.document, { uri: new Uri('vscode-notebook-cell', '/w/n.ipynb#3') });
    const cell = (name: string, kind: number) => {
      return { kind, document: { uri: new Uri('vscode-notebook-cell', name) } };
    };
    const { Code, Markup } = NotebookCellKind;
    const cells = [
      cell('one', Code),
      cell('words', Markup),
      cell('two', Code),
      { kind: Code, document: editor.document },
      cell('below', Code),
    ];
    workspace.notebookDocuments = [{ getCells: () => [cell('other', Code)] }, { getCells: () => cells }];
    await request();
    assert.deepEqual(sent[0]?.above, ['vscode-notebook-cell://one', 'vscode-notebook-cell://two']);
    workspace.notebookDocuments = [];
    await request();
    assert.equal(sent[1]?.above, undefined);
  });
});
