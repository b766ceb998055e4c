// Tests when next edits are requested: after which changes and moves, and not before ghost text is decided.
import assert from 'node:assert/strict';
import { settled } from '../../lsp/manualClock';
import { CancellationTokenSource, documents, Range, Uri, window } from '../support/fakeVscode';
import { FakeEditor } from './fakeEditor';
import { NextEditTrial, SUM } from './nextEditTrial';

describe('a next edit (triggers)', () => {
  let trial: NextEditTrial;

  beforeEach(() => {
    trial = new NextEditTrial();
  });
  afterEach(() => {
    trial.dispose();
  });

  it('is requested after a pause in typing for the current text, but not after changes by a save or on disk', async () => {
    trial.open(SUM);
    trial.editor.moveTo('let n', 5);
    // VS Code reports a document as unsaved a moment after the first key.
    trial.editor.document.isDirty = false;
    for (const key of ['t', 'o']) {
      trial.editor.type(key);
      trial.editor.document.isDirty = true;
      // People type three keys a second; a request between two keys would delay the ghost text of the next one.
      await trial.clock.pass(400);
    }
    assert.equal(trial.requests.length, 0);
    await trial.clock.pass(100);
    assert.deepEqual(trial.requests, [
      {
        textDocument: { uri: 'file:///project/sum.ts', version: 3 },
        position: { line: 0, character: 7 },
        context: { triggerKind: 2 },
      },
    ]);
    const at = new Range(0, 0, 0, 0);
    documents.willBeSaved.fire({});
    trial.editor.change([{ range: at, text: 'x' }]);
    documents.saved.fire({});
    await trial.clock.pass(1);
    trial.editor.document.isDirty = false;
    trial.editor.change([{ range: at, text: 'x' }]);
    await trial.clock.pass(5000);
    assert.equal(trial.requests.length, 1);
  });

  it('waits for ghost text, for a limited time', async () => {
    trial.open(SUM);
    trial.ghostText.isRequesting = true;
    await trial.rename();
    assert.equal(trial.requests.length, 0);
    assert.match(trial.state ?? '', /ghost text/);
    trial.ghostText.isRequesting = false;
    await trial.clock.pass(300);
    assert.equal(trial.requests.length, 1);
    trial.ghostText.isOffered = true;
    trial.editor.type('!');
    await trial.clock.pass(10_000);
    assert.equal(trial.requests.length, 1);
    assert.equal(trial.state, 'Waits for your next change.');
  });

  it('no longer says that it waits for ghost text once the request is dropped', async () => {
    const drops: readonly (() => void)[] = [
      () => trial.editor.select('let', '0;'),
      () => trial.editor.select('let', 'return'),
      () => (trial.gateReason = 'snoozed'),
      () => (window.state.focused = false),
      () => (trial.editor.document.isDirty = false),
    ];
    for (const drop of drops) {
      trial.open(SUM);
      trial.ghostText.isRequesting = true;
      await trial.rename();
      assert.match(trial.state ?? '', /^Waits until the ghost text/);
      drop();
      await trial.clock.pass(300);
      assert.equal(trial.state, 'Waits for your next change.', String(drop));
      trial.nextEdit.dispose();
      trial.gateReason = undefined;
      window.state.focused = true;
    }
    assert.equal(trial.requests.length, 0);
  });

  it('keeps the sentence of a visible edit while ghost text is computed elsewhere', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}return n;\n`);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    trial.ghostText.isRequesting = true;
    trial.editor.moveTo('\n', 1);
    for (const ms of [300, 5000]) {
      await trial.clock.pass(ms);
      assert.match(trial.state ?? '', /^Next edit: line 42\. .* goes there\.$/);
    }
    assert.equal(trial.requests.length, 1);
  });

  it('is not requested again by moves of the cursor while one is visible', async () => {
    trial.open(`let n = 0;\n${'\n'.repeat(40)}return n;\n`);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    trial.editor.moveTo('\n', 5);
    await trial.clock.pass(1000);
    assert.deepEqual([trial.requests.length, trial.editor.isDrawn], [1, true]);
  });

  it('is requested when the cursor changes lines soon after an edit, but not within five seconds of Escape', async () => {
    trial.open(SUM);
    await trial.rename();
    trial.editor.moveTo('return', 3);
    await trial.clock.pass(200);
    assert.equal(trial.requests.length, 2);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    trial.editor.type('x');
    await trial.clock.pass(2000);
    trial.nextEdit.dismiss();
    assert.ok(trial.sentMessages.includes('flashline.didRejectNextEdit'));
    const count = trial.requests.length;
    trial.editor.moveTo('for', 3);
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, count);
    await trial.clock.pass(20_000);
    trial.editor.moveTo('let', 3);
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, count, 'no request long after the last edit');
  });

  it('waits for the whole pause in typing after a new line, which also moves the cursor', async () => {
    trial.open(SUM);
    await trial.rename();
    trial.editor.type('\n');
    await trial.clock.pass(499);
    assert.equal(trial.requests.length, 1);
    await trial.clock.pass(1);
    assert.equal(trial.requests.length, 2);
  });

  it('is not requested by a move of the cursor just before Escape', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n;', 'total;')];
    await trial.rename();
    trial.editor.moveTo('for', 3);
    await trial.clock.pass(50);
    trial.nextEdit.dismiss();
    await trial.clock.pass(1000);
    assert.deepEqual([trial.requests.length, trial.editor.isDrawn], [1, false]);
  });

  it('is not requested by moves of the cursor after a change on disk', async () => {
    trial.open(SUM);
    trial.editor.document.isDirty = false;
    trial.editor.change([{ range: new Range(0, 0, 0, 0), text: 'x' }]);
    await trial.clock.pass(1000);
    for (const text of ['for', 'return']) trial.editor.moveTo(text, 3);
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 0);
  });

  it('is not requested within five seconds of a selection over lines', async () => {
    trial.open(SUM);
    await trial.rename();
    trial.editor.select('let', 'return');
    for (const [text, count] of [
      ['for', 1],
      ['return', 1],
    ] as const) {
      trial.editor.moveTo(text, 3);
      trial.editor.type('x');
      await trial.clock.pass(2000);
      assert.equal(trial.requests.length, count, text);
    }
    await trial.clock.pass(1000);
    trial.editor.type('x');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 2);
  });

  it('keeps a running request when text is typed, and cancels it when the editor is left', async () => {
    trial.open(SUM);
    trial.answer = () => new Promise(() => undefined);
    await trial.rename();
    trial.editor.type('!');
    await trial.clock.pass(1000);
    assert.deepEqual([trial.requests.length, trial.cancelledCount], [2, 0]);
    trial.editor.leave();
    assert.equal(trial.cancelledCount, 1);
  });

  it('leaves no request open that typing has made obsolete, once it is answered', async () => {
    const openBefore = CancellationTokenSource.open.size;
    trial.open(SUM);
    let resolve = (): void => undefined;
    trial.answer = () => new Promise((done) => (resolve = () => void done([])));
    await trial.rename();
    trial.editor.type('!');
    resolve();
    await settled();
    assert.equal(CancellationTokenSource.open.size, openBefore);
  });

  it('is not requested in another editor because of typing in the one before', async () => {
    const other = new FakeEditor(SUM, '/project/other.ts');
    trial.open(SUM);
    trial.editor.moveTo('let n', 5);
    trial.editor.type('x');
    trial.editor.leave(other);
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 0);
  });

  it('is not requested in a window without the focus', async () => {
    trial.open(SUM);
    window.state.focused = false;
    await trial.rename();
    window.state.focused = true;
    assert.equal(trial.requests.length, 0);
  });

  it('is requested in a language that the built-in model does not know', async () => {
    trial.open(SUM);
    trial.gateReason = 'unknownLanguage';
    await trial.rename();
    assert.equal(trial.requests.length, 1);
  });

  it('is requested again after the first one was accepted, without any typing', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    trial.answer = () => [];
    await trial.nextEdit.accept(undefined);
    await trial.clock.pass(0);
    assert.equal(trial.requests.length, 2);
  });

  it('is requested again at once after one was accepted, even while ghost text is computed', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    trial.answer = () => [];
    trial.ghostText.isRequesting = true;
    await trial.nextEdit.accept(undefined);
    await trial.clock.pass(0);
    assert.equal(trial.requests.length, 2);
  });

  it('is requested again after one was accepted within five seconds of a selection', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    trial.editor.select('let', 'return');
    trial.editor.moveTo('for', 2);
    trial.answer = () => [];
    await trial.nextEdit.accept(undefined);
    await trial.clock.pass(0);
    assert.equal(trial.requests.length, 2);
  });

  it('leaves no request open once it is answered', async () => {
    const before = CancellationTokenSource.open.size;
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    assert.ok(trial.editor.isDrawn);
    assert.equal(CancellationTokenSource.open.size, before);
  });

  it('is not requested with several cursors, nor within five seconds of them', async () => {
    trial.open(SUM);
    await trial.rename();
    trial.editor.more = [trial.editor.selection];
    trial.editor.moveTo('for', 3);
    trial.editor.type('x');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 1);
    trial.editor.more = [];
    trial.editor.moveTo('return', 3);
    trial.editor.type('x');
    await trial.clock.pass(3000);
    assert.equal(trial.requests.length, 1);
    await trial.clock.pass(2000);
    trial.editor.type('x');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 2);
  });

  it('is not requested again after one was accepted with several cursors', async () => {
    trial.open(SUM);
    trial.editor.more = [trial.editor.selection];
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    await trial.nextEdit.accept(undefined);
    await trial.clock.pass(1000);
    assert.deepEqual([trial.editor.text.includes('total +='), trial.requests.length], [true, 1]);
  });

  it('is requested again after a save that has failed', async () => {
    trial.open(SUM);
    documents.willBeSaved.fire({});
    await trial.clock.pass(2999);
    trial.editor.type('x');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 0, 'a change within three seconds belongs to the save');
    trial.editor.type('x');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 1);
  });

  it('is requested after typing that was saved during the pause', async () => {
    trial.open(SUM);
    trial.editor.type('x');
    documents.willBeSaved.fire({});
    documents.saved.fire({});
    trial.editor.document.isDirty = false;
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 1);
  });

  it('is requested after typing that a save has formatted during the pause', async () => {
    trial.open(SUM);
    trial.editor.type('x');
    documents.willBeSaved.fire({});
    trial.editor.change([{ range: new Range(2, 0, 2, 0), text: '  ' }]);
    documents.saved.fire({});
    trial.editor.document.isDirty = false;
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 1);
  });

  it('is requested after typing in a notebook cell, which is never reported as unsaved', async () => {
    for (const [scheme, count] of [
      ['file', 0],
      ['vscode-notebook-cell', 1],
    ] as const) {
      trial.open(SUM);
      Object.assign(trial.editor.document, { isDirty: false, uri: new Uri(scheme, '/project/sum.ts') });
      trial.editor.type('x');
      await trial.clock.pass(1000);
      assert.equal(trial.requests.length, count, scheme);
      trial.nextEdit.dispose();
    }
  });
});
