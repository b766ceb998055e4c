// Tests next edits in VS Code with its defaults: the drawing and the keys. A language server of the test answers
// slowly, wrongly and late.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replacing, type ScriptedServer } from '../../editor/scriptedServer';
import type { Session } from '../../editor/session';
import { pause, until } from '../../editor/waiting';
import { leaveEditors } from '../sharedVscode';
import { NextEditWindow } from './nextEditWindow';
import '../failureShots';

const SUM = 'n := 0\nfor _, x := range xs {\n\tn += x\n}\nreturn n\n';
/** The text with `n` renamed in its first line. */
const TYPED = SUM.replace('n := 0', 'total := 0');
/** Time in which an edit that must not be shown would be drawn. */
const IDLE_MS = 600;

describe('next edit in VS Code', () => {
  let window: NextEditWindow;
  let server: ScriptedServer;
  let session: Session;
  let files = 0;
  before(async () => {
    window = await NextEditWindow.open();
    ({ server, session } = window);
  });
  beforeEach(async () => {
    server.edits = () => [];
    server.ghostText = () => [];
    await leaveEditors(session);
  });
  after(async () => {
    await window.close();
  });

  /** Shows a new file with the cursor after the first occurrence of `before` in its text. */
  async function show(text: string, before: string): Promise<void> {
    await window.show(`file${(files += 1)}.go`, text, text.indexOf(before) + before.length);
  }

  /** Types `total` in place of the n before the cursor. */
  async function rename(): Promise<void> {
    await session.workbench.press('Backspace');
    await session.workbench.type('total');
  }

  async function waitForText(text: string): Promise<void> {
    await until(
      `the text is ${JSON.stringify(text)}`,
      async () => (await session.probe.state()).text === text,
    );
  }

  /** Waits until these texts, and no others, are drawn as additions. */
  async function waitForAdded(...texts: string[]): Promise<void> {
    await until(`the editor adds ${texts.join(', ') || 'nothing'}`, async () => {
      const added = await session.workbench.addedTexts();
      return JSON.stringify(added.toSorted()) === JSON.stringify(texts.toSorted());
    });
  }

  /**
   * Renames n in the first line of a new file, and waits until the next edit is drawn: the same in the third line. The
   * cursor is after `total` in the first.
   */
  async function offerEdit(): Promise<void> {
    await show(SUM, 'n');
    server.edits = (text) => replacing(text, 'n +=', 'total +=');
    await rename();
    await waitForAdded('total');
  }

  /** Waits until the acceptance is the only command that the server has received since message number `from`. */
  async function waitForAcceptance(from: number): Promise<void> {
    const [command] = await until('the edit counts as accepted', () => {
      const sent = server.sent('workspace/executeCommand', from) as { command: string }[];
      return sent.length === 1 && sent;
    });
    assert.equal(command?.command, 'flashline.didAcceptNextEdit');
  }

  async function setContext(key: string, value: unknown): Promise<void> {
    await session.probe.command('setContext', key, value);
  }

  it('draws a change in place; Tab accepts it, and one undo takes it back', async () => {
    const { workbench, probe } = session;
    await offerEdit();
    const from = server.messages.length;
    server.edits = () => [];
    await workbench.press('Tab');
    const accepted = TYPED.replace('n +=', 'total +=');
    await waitForText(accepted);
    assert.equal((await probe.state()).cursor, accepted.indexOf('total +=') + 'total'.length);
    await waitForAdded();
    await until(
      'the next edit is requested again',
      () => server.sent('textDocument/copilotInlineEdit', from).length > 0,
    );
    const [command] = server.sent('workspace/executeCommand', from) as { command: string }[];
    assert.equal(command?.command, 'flashline.didAcceptNextEdit');
    await workbench.press('Control+z');
    await waitForText(TYPED);
  });

  it('goes to a change elsewhere with the first Tab, and accepts it with the second', async () => {
    const { workbench, probe } = session;
    const text = SUM.replace('return', `${'// filler\n'.repeat(60)}return`);
    await show(text, 'n');
    server.edits = (current) => replacing(current, 'return n', 'return total');
    await rename();
    await until('a hint names the line of the edit', async () =>
      (await workbench.addedTexts()).includes('Next edit: line 65 · Tab'),
    );
    await workbench.press('Tab');
    const typed = text.replace('n :=', 'total :=');
    await until('the cursor is at the change', async () => {
      return (await probe.state()).cursor === typed.indexOf('return n') + 'return '.length;
    });
    await waitForAdded('total');
    server.edits = () => [];
    await workbench.press('Tab');
    await waitForText(typed.replace('return n', 'return total'));
  });

  it('goes to a change nearby that is folded or scrolled out of view before it accepts it', async () => {
    const { workbench, probe } = session;
    // VS Code draws the dots in place of folded lines.
    const folded = ['⋯', 'Next edit: lines 3–5, +2 −2 · Tab', 'total'];
    for (const [hide, ...added] of [
      [() => probe.command('editor.fold', { selectionLines: [1] }), ...folded],
      [() => probe.command('editorScroll', { to: 'down', by: 'line', value: 3 }), 'total'],
    ] as const) {
      await show(SUM + '// filler\n'.repeat(99), 'n');
      server.edits = (text) => replacing(text, 'n += x\n}\nreturn n', 'total += x\n}\nreturn total');
      await rename();
      await waitForAdded('total', 'total');
      await hide();
      await waitForAdded(...added);
      await workbench.press('Tab');
      await until('the cursor is at the change', async () => {
        return (await probe.state()).cursor === TYPED.indexOf('n +=');
      });
      await waitForAdded('total', 'total');
      server.edits = () => [];
      await workbench.press('Tab');
      await waitForText(TYPED.replaceAll(/\bn\b/g, 'total') + '// filler\n'.repeat(99));
    }
  });

  it('shows an insertion at the cursor as ghost text, which Tab accepts', async () => {
    const { workbench } = session;
    await show('a := 1\nuse(a)\n', 'a := 1');
    server.edits = (text) => {
      const at = { line: 1, character: 0 };
      return text.startsWith('a := 12\n') ? [{ text: 'b := 2\n', range: { start: at, end: at } }] : [];
    };
    await workbench.type('2');
    assert.equal((await workbench.suggestion()).trim(), 'b := 2');
    const from = server.messages.length;
    await workbench.press('Tab');
    await waitForText('a := 12\nb := 2\nuse(a)\n');
    await waitForAcceptance(from);
  });

  it('leaves Tab to indentation, the suggestion list and snippets', async () => {
    const { workbench, probe } = session;
    await offerEdit();
    const indented = TYPED.replace('\tn', '\t\tn');
    for (const key of ['ArrowDown', 'ArrowDown', 'Home']) await workbench.press(key);
    await workbench.press('Tab');
    await waitForText(indented);
    await leaveEditors(session);

    await offerEdit();
    await workbench.press('End');
    await workbench.press('Shift+Home');
    await workbench.press('Tab');
    await waitForText(TYPED.replace('total := 0', '\ttotal := 0'));
    await leaveEditors(session);

    await offerEdit();
    for (const key of ['End', 'ArrowLeft']) await workbench.press(key);
    await probe.command('editor.action.triggerSuggest');
    await workbench.entry.waitFor();
    await workbench.press('Tab');
    await pause(IDLE_MS);
    assert.ok((await probe.state()).text?.includes('\tn += x'), 'Tab accepts the next edit');
    await leaveEditors(session);

    await show(`\n${SUM}`, '');
    server.edits = (text) => (text.includes('for v') ? replacing(text, 'n +=', 'total +=') : []);
    await probe.command('editor.action.insertSnippet', { snippet: 'for ${1:i} := range ${2:items}' });
    await workbench.type('v');
    await until('a next edit is drawn', async () => (await workbench.addedTexts()).length > 0);
    await workbench.press('Tab');
    await workbench.type('all');
    await waitForText(`for v := range all\n${SUM}`);
  });

  it('leaves Escape to the suggestion list and the find widget, and then dismisses the edit', async () => {
    const { workbench, probe } = session;
    await offerEdit();
    const find = workbench.page.locator('.find-widget.visible');
    await probe.command('actions.find');
    await find.waitFor();
    await probe.command('workbench.action.focusActiveEditorGroup');
    await pause(1000);
    await workbench.press('Escape');
    await find.waitFor({ state: 'hidden' });
    await waitForAdded('total');
    for (const key of ['End', 'ArrowLeft']) await workbench.press(key);
    await probe.command('editor.action.triggerSuggest');
    await workbench.entry.waitFor();
    await workbench.press('Escape');
    await workbench.entry.waitFor({ state: 'hidden' });
    await waitForAdded('total');
    const from = server.messages.length;
    await workbench.press('Escape');
    await waitForAdded();
    const [command] = await until('the rejection is sent to the server', () => {
      const sent = server.sent('workspace/executeCommand', from) as { command: string }[];
      return sent.length > 0 && sent;
    });
    assert.equal(command?.command, 'flashline.didRejectNextEdit');
  });

  it("leaves the keys of Vim's normal mode alone, and accepts the edit with Tab in insert mode", async () => {
    const { workbench } = session;
    await offerEdit();
    for (const [isOn, mode, normal, insert] of [
      ['vim.active', 'vim.mode', 'Normal', 'Insert'],
      ['neovim.init', 'neovim.mode', 'normal', 'insert'],
    ] as const) {
      await setContext(isOn, true);
      await setContext(mode, normal);
      await workbench.press('Escape');
      await pause(IDLE_MS);
      await waitForAdded('total');
      await workbench.press('Tab');
      await pause(IDLE_MS);
      assert.notEqual((await session.probe.state()).text, TYPED.replace('n +=', 'total +='));
      await workbench.press('Control+z');
      await waitForText(TYPED);
      await leaveEditors(session);
      await offerEdit();
      await setContext(mode, insert);
      await workbench.press('Tab');
      await waitForText(TYPED.replace('n +=', 'total +='));
      await setContext(isOn, undefined);
      await setContext(mode, undefined);
      await leaveEditors(session);
      await offerEdit();
    }
  });

  it('shows no answer that is late, for another version or out of place', async () => {
    const { workbench } = session;
    await show(SUM, 'n');
    server.edits = async (text) => {
      await pause(IDLE_MS);
      return replacing(text, 'n +=', 'total +=');
    };
    const from = server.messages.length;
    await rename();
    await until(
      'a next edit is requested',
      () => server.sent('textDocument/copilotInlineEdit', from).length > 0,
    );
    server.edits = () => [];
    await workbench.type('s');
    await pause(2 * IDLE_MS);
    await waitForAdded();

    const wrong = [
      { version: 1, range: { start: { line: 2, character: 1 }, end: { line: 2, character: 2 } } },
      { range: { start: { line: 99, character: 0 }, end: { line: 99, character: 9 } } },
    ];
    for (const fields of wrong) {
      let isRequested = false;
      server.edits = () => {
        isRequested = true;
        return [{ text: 'wrong', ...fields }];
      };
      await workbench.type('x');
      await until('a next edit is requested', () => isRequested);
      await pause(IDLE_MS);
      await waitForAdded();
    }
  });

  it('hides the edit when the user types other text, and counts it as accepted when the user types it', async () => {
    const { workbench } = session;
    await offerEdit();
    server.edits = () => [];
    await workbench.type('x');
    await waitForAdded();
    await leaveEditors(session);

    await offerEdit();
    for (const key of ['ArrowDown', 'ArrowDown', 'Home', 'Delete']) await workbench.press(key);
    const from = server.messages.length;
    server.edits = () => [];
    await workbench.type('total');
    await waitForText(TYPED.replace('n +=', 'total +='));
    await waitForAcceptance(from);
  });

  it('appears only in the window that requested it', async () => {
    await offerEdit();
    const folder = join(session.profile.root, 'other');
    mkdirSync(folder, { recursive: true });
    const secondWindow = await session.openWindow(folder);
    const path = join(folder, 'other.go');
    session.profile.write(path, SUM);
    await secondWindow.probe.show(path, 1);
    await pause(IDLE_MS);
    assert.deepEqual(await secondWindow.workbench.addedTexts(), []);
    await secondWindow.workbench.press('Backspace');
    await secondWindow.workbench.type('total');
    await until(
      'the edit is drawn in the second window',
      async () => (await secondWindow.workbench.addedTexts()).join() === 'total',
    );
    await secondWindow.workbench.press('Tab');
    await until('the edit is accepted in the second window', async () =>
      (await secondWindow.probe.state()).text?.includes('total +='),
    );
    assert.equal((await session.probe.state()).text, TYPED);
    await waitForAdded('total');
  });
});
