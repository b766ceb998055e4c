// Tests the keys of next edits in a fake editor: what a key accepts, and when it goes to the edit first.
import assert from 'node:assert/strict';
import { settled } from '../../lsp/manualClock';
import { gate } from '../../support/gate';
import { commands, Selection } from '../support/fakeVscode';
import { NextEditTrial, SUM } from './nextEditTrial';

describe('a next edit (keys)', () => {
  let trial: NextEditTrial;

  beforeEach(() => {
    trial = new NextEditTrial();
  });
  afterEach(() => {
    trial.dispose();
  });

  it('is accepted by its second key where Tab indents, or as ghost text', async () => {
    trial.open(`${SUM}\n    return 0;\n`);
    trial.answer = () => [trial.replacing('return 0', 'return 1')];
    await trial.rename();
    trial.editor.moveTo('    return 0', 0);
    assert.match(trial.editor.added.join(), /1/);
    assert.match(trial.state ?? '', /\. (Ctrl|Cmd)\+Alt\+Enter accepts it\.$/);
    trial.answer = () => [];
    await trial.nextEdit.accept(undefined);
    assert.match(trial.editor.text, /return 1;/);
    trial.nextEdit.dispose();
    trial.open('const a = 1;\nuse(a);\n');
    trial.editor.moveTo('1;', 2);
    const start = { line: 1, character: 0 };
    trial.answer = () => [trial.replacing('use', 'const b = 2;\n', { range: { start, end: start } })];
    trial.editor.type(' ');
    await trial.clock.pass(1000);
    await trial.nextEdit.accept(undefined);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.commit']);
    commands.ran = [];
    await trial.nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['tab'], 'VS Code accepts ghost text by Tab itself');
  });

  it('is hidden and not accepted if VS Code refuses it', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    trial.editor.edit = () => Promise.resolve(false);
    await trial.nextEdit.accept('tab');
    assert.deepEqual([trial.editor.text.includes('total +='), trial.editor.isDrawn], [false, false]);
    assert.ok(!trial.sentMessages.includes('flashline.didAcceptNextEdit'));
  });

  it('that inserts lines leaves the cursor at the end of the last one', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('return n', 'log(n);\nreturn n')];
    await trial.rename();
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.match(trial.editor.withCursor, /\nlog\(n\);\|\nreturn n;\n$/);
  });

  it('is an undo step of its own', async () => {
    let options: unknown;
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    const edit = trial.editor.edit.bind(trial.editor);
    Object.assign(trial.editor, {
      edit: (make: (builder: object) => void, given: object) => {
        options = given;
        return edit(make);
      },
    });
    await trial.nextEdit.accept('tab');
    assert.match(trial.editor.text, /total \+=/);
    assert.deepEqual(options, { undoStopBefore: true, undoStopAfter: true });
  });

  it('is applied once by two presses of Tab, of which the second indents', async () => {
    const { opened, open } = gate();
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    const edit = trial.editor.edit.bind(trial.editor);
    trial.editor.edit = async (make) => {
      const isApplied = await edit(make);
      await opened;
      return isApplied;
    };
    const presses = [trial.nextEdit.accept('tab'), trial.nextEdit.accept('tab')];
    open();
    await Promise.all(presses);
    assert.equal(trial.editor.text, SUM.replace('n =', 'total =').replace('n +=', 'total +='));
    assert.deepEqual(commands.ran, ['tab']);
  });

  it('ends with the next change after VS Code has failed to apply it', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    trial.editor.edit = () => Promise.reject(new Error('The editor was closed.'));
    await assert.rejects(trial.nextEdit.accept('tab'));
    trial.editor.type('x');
    assert.equal(trial.editor.isDrawn, false);
  });

  it('names its second key instead of Tab while the IntelliSense list is open', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    const ask = (selectedCompletionInfo: object | undefined): void => {
      const context = { triggerKind: 0, selectedCompletionInfo } as never;
      trial.nextEdit.ghostItem(
        trial.editor.document as never,
        trial.editor.selection.active as never,
        context,
      );
    };
    assert.match(trial.state ?? '', /Tab accepts it/);
    ask({});
    assert.match(trial.state ?? '', /Enter accepts it/);
    ask(undefined);
    assert.match(trial.state ?? '', /Tab accepts it/);
  });

  it('draws a small change near the cursor, accepted by one key as one step', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    assert.deepEqual(trial.editor.added, ['total']);
    assert.equal(commands.context['flashline.nextEditShown'], true);
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.withCursor, 'let total = 0;\nfor (const x of xs) total| += x;\nreturn n;\n');
    assert.equal(trial.editor.steps, 1);
    assert.equal(trial.editor.isDrawn, false);
    await settled();
    await trial.clock.pass(0);
    assert.equal(trial.requests.length, 2, 'a next edit is requested again immediately');
    assert.ok(
      trial.sentMessages.includes('textDocument/didShowInlineEdit') &&
        trial.sentMessages.includes('flashline.didAcceptNextEdit'),
    );
  });

  it('announces a change elsewhere; the first Tab goes there, the second accepts it', async () => {
    const far = `let n = 0;\n${'\n'.repeat(40)}return n;\n`;
    trial.open(far);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    assert.deepEqual(trial.editor.added, ['total', 'Next edit: line 42 · Tab']);
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.withCursor, far.replace('n =', 'total =').replace('return n', 'return |n'));
    assert.deepEqual(trial.editor.added, ['total']);
    trial.answer = () => [];
    await trial.nextEdit.accept('tab');
    assert.equal(trial.editor.text, far.replaceAll(/\bn\b/g, 'total'));
  });

  it('stays accepted by the next key after a key went there, while any of its lines is visible', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}a();\nb();\nc();\nd();\n`);
    trial.answer = () => [trial.replacing('a();\nb();\nc();\nd();', 'x();\ny();')];
    await trial.rename();
    await trial.nextEdit.accept('tab');
    trial.editor.see([43, 60]);
    assert.match(trial.state ?? '', /Tab accepts it\.$/);
    trial.editor.see([46, 60]);
    assert.match(trial.state ?? '', /Tab goes there\.$/);
  });

  it('is approached again once the cursor has left it', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}return n;\n`);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    await trial.nextEdit.accept('tab');
    assert.match(trial.state ?? '', /Tab accepts it\.$/);
    trial.editor.moveTo('let', 3);
    assert.match(trial.state ?? '', /Tab goes there\.$/);
  });

  it('leaves Tab alone before the text of its line once the cursor was moved there from it', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}  return n;\n`);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    await trial.nextEdit.accept('tab');
    trial.editor.moveTo('  return', 0);
    assert.equal(commands.context['flashline.tabIsFree'], false);
    await trial.nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['tab']);
  });

  it('unfolds its lines when a key goes there', async () => {
    trial.open(SUM);
    trial.editor.see([0, 1], [3, 3]);
    trial.answer = () => [trial.replacing('n += x;\nreturn n', 'total += x;\nreturn total')];
    await trial.rename();
    assert.match(trial.editor.added.join(), /lines 2–3/);
    await trial.nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['editor.unfold', { selectionLines: [1] }]);
    assert.match(trial.state ?? '', /Tab accepts it\.$/);
  });

  it('leaves Tab alone in leading whitespace, on a blank line, and when nothing is shown', async () => {
    trial.open(`${SUM}\n    return 0;\n`);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    const before = trial.editor.text;
    for (const [text, after] of [
      ['return 0', 0],
      ['return 0', -2],
      ['\n    return', 0],
    ] as const) {
      trial.editor.moveTo(text, after);
      assert.equal(commands.context['flashline.tabIsFree'], false);
      await trial.nextEdit.accept('tab');
      assert.deepEqual(commands.ran, ['tab']);
    }
    assert.equal(trial.editor.text, before);
    trial.editor.moveTo('return 0', 3);
    assert.equal(commands.context['flashline.tabIsFree'], true);
    trial.nextEdit.dismiss();
    commands.ran = [];
    await trial.nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['tab']);
  });

  it('names the key of the operating system as its second key', async () => {
    const { platform } = process;
    try {
      for (const [name, key] of [
        ['darwin', 'Cmd'],
        ['linux', 'Ctrl'],
        ['win32', 'Ctrl'],
      ] as const) {
        Object.defineProperty(process, 'platform', { value: name });
        trial.open(`${SUM}\n    return 0;\n`);
        trial.answer = () => [trial.replacing('return 0', 'return 1')];
        await trial.nextEdit.request();
        trial.editor.moveTo('    return 0', 0);
        assert.match(trial.state ?? '', new RegExp(`\\. ${key}\\+Alt\\+Enter accepts it\\.$`));
        trial.nextEdit.dispose();
      }
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  for (const [mode, distance, isHere] of [
    ['inline', 2, true],
    ['inline', 3, false],
    ['hint', 0, true],
    ['hint', 1, false],
  ] as const)
    it(`is ${isHere ? 'accepted' : 'approached'} by one key from ${distance} lines away in the mode "${mode}"`, async () => {
      for (const isAbove of [true, false]) {
        const gap = '-\n'.repeat(10);
        trial.open(`${gap}return n;\n${gap}`, mode);
        const line = isAbove ? 10 - distance : 10 + distance;
        trial.answer = () => [trial.replacing('n;', 'total;')];
        trial.editor.selection = new Selection(line, 1, line, 1);
        await trial.nextEdit.request();
        const end = isHere ? 'accepts it' : 'goes there';
        assert.match(trial.state ?? '', new RegExp(`${end}\\.$`));
        trial.nextEdit.dispose();
      }
    });

  for (const [count, isHere] of [
    [90, true],
    [110, false],
  ] as const)
    it(`is ${isHere ? 'accepted' : 'approached'} by the first key if it is ${count} columns to the right`, async () => {
      const text = `let n = 0;\nadd(${'1'.repeat(count)}, n);\n`;
      trial.open(text);
      trial.answer = () => [trial.replacing('n);', 'total);')];
      await trial.rename();
      const typed = text.replace('let n', 'let total');
      await trial.nextEdit.accept('tab');
      if (!isHere) {
        assert.equal(trial.editor.withCursor, typed.replace(', n)', ', |n)'));
        await trial.nextEdit.accept('tab');
      }
      assert.equal(trial.editor.text, typed.replace(', n)', ', total)'));
    });
});
