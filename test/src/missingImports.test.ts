// Tests which imports are added after an accepted suggestion. test/host/suite/missingImports.test.ts tests it with the
// language support of VS Code.
import assert from 'node:assert/strict';
import type { CodeAction, Diagnostic } from 'vscode';
import { MissingImports } from '../../src/ghostText/missingImports';
import { ManualClock, settled } from '../lsp/manualClock';
import { fake } from '../support/fake';
import { gate } from '../support/gate';
import { FakeEditor } from './nextEdit/fakeEditor';
import { commands, languages, Range, Uri, window } from './support/fakeVscode';

const IMPORT = "import { sum } from './sum';\n";
const TOP = new Range(0, 0, 0, 0);

describe('the imports of an accepted suggestion', () => {
  const { executeCommand } = commands;
  const { getDiagnostics } = languages;
  let clock: ManualClock;
  let editor: FakeEditor;
  let imports: MissingImports;
  let actions: readonly CodeAction[];
  let warnings: string[];
  /** Names for which quick fixes were requested. */
  let asked: string[];
  let onAsk: () => void;

  beforeEach(() => {
    clock = new ManualClock();
    asked = [];
    warnings = [];
    actions = [action(IMPORT)];
    onAsk = () => undefined;
    commands.executeCommand = ((_: string, __: unknown, range: Range, kind: string) => {
      assert.equal(kind, 'quickfix');
      asked.push(editor.document.getText(range));
      onAsk();
      return Promise.resolve(actions);
    }) as never;
    imports = new MissingImports(fake({ warn: (warning: string) => void warnings.push(warning) }));
    open();
  });
  afterEach(() => {
    imports.dispose();
    Object.assign(commands, { executeCommand });
    languages.getDiagnostics = getDiagnostics;
    window.activeTextEditor = undefined;
  });

  function open(): void {
    editor = new FakeEditor('sum(max(1));\n');
    editor.moveTo(';', 0);
  }

  /** A quick fix that inserts a text, and others, at the top. */
  function action(
    newText: string,
    isPreferred = true,
    uris = [Uri.file('/project/sum.ts')],
    others: readonly string[] = [],
  ): CodeAction {
    const edits = [newText, ...others].map((text) => ({ range: TOP, newText: text }));
    const entries = uris.map((uri) => [uri, edits] as const);
    return { isPreferred, edit: { entries: () => entries, size: entries.length } } as unknown as CodeAction;
  }

  function accept(text = 'sum(max(1))', uri = 'file:///project/sum.ts'): void {
    imports.onAccepted({ uri, text });
  }

  /** Reports problems of names in the editor. */
  async function report(names: readonly string[], code: unknown = 2304, uri: unknown = editor.document.uri) {
    languages.getDiagnostics = () =>
      names.map((name) => {
        const offset = editor.text.indexOf(name);
        const { positionAt } = editor.document;
        const range = new Range(positionAt(offset), positionAt(offset + name.length));
        return { code, range } as unknown as Diagnostic;
      });
    languages.diagnosticsChanged.fire({ uris: [uri] });
    await settled();
  }

  const isImported = (): boolean => editor.text.startsWith('import');

  it('are added for unknown names of its text, once for each', async () => {
    accept('sum(');
    await report(['max', 'sum']);
    assert.deepEqual([asked, isImported()], [['sum'], true]);
    await report(['max', 'sum']);
    assert.deepEqual(asked, ['sum']);
  });

  it('are found by the code of a problem, which can have a link', async () => {
    accept();
    await report(['sum'], 2552);
    await report(['max'], { value: 2304, target: '' });
    assert.deepEqual(asked, ['sum', 'max']);
    accept();
    await report(['sum'], 2322);
    assert.deepEqual(asked, ['sum', 'max']);
  });

  for (const [what, offered, isAdded] of [
    ['exactly one preferred import', [action('x', false), action(IMPORT)], true],
    ['only a name outside an import statement', [action(', sum')], false],
    ['two imports', [action(IMPORT), action(IMPORT)], false],
    ['only an import that is not preferred', [action(IMPORT, false)], false],
    ['only a fix that is not an import', [action('const sum = 1;\n')], false],
    ['only a fix in another file', [action(IMPORT, true, [Uri.file('/project/other.ts')])], false],
    [
      'only a fix in two files',
      [action(IMPORT, true, [Uri.file('/project/sum.ts'), Uri.file('/project/other.ts')])],
      false,
    ],
    ['only an action without an edit', [{} as CodeAction], false],
    ['only an import with a change of other code', [action(IMPORT, true, undefined, ['x'])], false],
  ] as const)
    it(`are ${isAdded ? 'added' : 'not added'} if the quick fixes have ${what}`, async () => {
      actions = offered;
      accept();
      await report(['sum']);
      assert.equal(editor.steps, isAdded ? 1 : 0);
    });

  for (const [where, text, at, result] of [
    ['of one line', "import { max } from './sum';\n", new Range(0, 12, 0, 12), /^import \{ max, sum \}/],
    ['of several lines', "import {\n  min,\n  max\n} from './sum';\n", new Range(2, 5, 2, 5), /max, sum\n/],
  ] as const)
    it(`are added to an import statement ${where}`, async () => {
      editor = new FakeEditor(`${text}sum(max(1));\n`);
      const edit = { entries: () => [[editor.document.uri, [{ range: at, newText: ', sum' }]]], size: 1 };
      actions = [{ isPreferred: true, edit } as unknown as CodeAction];
      accept();
      await report(['sum']);
      assert.match(editor.text, result);
    });

  it('are not added to another list below an import statement', async () => {
    for (const [line, list] of [
      [2, 'const all = {\n  max\n};\n'],
      [1, '  max\n'],
    ] as const) {
      editor = new FakeEditor(`import { max } from './sum';\n${list}sum(max(1));\n`);
      const at = new Range(line, 5, line, 5);
      const edit = { entries: () => [[editor.document.uri, [{ range: at, newText: ', sum' }]]], size: 1 };
      actions = [{ isPreferred: true, edit } as unknown as CodeAction];
      const { text } = editor;
      accept();
      await report(['sum']);
      assert.equal(editor.text, text);
    }
  });

  it('are not added where something was typed meanwhile, or for problems of another file', async () => {
    accept();
    await report(['sum'], 2304, 'file:///other.ts');
    assert.deepEqual(asked, []);
    onAsk = () => editor.type('x');
    await report(['sum']);
    assert.deepEqual([asked, isImported()], [['sum'], false]);
  });

  it('are added for each name when problems are reported again while one import is sought', async () => {
    const { executeCommand: answer } = commands;
    const { opened, open: answerAll } = gate();
    commands.executeCommand = async (...words: unknown[]) => {
      const found = await answer(...words);
      await opened;
      return found;
    };
    accept();
    await report(['sum']);
    await report(['sum', 'max']);
    answerAll();
    await settled();
    await report(['max']);
    assert.deepEqual([asked, editor.text.split('import').length - 1], [['sum', 'max'], 2]);
  });

  it('are not sought for text without names, in other languages, or in inactive editors', async () => {
    accept('1 + 1');
    await report(['sum']);
    accept(undefined, 'file:///other.ts');
    await report(['sum']);
    await report(['sum'], 2304, 'file:///other.ts');
    Object.assign(editor.document, { languageId: 'python' });
    accept();
    await report(['sum']);
    window.activeTextEditor = undefined;
    accept();
    await report(['sum']);
    assert.deepEqual(asked, []);
  });

  it('are given up after five seconds, at the next suggestion and with the window', async () => {
    accept();
    await clock.pass(4999);
    await report(['sum']);
    assert.deepEqual(asked.splice(0), ['sum']);
    await clock.pass(1);
    await report(['max']);
    accept('sum');
    accept('1 + 1');
    await report(['sum']);
    accept();
    imports.dispose();
    await report(['sum']);
    assert.deepEqual(asked, []);
  });

  it('are left out with a warning when language support fails', async () => {
    onAsk = () => {
      throw new Error('no server');
    };
    accept();
    await report(['sum']);
    assert.match(warnings.join(), /^Imports could not be added: Error: no server/);
  });

  it('are added in the undo step of the suggestion', async () => {
    let options: unknown;
    const edit = editor.edit.bind(editor);
    Object.assign(editor, {
      edit: (make: (builder: object) => void, given: object) => {
        options = given;
        return edit(make);
      },
    });
    accept();
    await report(['sum']);
    assert.ok(isImported());
    assert.deepEqual(options, { undoStopBefore: false, undoStopAfter: false });
  });
});
