// Tests how next edits are drawn in a fake editor, and how they follow the text that is typed.
import assert from 'node:assert/strict';
import { commands, documents, Uri } from '../support/fakeVscode';
import { NextEditTrial, SUM } from './nextEditTrial';

describe('a next edit (display)', () => {
  let trial: NextEditTrial;

  beforeEach(() => {
    trial = new NextEditTrial();
  });
  afterEach(() => {
    trial.dispose();
  });

  it('appears 200 ms after its request at the earliest if that follows a key', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    trial.editor.moveTo('let n', 5);
    trial.editor.type('total', 1);
    await trial.clock.pass(500 + 199);
    assert.deepEqual([trial.requests.length, trial.editor.isDrawn], [1, false]);
    await trial.clock.pass(1);
    assert.equal(trial.editor.isDrawn, true);
  });

  it('of many lines is announced with their numbers, and shown in a hover once the cursor is there', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}a();\nb();\nc();\nd();\n`);
    trial.answer = () => [trial.replacing('a();\nb();\nc();\nd();', 'x();\ny();')];
    await trial.rename();
    assert.deepEqual(trial.editor.added, ['Next edit: lines 42–45, +2 −4 · Tab']);
    assert.equal(trial.state, 'Next edit: lines 42–45, +2 −4. Tab goes there.');
    assert.deepEqual(trial.editor.struck, []);
    await trial.nextEdit.accept('tab');
    assert.ok(trial.editor.struck.length > 0);
    assert.deepEqual(commands.ran, ['editor.action.showHover', { focus: 'noAutoFocus' }]);
    assert.deepEqual(trial.editor.added, ['Next edit: here, +2 −4 · Tab']);
    assert.equal(trial.state, 'Next edit: here, +2 −4. Tab accepts it.');
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.match(trial.editor.withCursor, /\nx\(\);\ny\|\(\);\n$/);
  });

  it('of many lines beside the cursor is announced, and accepted only once the cursor is there', async () => {
    trial.open('let n = 0;\na();\nb();\nc();\nd();\n');
    trial.answer = () => [trial.replacing('a();\nb();\nc();\nd();', 'x();\ny();')];
    await trial.rename();
    assert.equal(trial.state, 'Next edit: lines 2–5, +2 −4. Tab goes there.');
  });

  it('that deletes the last lines is not drawn again when the cursor moves before VS Code reports success', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('for (const x of xs) n += x;\nreturn n;\n', '')];
    await trial.rename();
    assert.equal(trial.editor.isDrawn, true);
    const edit = trial.editor.edit.bind(trial.editor);
    trial.editor.edit = async (make) => {
      const isApplied = await edit(make);
      trial.editor.moveTo('let', 3);
      return isApplied;
    };
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.deepEqual([trial.editor.text, trial.editor.isDrawn], ['let total = 0;\n', false]);
  });

  it('is only announced by a hint while some of its lines are scrolled out of view or folded', async () => {
    trial.open(SUM);
    trial.editor.see([0, 0]);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    assert.deepEqual(trial.editor.added, ['total', 'Next edit: line 2 · Tab']);
    trial.editor.see([0, 1]);
    assert.deepEqual(trial.editor.added, ['total']);
    trial.editor.see([0, 0], [2, 3]);
    assert.match(trial.state ?? '', /Tab goes there\.$/);
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.withCursor, SUM.replace('let n', 'let total').replace('n +=', '|n +='));
    assert.deepEqual(trial.editor.added, ['total']);
    trial.editor.see([2, 3]);
    assert.match(trial.state ?? '', /Tab goes there\.$/, 'scrolled away from the cursor');
    await trial.nextEdit.accept('tab');
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.match(trial.editor.text, /total \+=/);
  });

  it('draws only a hint in hint mode until the cursor reaches the edit', async () => {
    trial.open(SUM, 'hint');
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    assert.deepEqual(trial.editor.added, ['Next edit: line 2 · Tab']);
    trial.editor.moveTo('for', 2);
    assert.deepEqual(trial.editor.added, ['total']);
  });

  it('keeps the rest while its text is typed, and ends with any other change', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n += x', 'total += x')];
    await trial.rename();
    trial.editor.moveTo('n +=', 1);
    trial.editor.type('', 1);
    trial.editor.moveTo('for', 0);
    assert.deepEqual(trial.editor.added, ['total']);
    trial.editor.moveTo(' += x', 0);
    trial.editor.type('t');
    trial.editor.moveTo('for', 0);
    assert.deepEqual(trial.editor.added, ['otal']);
    trial.editor.type('x');
    assert.equal(trial.editor.isDrawn, false);
    assert.equal(commands.context['flashline.nextEditShown'], false);
  });

  it('stays while its text is typed with slips or taken back, and replaces the slips when it is accepted', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n += x', 'total += x')];
    await trial.rename();
    trial.editor.moveTo('n +=', 1);
    trial.editor.type('', 1);
    for (const key of 'toatl') trial.editor.type(key);
    assert.equal(trial.editor.isDrawn, true);
    for (let i = 0; i < 4; i += 1) trial.editor.type('', 1);
    trial.editor.moveTo('for', 0);
    assert.deepEqual(trial.editor.added, ['otal']);
    trial.editor.moveTo('t += x', 1);
    for (const key of 'atl') trial.editor.type(key);
    assert.equal(trial.requests.length, 1);
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.text, SUM.replace('n =', 'total =').replace('n +=', 'total +='));
  });

  it('ends with the first key of another word', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n += x', 'total += x')];
    await trial.rename();
    trial.editor.moveTo('n +=', 1);
    trial.editor.type('x', 1);
    assert.equal(trial.editor.isDrawn, false);
  });

  it('shown as ghost text is drawn in place at a slip, and becomes ghost text again without it', async () => {
    trial.open('const a = 1;\n\nuse(a);\n');
    trial.editor.moveTo('1;', 2);
    const at = { line: 1, character: 0 };
    trial.answer = () => [trial.replacing('', 'const b = 2;', { range: { start: at, end: at } })];
    trial.editor.type(' ');
    await trial.clock.pass(1000);
    trial.editor.moveTo('\nuse', 0);
    for (const key of 'conts') trial.editor.type(key);
    assert.equal(trial.editor.isDrawn, true);
    for (let i = 0; i < 2; i += 1) trial.editor.type('', 1);
    assert.equal(trial.editor.isDrawn, false);
    const { active } = trial.editor.selection;
    const context = { triggerKind: 0 } as never;
    const item = trial.nextEdit.ghostItem(trial.editor.document as never, active as never, context);
    assert.equal(item?.insertText, 'const b = 2;');
    for (const key of 'ts') trial.editor.type(key);
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.text, 'const a = 1; \nconst b = 2;\nuse(a);\n');
  });

  it('shows an insertion at the cursor as ghost text', async () => {
    trial.open('const a = 1;\nuse(a);\n');
    trial.editor.moveTo('1;', 2);
    const start = { line: 1, character: 0 };
    trial.answer = () => [trial.replacing('use', 'const b = 2;\n', { range: { start, end: start } })];
    trial.editor.type(' ');
    await trial.clock.pass(1000);
    assert.equal(trial.editor.isDrawn, false);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.trigger']);
    const { active } = trial.editor.selection;
    const context = { triggerKind: 0 } as never;
    const item = trial.nextEdit.ghostItem(trial.editor.document as never, active as never, context);
    assert.equal(item?.insertText, '\nconst b = 2;');
    const listed = { triggerKind: 0, selectedCompletionInfo: {} } as never;
    assert.equal(
      trial.nextEdit.ghostItem(trial.editor.document as never, active as never, listed),
      undefined,
    );
    const other = { ...trial.editor.document, version: trial.editor.document.version };
    assert.equal(
      trial.nextEdit.ghostItem(other as never, active as never, context),
      undefined,
      'in another document of the same version',
    );
    trial.editor.select('const a', '\nuse');
    assert.equal(
      trial.nextEdit.ghostItem(trial.editor.document as never, active as never, context),
      undefined,
    );
    assert.match(trial.state ?? '', /\. (Ctrl|Cmd)\+Alt\+Enter accepts it\.$/, 'Tab replaces selected text');
  });

  it('becomes ghost text once the cursor comes to its place', async () => {
    trial.open(`const a = 1;\n${'\n'.repeat(40)}use(a);\n`);
    const start = { line: 41, character: 0 };
    trial.answer = () => [trial.replacing('use', 'log(a);\n', { range: { start, end: start } })];
    await trial.nextEdit.request();
    assert.equal(trial.editor.isDrawn, true);
    commands.ran = [];
    trial.editor.moveTo('use', 0);
    assert.equal(trial.editor.isDrawn, false);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.trigger']);
  });

  it('stays when another document changes', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    const output = { uri: Uri.file('/output.log') };
    const contentChanges = [{ rangeOffset: 0, rangeLength: 0, text: 'built\n' }];
    documents.changed.fire({ document: output, contentChanges });
    assert.equal(trial.editor.isDrawn, true);
  });

  it('stays when VS Code reports a change of the document without a change of its text', async () => {
    trial.open(SUM);
    const report = (): void =>
      documents.changed.fire({ document: trial.editor.document, contentChanges: [] });
    let resolve = (): void => undefined;
    trial.answer = () => {
      const edits = [trial.replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await trial.rename();
    report();
    resolve();
    await trial.clock.pass(0);
    assert.equal(trial.editor.isDrawn, true, 'reported before the answer');
    report();
    assert.equal(trial.editor.isDrawn, true, 'reported after the answer');
    await trial.clock.pass(5000);
    assert.equal(trial.requests.length, 1);
  });
});
