// Tests next edits in a fake editor: whether they are on, which answers are shown, and what is reported about them.
import assert from 'node:assert/strict';
import type { InlineEdit } from '../../../server/protocol/nextEditMessages';
import { Proposal } from '../../../src/nextEdit/proposal';
import { settled } from '../../lsp/manualClock';
import { commands, window, workspace } from '../support/fakeVscode';
import { NextEditTrial, SUM } from './nextEditTrial';

describe('a next edit', () => {
  let trial: NextEditTrial;

  beforeEach(() => {
    trial = new NextEditTrial();
  });
  afterEach(() => {
    trial.dispose();
  });

  it('is requested immediately by its command, which says if there is none or if next edits are off', async () => {
    const { showInformationMessage } = window;
    window.statusBarMessages = [];
    trial.open(SUM);
    await trial.nextEdit.request();
    assert.deepEqual(trial.requests[0]?.context, { triggerKind: 1 });
    assert.deepEqual(window.statusBarMessages, ['No next edit here.']);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.nextEdit.request();
    assert.equal(trial.editor.isDrawn, true);
    assert.equal(window.statusBarMessages.length, 1);
    trial.answer = () => [];
    trial.status = { state: 'paused', message: 'Next edits are paused while this computer runs on battery.' };
    window.showInformationMessage = assert.fail;
    await trial.nextEdit.request();
    assert.equal(window.statusBarMessages.length, 2);
    const message = 'The built-in model was not trained to suggest edits.';
    for (const [state, pressed] of [
      ['noFormat', undefined],
      ['missing', 'Choose a Model'],
    ] as const) {
      trial.status = { state, message };
      commands.ran = [];
      window.showInformationMessage = (shown, button) => {
        assert.equal(shown, message);
        return Promise.resolve(button === pressed ? pressed : undefined);
      };
      await trial.nextEdit.request();
      assert.equal(commands.ran.includes('flashline.pickModel'), pressed !== undefined);
    }
    trial.nextEdit.dispose();
    trial.open(SUM, 'off');
    for (const pressed of [undefined, 'Open Setting']) {
      commands.ran = [];
      window.showInformationMessage = (message, button) => {
        assert.match(message, /^Next edits are off/);
        return Promise.resolve(button === pressed ? pressed : undefined);
      };
      await trial.nextEdit.request();
      const opened = ['workbench.action.openSettings', 'flashline.nextEdit'];
      assert.deepEqual(commands.ran, pressed === undefined ? [] : opened);
    }
    assert.equal(trial.requests.length, 5);
    window.showInformationMessage = showInformationMessage;
  });

  it('is dismissed for good only if it was visible for a second', async () => {
    for (const [ms, isRejected] of [
      [999, false],
      [1000, true],
    ] as const) {
      trial.open(SUM);
      trial.sentMessages = [];
      trial.answer = () => [trial.replacing('n +=', 'total +=')];
      await trial.nextEdit.request();
      await trial.clock.pass(ms);
      trial.nextEdit.dismiss();
      assert.equal(trial.editor.isDrawn, false);
      assert.equal(trial.sentMessages.includes('flashline.didRejectNextEdit'), isRejected);
      trial.nextEdit.dispose();
    }
  });

  it('counts as accepted when all of it was typed', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n += x', 'total += x')];
    await trial.rename();
    trial.editor.moveTo('n +=', 1);
    trial.editor.type('', 1);
    for (const key of 'total') trial.editor.type(key);
    assert.equal(trial.sentMessages.filter((message) => message === 'flashline.didAcceptNextEdit').length, 1);
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
      trial.open(SUM);
      trial.answer = () => withFault(trial.replacing('n +=', 'total +='));
      await trial.rename();
      assert.equal(trial.requests.length, 1);
      assert.equal(trial.editor.isDrawn, false, String(withFault));
      trial.nextEdit.dispose();
      trial.requests = [];
    }
    trial.open(SUM);
    let resolve = (): void => undefined;
    trial.answer = () => {
      const edits = [trial.replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await trial.rename();
    trial.editor.type('!');
    resolve();
    await settled();
    assert.equal(trial.editor.isDrawn, false);
  });

  it('replaces whole characters, of two UTF-16 units as well', () => {
    trial.open("say('😀');\n");
    const proposal = Proposal.from(trial.replacing("'😀'", "'😁'"), trial.editor.document as never);
    assert.deepEqual(proposal?.edit, { offset: 5, old: '😀', text: '😁' });
  });

  it('is hidden by a snooze', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    trial.nextEdit.update();
    assert.equal(trial.editor.isDrawn, true);
    trial.gateReason = 'snoozed';
    trial.nextEdit.update();
    assert.equal(trial.editor.isDrawn, false);
  });

  it('is neither requested nor shown while next edits are off', async () => {
    trial.open(SUM, 'off');
    await trial.rename();
    assert.equal(trial.requests.length, 0);
    assert.equal(trial.state, undefined);
    workspace.settings = { 'flashline.nextEdit': 'inline' };
    trial.nextEdit.update();
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    trial.editor.type('!');
    await trial.clock.pass(1000);
    assert.equal(trial.editor.isDrawn, true);
    workspace.settings = {};
    trial.nextEdit.update();
    assert.deepEqual([trial.editor.isDrawn, trial.state], [false, undefined]);
    trial.editor.type('!');
    await trial.clock.pass(1000);
    assert.equal(trial.requests.length, 1);
  });

  it('reports first that it waits for a change', () => {
    trial.open(SUM);
    assert.equal(trial.state, 'Waits for your next change.');
  });

  it('is not shown if its editor was left while it was computed, even when the user is back', async () => {
    trial.open(SUM);
    let resolve = (): void => undefined;
    trial.answer = () => {
      const edits = [trial.replacing('n +=', 'total +=')];
      return new Promise((done) => (resolve = () => void done(edits)));
    };
    await trial.rename();
    trial.editor.leave();
    trial.editor.leave(trial.editor);
    resolve();
    await trial.clock.pass(1000);
    assert.deepEqual([trial.requests.length, trial.cancelledCount, trial.editor.isDrawn], [1, 1, false]);
  });

  it('is reported as shown once, however much of it is typed', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n += x', 'total += x')];
    await trial.rename();
    trial.editor.moveTo('n +=', 1);
    trial.editor.type('', 1);
    for (const key of 'tot') trial.editor.type(key);
    const shown = trial.sentMessages.filter((message) => message === 'textDocument/didShowInlineEdit');
    assert.equal(shown.length, 1);
  });

  it('is neither requested nor shown once it is disposed of', async () => {
    trial.open(SUM);
    trial.answer = () => [trial.replacing('n +=', 'total +=')];
    await trial.rename();
    trial.nextEdit.dispose();
    assert.equal(trial.editor.isDrawn, false);
    trial.editor.type('x');
    await trial.clock.pass(5000);
    assert.equal(trial.requests.length, 1);
    trial.open(SUM);
    trial.editor.type('x');
    trial.nextEdit.dispose();
    await trial.clock.pass(5000);
    assert.equal(trial.requests.length, 1, 'a pause in typing had begun');
    trial.open(SUM);
    trial.answer = () => new Promise(() => undefined);
    await trial.rename();
    trial.nextEdit.dispose();
    assert.equal(trial.cancelledCount, 1, 'the running request is cancelled');
  });
});
