// Tests next edits in a fake editor: when they are requested, what is drawn, and the keys.
import assert from 'node:assert/strict';
import type { CancellationToken } from 'vscode';
import type { InlineEdit, InlineEditParams } from '../../../server/protocol/nextEditMessages';
import { readSettings } from '../../../src/configuration';
import type { FlashlineClient } from '../../../src/connection/client';
import { NextEdit } from '../../../src/nextEdit/nextEdit';
import { Proposal } from '../../../src/nextEdit/proposal';
import { ManualClock, settled } from '../../lsp/manualClock';
import {
  CancellationTokenSource,
  commands,
  documents,
  Range,
  Selection,
  Uri,
  window,
  workspace,
} from '../support/fakeVscode';
import { fake } from '../../support/fake';
import { FakeEditor } from './fakeEditor';

const SUM = 'let n = 0;\nfor (const x of xs) n += x;\nreturn n;\n';

describe('a next edit', () => {
  let clock: ManualClock;
  let editor: FakeEditor;
  let nextEdit: NextEdit;
  /** Answers each request of the client. */
  let answer: (params: InlineEditParams) => Promise<readonly InlineEdit[]> | readonly InlineEdit[];
  let requests: InlineEditParams[];
  let sentMessages: string[];
  let ghostText: { isRequesting: boolean; isOffered: boolean };
  let state: string | undefined;
  /** Reason of the gate to allow no suggestions in any editor. */
  let gateReason: 'snoozed' | undefined;
  let cancelledCount: number;
  let problem: string | undefined;

  beforeEach(() => {
    clock = new ManualClock();
    requests = [];
    sentMessages = [];
    ghostText = { isRequesting: false, isOffered: false };
    answer = () => [];
    state = undefined;
    gateReason = undefined;
    cancelledCount = 0;
    problem = undefined;
  });
  afterEach(() => {
    nextEdit.dispose();
    window.activeTextEditor = undefined;
    workspace.settings = {};
  });

  function open(text: string, mode = 'inline'): void {
    editor = new FakeEditor(text);
    workspace.settings = { 'flashline.nextEdit': mode };
    const request = async (_: string, params: object, token?: CancellationToken): Promise<unknown> => {
      if ('command' in params) return void sentMessages.push(String(params.command));
      token?.onCancellationRequested(() => (cancelledCount += 1));
      requests.push(params as InlineEditParams);
      return { edits: await answer(params as InlineEditParams) };
    };
    nextEdit = new NextEdit({
      configuration: fake({
        get settings() {
          return readSettings();
        },
      }),
      client: fake<FlashlineClient>({
        isRunning: true,
        notify: (method) => void sentMessages.push(method),
        request: request as FlashlineClient['request'],
      }),
      gate: fake({ whyNoSuggestion: () => gateReason }),
      ghostText: { isRequesting: () => ghostText.isRequesting, isOffered: () => ghostText.isOffered },
      log: fake({ error: assert.fail }),
      problem: () => problem,
    });
    nextEdit.onDidChangeState((sentence) => (state = sentence));
    nextEdit.update();
  }

  /** Creates the server's edit that replaces the last `old` of the text. */
  function replacing(old: string, text: string, more: Partial<InlineEdit> = {}): InlineEdit {
    const offset = editor.text.lastIndexOf(old);
    const { version } = editor.document;
    return {
      text,
      range: {
        start: editor.document.positionAt(offset),
        end: editor.document.positionAt(offset + old.length),
      },
      textDocument: { uri: String(editor.document.uri), version },
      command: { title: '', command: 'flashline.didAcceptNextEdit', arguments: ['1'] },
      ...more,
    };
  }

  /** Types `total` in place of the first n, and waits for the answer. */
  async function rename(): Promise<void> {
    editor.moveTo('let n', 5);
    editor.type('total', 1);
    await clock.pass(1000);
  }

  it('is requested by its command at once, which says if there is none or if next edits are off', async () => {
    const { showInformationMessage } = window;
    window.statusBarMessages = [];
    open(SUM);
    await nextEdit.request();
    assert.deepEqual(requests[0]?.context, { triggerKind: 1 });
    assert.deepEqual(window.statusBarMessages, ['No next edit here.']);
    answer = () => [replacing('n +=', 'total +=')];
    await nextEdit.request();
    assert.equal(editor.isDrawn, true);
    assert.equal(window.statusBarMessages.length, 1);
    answer = () => [];
    problem = 'The built-in model was not trained to suggest edits.';
    for (const pressed of [undefined, 'Choose a Model']) {
      commands.ran = [];
      window.showInformationMessage = (message, button) => {
        assert.equal(message, problem);
        return Promise.resolve(button === pressed ? pressed : undefined);
      };
      await nextEdit.request();
      assert.equal(commands.ran.includes('flashline.pickModel'), pressed !== undefined);
    }
    nextEdit.dispose();
    open(SUM, 'off');
    for (const pressed of [undefined, 'Open Setting']) {
      commands.ran = [];
      window.showInformationMessage = (message, button) => {
        assert.match(message, /^Next edits are off/);
        return Promise.resolve(button === pressed ? pressed : undefined);
      };
      await nextEdit.request();
      const opened = ['workbench.action.openSettings', 'flashline.nextEdit'];
      assert.deepEqual(commands.ran, pressed === undefined ? [] : opened);
    }
    assert.equal(requests.length, 4);
    window.showInformationMessage = showInformationMessage;
  });

  it('is dismissed for good only if it was visible for a second', async () => {
    for (const [ms, isRejected] of [
      [999, false],
      [1000, true],
    ] as const) {
      open(SUM);
      sentMessages = [];
      answer = () => [replacing('n +=', 'total +=')];
      await nextEdit.request();
      await clock.pass(ms);
      nextEdit.dismiss();
      assert.equal(editor.isDrawn, false);
      assert.equal(sentMessages.includes('flashline.didRejectNextEdit'), isRejected);
      nextEdit.dispose();
    }
  });

  it('appears 200 ms after its request at the earliest if that follows a key', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    editor.moveTo('let n', 5);
    editor.type('total', 1);
    await clock.pass(500 + 199);
    assert.deepEqual([requests.length, editor.isDrawn], [1, false]);
    await clock.pass(1);
    assert.equal(editor.isDrawn, true);
  });

  it('of many lines is announced with their numbers, and shown in a hover once the cursor is there', async () => {
    open(`let n = 0;\n${'\n'.repeat(40)}a();\nb();\nc();\nd();\n`);
    answer = () => [replacing('a();\nb();\nc();\nd();', 'x();\ny();')];
    await rename();
    assert.deepEqual(editor.added, ['Next edit: lines 42–45, +2 −4 · Tab']);
    assert.equal(state, 'Next edit: lines 42–45, +2 −4. Tab goes there.');
    await nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['editor.action.showHover', { focus: 'noAutoFocus' }]);
    assert.deepEqual(editor.added, ['Next edit: here, +2 −4 · Tab']);
    assert.equal(state, 'Next edit: here, +2 −4. Tab accepts it.');
    answer = () => [];
    await nextEdit.accept('tab');
    assert.match(editor.withCursor, /\nx\(\);\ny\|\(\);\n$/);
  });

  it('is accepted by its second key where Tab indents, or as ghost text', async () => {
    open(`${SUM}\n    return 0;\n`);
    answer = () => [replacing('return 0', 'return 1')];
    await rename();
    editor.moveTo('    return 0', 0);
    assert.match(editor.added.join(), /1/);
    assert.match(state ?? '', /\. (Ctrl|Cmd)\+Alt\+Enter accepts it\.$/);
    answer = () => [];
    await nextEdit.accept(undefined);
    assert.match(editor.text, /return 1;/);
    nextEdit.dispose();
    open('const a = 1;\nuse(a);\n');
    editor.moveTo('1;', 2);
    const start = { line: 1, character: 0 };
    answer = () => [replacing('use', 'const b = 2;\n', { range: { start, end: start } })];
    editor.type(' ');
    await clock.pass(1000);
    await nextEdit.accept(undefined);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.commit']);
    commands.ran = [];
    await nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['tab'], 'VS Code accepts ghost text by Tab itself');
  });

  it('is hidden and not accepted if VS Code refuses it', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    editor.edit = () => Promise.resolve(false);
    await nextEdit.accept('tab');
    assert.deepEqual([editor.text.includes('total +='), editor.isDrawn], [false, false]);
    assert.ok(!sentMessages.includes('flashline.didAcceptNextEdit'));
  });

  it('that deletes the last lines is not drawn again when the cursor moves before VS Code reports success', async () => {
    open(SUM);
    answer = () => [replacing('for (const x of xs) n += x;\nreturn n;\n', '')];
    await rename();
    assert.equal(editor.isDrawn, true);
    const edit = editor.edit.bind(editor);
    editor.edit = async (make) => {
      const isApplied = await edit(make);
      editor.moveTo('let', 3);
      return isApplied;
    };
    answer = () => [];
    await nextEdit.accept('tab');
    assert.deepEqual([editor.text, editor.isDrawn], ['let total = 0;\n', false]);
  });

  it('names its second key instead of Tab while the IntelliSense list is open', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    const ask = (selectedCompletionInfo: object | undefined): void => {
      const context = { triggerKind: 0, selectedCompletionInfo } as never;
      nextEdit.ghostItem(editor.document as never, editor.selection.active as never, context);
    };
    assert.match(state ?? '', /Tab accepts it/);
    ask({});
    assert.match(state ?? '', /Enter accepts it/);
    ask(undefined);
    assert.match(state ?? '', /Tab accepts it/);
  });

  it('is requested after a pause in typing for the current text, but not after changes by a save or on disk', async () => {
    open(SUM);
    editor.moveTo('let n', 5);
    // VS Code reports a document as unsaved a moment after the first key.
    editor.document.isDirty = false;
    for (const key of ['t', 'o']) {
      editor.type(key);
      editor.document.isDirty = true;
      // People type three keys a second; a request between two keys would delay the ghost text of the next one.
      await clock.pass(400);
    }
    assert.equal(requests.length, 0);
    await clock.pass(100);
    assert.deepEqual(requests, [
      {
        textDocument: { uri: 'file:///project/sum.ts', version: 3 },
        position: { line: 0, character: 7 },
        context: { triggerKind: 2 },
      },
    ]);
    const at = new Range(0, 0, 0, 0);
    documents.willBeSaved.fire({});
    editor.change([{ range: at, text: 'x' }]);
    documents.saved.fire({});
    await clock.pass(1);
    editor.document.isDirty = false;
    editor.change([{ range: at, text: 'x' }]);
    await clock.pass(5000);
    assert.equal(requests.length, 1);
  });

  it('draws a small change near the cursor, accepted by one key as one step', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    assert.deepEqual(editor.added, ['total']);
    assert.equal(commands.context['flashline.nextEditShown'], true);
    answer = () => [];
    await nextEdit.accept('tab');
    assert.equal(editor.withCursor, 'let total = 0;\nfor (const x of xs) total| += x;\nreturn n;\n');
    assert.equal(editor.steps, 1);
    assert.equal(editor.isDrawn, false);
    await settled();
    await clock.pass(0);
    assert.equal(requests.length, 2, 'a next edit is requested again immediately');
    assert.ok(
      sentMessages.includes('textDocument/didShowInlineEdit') &&
        sentMessages.includes('flashline.didAcceptNextEdit'),
    );
  });

  it('announces a change elsewhere; the first Tab goes there, the second accepts it', async () => {
    const far = `let n = 0;\n${'\n'.repeat(40)}return n;\n`;
    open(far);
    answer = () => [replacing('n;', 'total;')];
    await rename();
    assert.deepEqual(editor.added, ['total', 'Next edit: line 42 · Tab']);
    await nextEdit.accept('tab');
    assert.equal(editor.withCursor, far.replace('n =', 'total =').replace('return n', 'return |n'));
    assert.deepEqual(editor.added, ['total']);
    answer = () => [];
    await nextEdit.accept('tab');
    assert.equal(editor.text, far.replaceAll(/\bn\b/g, 'total'));
  });

  it('is only announced by a hint while some of its lines are scrolled out of view or folded', async () => {
    open(SUM);
    editor.see([0, 0]);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    assert.deepEqual(editor.added, ['total', 'Next edit: line 2 · Tab']);
    editor.see([0, 1]);
    assert.deepEqual(editor.added, ['total']);
    editor.see([0, 0], [2, 3]);
    assert.match(state ?? '', /Tab goes there\.$/);
    await nextEdit.accept('tab');
    assert.equal(editor.withCursor, SUM.replace('let n', 'let total').replace('n +=', '|n +='));
    assert.deepEqual(editor.added, ['total']);
    editor.see([2, 3]);
    assert.match(state ?? '', /Tab goes there\.$/, 'scrolled away from the cursor');
    await nextEdit.accept('tab');
    answer = () => [];
    await nextEdit.accept('tab');
    assert.match(editor.text, /total \+=/);
  });

  for (const [count, isHere] of [
    [90, true],
    [110, false],
  ] as const)
    it(`is ${isHere ? 'accepted' : 'approached'} by the first key if it is ${count} columns to the right`, async () => {
      const text = `let n = 0;\nadd(${'1'.repeat(count)}, n);\n`;
      open(text);
      answer = () => [replacing('n);', 'total);')];
      await rename();
      const typed = text.replace('let n', 'let total');
      await nextEdit.accept('tab');
      if (!isHere) {
        assert.equal(editor.withCursor, typed.replace(', n)', ', |n)'));
        await nextEdit.accept('tab');
      }
      assert.equal(editor.text, typed.replace(', n)', ', total)'));
    });

  it('stays accepted by the next key after a key went there, while any of its lines is visible', async () => {
    open(`let n = 0;\n${'\n'.repeat(40)}a();\nb();\nc();\nd();\n`);
    answer = () => [replacing('a();\nb();\nc();\nd();', 'x();\ny();')];
    await rename();
    await nextEdit.accept('tab');
    editor.see([43, 60]);
    assert.match(state ?? '', /Tab accepts it\.$/);
    editor.see([46, 60]);
    assert.match(state ?? '', /Tab goes there\.$/);
  });

  it('unfolds its lines when a key goes there', async () => {
    open(SUM);
    editor.see([0, 1], [3, 3]);
    answer = () => [replacing('n += x;\nreturn n', 'total += x;\nreturn total')];
    await rename();
    assert.match(editor.added.join(), /lines 2–3/);
    await nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['editor.unfold', { selectionLines: [1] }]);
    assert.match(state ?? '', /Tab accepts it\.$/);
  });

  it('draws only a hint in hint mode until the cursor reaches the edit', async () => {
    open(SUM, 'hint');
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    assert.deepEqual(editor.added, ['Next edit: line 2 · Tab']);
    editor.moveTo('for', 2);
    assert.deepEqual(editor.added, ['total']);
  });

  it('leaves Tab alone in leading whitespace, on a blank line, and when nothing is shown', async () => {
    open(`${SUM}\n    return 0;\n`);
    answer = () => [replacing('n;', 'total;')];
    await rename();
    const before = editor.text;
    for (const [text, after] of [
      ['return 0', 0],
      ['return 0', -2],
      ['\n    return', 0],
    ] as const) {
      editor.moveTo(text, after);
      assert.equal(commands.context['flashline.tabIsFree'], false);
      await nextEdit.accept('tab');
      assert.deepEqual(commands.ran, ['tab']);
    }
    assert.equal(editor.text, before);
    editor.moveTo('return 0', 3);
    assert.equal(commands.context['flashline.tabIsFree'], true);
    nextEdit.dismiss();
    commands.ran = [];
    await nextEdit.accept('tab');
    assert.deepEqual(commands.ran, ['tab']);
  });

  it('keeps the rest while its text is typed, and ends with any other change', async () => {
    open(SUM);
    answer = () => [replacing('n += x', 'total += x')];
    await rename();
    editor.moveTo('n +=', 1);
    editor.type('', 1);
    editor.moveTo('for', 0);
    assert.deepEqual(editor.added, ['total']);
    editor.moveTo(' += x', 0);
    editor.type('t');
    editor.moveTo('for', 0);
    assert.deepEqual(editor.added, ['otal']);
    editor.type('x');
    assert.equal(editor.isDrawn, false);
    assert.equal(commands.context['flashline.nextEditShown'], false);
  });

  it('counts as accepted when all of it was typed', async () => {
    open(SUM);
    answer = () => [replacing('n += x', 'total += x')];
    await rename();
    editor.moveTo('n +=', 1);
    editor.type('', 1);
    for (const key of 'total') editor.type(key);
    assert.equal(sentMessages.filter((message) => message === 'flashline.didAcceptNextEdit').length, 1);
  });

  it('stays while its text is typed with slips or taken back, and replaces the slips when it is accepted', async () => {
    open(SUM);
    answer = () => [replacing('n += x', 'total += x')];
    await rename();
    editor.moveTo('n +=', 1);
    editor.type('', 1);
    for (const key of 'toatl') editor.type(key);
    assert.equal(editor.isDrawn, true);
    for (let i = 0; i < 4; i += 1) editor.type('', 1);
    editor.moveTo('for', 0);
    assert.deepEqual(editor.added, ['otal']);
    editor.moveTo('t += x', 1);
    for (const key of 'atl') editor.type(key);
    assert.equal(requests.length, 1);
    await nextEdit.accept('tab');
    assert.equal(editor.text, SUM.replace('n =', 'total =').replace('n +=', 'total +='));
  });

  it('ends with the first key of another word', async () => {
    open(SUM);
    answer = () => [replacing('n += x', 'total += x')];
    await rename();
    editor.moveTo('n +=', 1);
    editor.type('x', 1);
    assert.equal(editor.isDrawn, false);
  });

  it('shown as ghost text is drawn in place at a slip, and becomes ghost text again without it', async () => {
    open('const a = 1;\n\nuse(a);\n');
    editor.moveTo('1;', 2);
    const at = { line: 1, character: 0 };
    answer = () => [replacing('', 'const b = 2;', { range: { start: at, end: at } })];
    editor.type(' ');
    await clock.pass(1000);
    editor.moveTo('\nuse', 0);
    for (const key of 'conts') editor.type(key);
    assert.equal(editor.isDrawn, true);
    for (let i = 0; i < 2; i += 1) editor.type('', 1);
    assert.equal(editor.isDrawn, false);
    const { active } = editor.selection;
    const context = { triggerKind: 0 } as never;
    const item = nextEdit.ghostItem(editor.document as never, active as never, context);
    assert.equal(item?.insertText, 'const b = 2;');
    for (const key of 'ts') editor.type(key);
    await nextEdit.accept('tab');
    assert.equal(editor.text, 'const a = 1; \nconst b = 2;\nuse(a);\n');
  });

  it('ignores an answer that does not fit the current text or changes nothing', async () => {
    const faults: ((edit: InlineEdit) => readonly InlineEdit[])[] = [
      (edit) => [{ ...edit, textDocument: { ...edit.textDocument, version: 1 } }],
      (edit) => [{ ...edit, textDocument: { ...edit.textDocument, uri: 'file:///other.ts' } }],
      (edit) => [{ ...edit, range: { start: { line: 90, character: 0 }, end: { line: 91, character: 0 } } }],
      (edit) => [{ ...edit, range: { start: edit.range.end, end: { line: 1, character: 900 } } }],
      (edit) => [{ ...edit, text: 'n +=' }],
    ];
    for (const withFault of faults) {
      open(SUM);
      answer = () => withFault(replacing('n +=', 'total +='));
      await rename();
      assert.equal(requests.length, 1);
      assert.equal(editor.isDrawn, false, String(withFault));
      nextEdit.dispose();
      requests = [];
    }
    open(SUM);
    let resolve = (): void => undefined;
    answer = () => {
      const edits = [replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await rename();
    editor.type('!');
    resolve();
    await settled();
    assert.equal(editor.isDrawn, false);
  });

  it('replaces whole characters, of two UTF-16 units as well', () => {
    open("say('😀');\n");
    const proposal = Proposal.from(replacing("'😀'", "'😁'"), editor.document as never);
    assert.deepEqual(proposal?.edit, { offset: 5, old: '😀', text: '😁' });
  });

  it('waits for ghost text, for a limited time', async () => {
    open(SUM);
    ghostText.isRequesting = true;
    await rename();
    assert.equal(requests.length, 0);
    assert.match(state ?? '', /ghost text/);
    ghostText.isRequesting = false;
    await clock.pass(300);
    assert.equal(requests.length, 1);
    ghostText.isOffered = true;
    editor.type('!');
    await clock.pass(10_000);
    assert.equal(requests.length, 1);
    assert.equal(state, 'Waits for your next change.');
  });

  it('no longer says that it waits for ghost text once the request is dropped', async () => {
    const drops: readonly (() => void)[] = [
      () => editor.select('let', '0;'),
      () => editor.select('let', 'return'),
      () => (gateReason = 'snoozed'),
      () => (window.state.focused = false),
      () => (editor.document.isDirty = false),
    ];
    for (const drop of drops) {
      open(SUM);
      ghostText.isRequesting = true;
      await rename();
      assert.match(state ?? '', /^Waits until the ghost text/);
      drop();
      await clock.pass(300);
      assert.equal(state, 'Waits for your next change.', String(drop));
      nextEdit.dispose();
      gateReason = undefined;
      window.state.focused = true;
    }
    assert.equal(requests.length, 0);
  });

  it('keeps the sentence of a visible edit while ghost text is computed elsewhere', async () => {
    open(`let n = 0;\n${'\n'.repeat(40)}return n;\n`);
    answer = () => [replacing('n;', 'total;')];
    await rename();
    ghostText.isRequesting = true;
    editor.moveTo('\n', 1);
    for (const ms of [300, 5000]) {
      await clock.pass(ms);
      assert.match(state ?? '', /^Next edit: line 42\. .* goes there\.$/);
    }
    assert.equal(requests.length, 1);
  });

  it('shows an insertion at the cursor as ghost text', async () => {
    open('const a = 1;\nuse(a);\n');
    editor.moveTo('1;', 2);
    const start = { line: 1, character: 0 };
    answer = () => [replacing('use', 'const b = 2;\n', { range: { start, end: start } })];
    editor.type(' ');
    await clock.pass(1000);
    assert.equal(editor.isDrawn, false);
    assert.deepEqual(commands.ran, ['editor.action.inlineSuggest.trigger']);
    const { active } = editor.selection;
    const context = { triggerKind: 0 } as never;
    const item = nextEdit.ghostItem(editor.document as never, active as never, context);
    assert.equal(item?.insertText, '\nconst b = 2;');
    const listed = { triggerKind: 0, selectedCompletionInfo: {} } as never;
    assert.equal(nextEdit.ghostItem(editor.document as never, active as never, listed), undefined);
    editor.select('const a', '\nuse');
    assert.equal(nextEdit.ghostItem(editor.document as never, active as never, context), undefined);
    assert.match(state ?? '', /\. (Ctrl|Cmd)\+Alt\+Enter accepts it\.$/, 'Tab replaces selected text');
  });

  it('is requested when the cursor changes lines soon after an edit, but not within five seconds of Escape', async () => {
    open(SUM);
    await rename();
    editor.moveTo('return', 3);
    await clock.pass(200);
    assert.equal(requests.length, 2);
    answer = () => [replacing('n;', 'total;')];
    editor.type('x');
    await clock.pass(2000);
    nextEdit.dismiss();
    assert.ok(sentMessages.includes('flashline.didRejectNextEdit'));
    const count = requests.length;
    editor.moveTo('for', 3);
    await clock.pass(1000);
    assert.equal(requests.length, count);
    await clock.pass(20_000);
    editor.moveTo('let', 3);
    await clock.pass(1000);
    assert.equal(requests.length, count, 'no request long after the last edit');
  });

  it('is not requested within five seconds of a selection over lines', async () => {
    open(SUM);
    await rename();
    editor.select('let', 'return');
    for (const [text, count] of [
      ['for', 1],
      ['return', 1],
    ] as const) {
      editor.moveTo(text, 3);
      editor.type('x');
      await clock.pass(2000);
      assert.equal(requests.length, count, text);
    }
    await clock.pass(1000);
    editor.type('x');
    await clock.pass(1000);
    assert.equal(requests.length, 2);
  });

  it('keeps a running request when text is typed, and cancels it when the editor is left', async () => {
    open(SUM);
    answer = () => new Promise(() => undefined);
    await rename();
    editor.type('!');
    await clock.pass(1000);
    assert.deepEqual([requests.length, cancelledCount], [2, 0]);
    editor.leave();
    assert.equal(cancelledCount, 1);
  });

  it('leaves no request open that typing has made obsolete, once it is answered', async () => {
    const openBefore = CancellationTokenSource.open.size;
    open(SUM);
    let resolve = (): void => undefined;
    answer = () => new Promise((done) => (resolve = () => void done([])));
    await rename();
    editor.type('!');
    resolve();
    await settled();
    assert.equal(CancellationTokenSource.open.size, openBefore);
  });

  it('is not requested in another editor because of typing in the one before', async () => {
    const other = new FakeEditor(SUM, '/project/other.ts');
    open(SUM);
    editor.moveTo('let n', 5);
    editor.type('x');
    editor.leave(other);
    await clock.pass(1000);
    assert.equal(requests.length, 0);
  });

  it('is not requested in a window without the focus', async () => {
    open(SUM);
    window.state.focused = false;
    await rename();
    window.state.focused = true;
    assert.equal(requests.length, 0);
  });

  it('is hidden by a snooze', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    nextEdit.update();
    assert.equal(editor.isDrawn, true);
    gateReason = 'snoozed';
    nextEdit.update();
    assert.equal(editor.isDrawn, false);
  });

  it('is neither requested nor shown while next edits are off', async () => {
    open(SUM, 'off');
    await rename();
    assert.equal(requests.length, 0);
    assert.equal(state, undefined);
    workspace.settings = { 'flashline.nextEdit': 'inline' };
    nextEdit.update();
    answer = () => [replacing('n +=', 'total +=')];
    editor.type('!');
    await clock.pass(1000);
    assert.equal(editor.isDrawn, true);
    workspace.settings = {};
    nextEdit.update();
    assert.equal(editor.isDrawn, false);
    editor.type('!');
    await clock.pass(1000);
    assert.equal(requests.length, 1);
  });

  it('reports first that it waits for a change', () => {
    open(SUM);
    assert.equal(state, 'Waits for your next change.');
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
        open(`${SUM}\n    return 0;\n`);
        answer = () => [replacing('return 0', 'return 1')];
        await nextEdit.request();
        editor.moveTo('    return 0', 0);
        assert.match(state ?? '', new RegExp(`\\. ${key}\\+Alt\\+Enter accepts it\\.$`));
        nextEdit.dispose();
      }
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });

  it('is requested again after the first one was accepted, without any typing', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await nextEdit.request();
    answer = () => [];
    await nextEdit.accept(undefined);
    await clock.pass(0);
    assert.equal(requests.length, 2);
  });

  it('leaves no request open once it is answered', async () => {
    const before = CancellationTokenSource.open.size;
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await nextEdit.request();
    assert.ok(editor.isDrawn);
    assert.equal(CancellationTokenSource.open.size, before);
  });

  it('is not shown if its editor was left while it was computed, even when the user is back', async () => {
    open(SUM);
    let resolve = (): void => undefined;
    answer = () => {
      const edits = [replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await rename();
    editor.leave();
    editor.leave(editor);
    resolve();
    await clock.pass(1000);
    assert.deepEqual([requests.length, cancelledCount, editor.isDrawn], [1, 1, false]);
  });

  it('is not requested with several cursors, nor within five seconds of them', async () => {
    open(SUM);
    await rename();
    editor.more = [editor.selection];
    editor.moveTo('for', 3);
    editor.type('x');
    await clock.pass(1000);
    assert.equal(requests.length, 1);
    editor.more = [];
    editor.moveTo('return', 3);
    editor.type('x');
    await clock.pass(3000);
    assert.equal(requests.length, 1);
    await clock.pass(2000);
    editor.type('x');
    await clock.pass(1000);
    assert.equal(requests.length, 2);
  });

  it('is not requested again after one was accepted with several cursors', async () => {
    open(SUM);
    editor.more = [editor.selection];
    answer = () => [replacing('n +=', 'total +=')];
    await nextEdit.request();
    await nextEdit.accept(undefined);
    await clock.pass(1000);
    assert.deepEqual([editor.text.includes('total +='), requests.length], [true, 1]);
  });

  it('stays when VS Code reports a change of the document without a change of its text', async () => {
    open(SUM);
    const report = (): void => documents.changed.fire({ document: editor.document, contentChanges: [] });
    let resolve = (): void => undefined;
    answer = () => {
      const edits = [replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await rename();
    report();
    resolve();
    await clock.pass(0);
    assert.equal(editor.isDrawn, true, 'reported before the answer');
    report();
    assert.equal(editor.isDrawn, true, 'reported after the answer');
    await clock.pass(5000);
    assert.equal(requests.length, 1);
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
        open(`${gap}return n;\n${gap}`, mode);
        const line = isAbove ? 10 - distance : 10 + distance;
        answer = () => [replacing('n;', 'total;')];
        editor.selection = new Selection(line, 1, line, 1);
        await nextEdit.request();
        const end = isHere ? 'accepts it' : 'goes there';
        assert.match(state ?? '', new RegExp(`${end}\\.$`));
        nextEdit.dispose();
      }
    });

  it('is reported as shown once, however much of it is typed', async () => {
    open(SUM);
    answer = () => [replacing('n += x', 'total += x')];
    await rename();
    editor.moveTo('n +=', 1);
    editor.type('', 1);
    for (const key of 'tot') editor.type(key);
    const shown = sentMessages.filter((message) => message === 'textDocument/didShowInlineEdit');
    assert.equal(shown.length, 1);
  });

  it('is requested again after a save that has failed', async () => {
    open(SUM);
    documents.willBeSaved.fire({});
    await clock.pass(2999);
    editor.type('x');
    await clock.pass(1000);
    assert.equal(requests.length, 0, 'a change within three seconds belongs to the save');
    editor.type('x');
    await clock.pass(1000);
    assert.equal(requests.length, 1);
  });

  it('is requested after typing that was saved during the pause', async () => {
    open(SUM);
    editor.type('x');
    documents.willBeSaved.fire({});
    documents.saved.fire({});
    editor.document.isDirty = false;
    await clock.pass(1000);
    assert.equal(requests.length, 1);
  });

  it('is requested after typing in a notebook cell, which is never reported as unsaved', async () => {
    for (const [scheme, count] of [
      ['file', 0],
      ['vscode-notebook-cell', 1],
    ] as const) {
      open(SUM);
      Object.assign(editor.document, { isDirty: false, uri: new Uri(scheme, '/project/sum.ts') });
      editor.type('x');
      await clock.pass(1000);
      assert.equal(requests.length, count, scheme);
      nextEdit.dispose();
    }
  });

  it('is neither requested nor shown once it is disposed of', async () => {
    open(SUM);
    answer = () => [replacing('n +=', 'total +=')];
    await rename();
    nextEdit.dispose();
    assert.equal(editor.isDrawn, false);
    editor.type('x');
    await clock.pass(5000);
    assert.equal(requests.length, 1);
    open(SUM);
    editor.type('x');
    nextEdit.dispose();
    await clock.pass(5000);
    assert.equal(requests.length, 1, 'a pause in typing had begun');
    open(SUM);
    answer = () => new Promise(() => undefined);
    await rename();
    nextEdit.dispose();
    assert.equal(cancelledCount, 1, 'the running request is cancelled');
  });
});
