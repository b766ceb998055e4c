// Tests an edit as a user makes it: selects code, describes the change, and accepts and rejects the result hunk by
// hunk. A server of the test answers instead of a model.
import assert from 'node:assert/strict';
import type { Dialog, Locator } from 'playwright-core';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { event, open, streaming, type ReceivedRequest, type OpenAiServer } from '../../remote/openAiServer';
import { engineWindow, leaveEditors } from '../sharedVscode';

const BEFORE = `import { readFileSync } from 'node:fs';

export function mean(values: number[]): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    total += values[i];
  }
  return total / values.length;
}
`;
const ANSWER = `export function mean(values: readonly number[]): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return values.length === 0 ? 0 : total / values.length;
}`;
/** The text after the test accepts the first hunk, rejects the second and accepts the third. */
const DECIDED = `import { readFileSync } from 'node:fs';

export function mean(values: readonly number[]): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    total += values[i];
  }
  return values.length === 0 ? 0 : total / values.length;
}
`;

const INSTRUCTION = 'use for...of, and return 0 for an empty list';
const PIECES = ANSWER.match(/.{1,8}/gs) ?? [];

const BROKEN = `const unrelated = 1;

const size: number = 'four';
const area = size * size;
`;
const FIXED = `const size: number = 4;
const area = size * size;`;

describe('a proposed edit in the editor', () => {
  let engine: OpenAiServer;
  let session: Session;
  before(async () => {
    ({ engine, session } = await engineWindow());
    engine.respond = streaming(PIECES);
    const { probe, profile } = session;
    for (const file of ['mean.ts', 'cancelled.ts']) profile.write(profile.file(file), BEFORE);
    profile.write(profile.file('broken.ts'), BROKEN);
    await probe.setting('flashline.trigger', 'manual');
  });
  after(async () => {
    await session.probe.setting('flashline.trigger', undefined);
    await leaveEditors(session);
  });

  const text = async (): Promise<string> => (await session.probe.state()).text ?? '';

  /** Selects the function in a file and requests the edit. */
  async function requestEdit(file: string): Promise<void> {
    const { probe, profile, workbench } = session;
    await probe.show(profile.file(file), BEFORE.indexOf('export'));
    await workbench.press('Control+Shift+End');
    await workbench.press('Control+Alt+Shift+g');
    await workbench.page.locator('.quick-input-title', { hasText: 'Edit the selected code' }).waitFor();
    await workbench.type(INSTRUCTION, 1);
    await workbench.press('Enter');
  }

  const lens = (title: string): Locator =>
    session.workbench.page.locator('.codelens-decoration a', { hasText: title });

  /** Requests the edit of mean.ts and waits until all its hunks are proposed. */
  async function proposeEdit(): Promise<void> {
    await requestEdit('mean.ts');
    await lens('Accept All (3)').waitFor();
  }

  it('shows the removed lines, and is accepted and rejected hunk by hunk', async () => {
    const { workbench } = session;
    await proposeEdit();
    const body = JSON.stringify(engine.requests.at(-1)?.body);
    assert.ok(body.includes('use for...of') && body.includes('total += values[i]'), body);
    await until('the removed lines show', async () =>
      (await workbench.addedTexts()).some((line) => line.trim() === 'total += values[i];'),
    );
    const lenses = workbench.page.locator('.codelens-decoration a');
    await lenses.getByText('Accept', { exact: true }).first().click();
    await until(
      'one hunk is decided',
      async () => (await lenses.getByText('Reject', { exact: true }).count()) === 2,
    );
    await lenses.getByText('Reject', { exact: true }).first().click();
    await until(
      'two hunks are decided',
      async () => (await lenses.getByText('Reject', { exact: true }).count()) === 1,
    );
    await workbench.press('Control+Alt+y');
    await until('all hunks are decided', async () => (await text()) === DECIDED);
    await lenses.first().waitFor({ state: 'detached' });
  });

  it('is reverted by undo', async () => {
    for (let i = 0; i < 4; i += 1) await session.probe.command('undo');
    await until('undo restores the text before the edit', async () => (await text()) === BEFORE);
  });

  it('is kept in a background tab when its window is reloaded', async () => {
    const { probe, profile, workbench } = session;
    await workbench.page.locator('.codelens-decoration a').first().waitFor({ state: 'detached' });
    await proposeEdit();
    const proposed = await until('the edit is proposed', async () => {
      const current = await text();
      return current !== BEFORE && current;
    });
    await probe.show(profile.file('broken.ts'), 0);
    // VS Code keeps unsaved text of closed windows, and asks the user to stay until it has stored it.
    const { page } = workbench;
    const stayOnPage = (dialog: Dialog): void => void dialog.dismiss();
    page.on('dialog', stayOnPage);
    await until('the window is reloaded', async () => {
      const reloaded = page.reload({ waitUntil: 'commit', timeout: 10_000 });
      return await reloaded.then(
        () => true,
        () => false,
      );
    });
    page.off('dialog', stayOnPage);
    await session.connected();
    await probe.show(profile.file('mean.ts'), 0);
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Accept All (3)' }).waitFor();
    assert.equal(await text(), proposed);
    await probe.command('workbench.action.focusActiveEditorGroup');
    await workbench.press('Escape');
    await until('the edit is rejected', async () => (await text()) === BEFORE);
  });

  it('changes nothing when it is cancelled', async () => {
    const { workbench } = session;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    // The engine also gets other requests, such as tests of its abilities.
    const isEdit = ({ body }: ReceivedRequest): boolean => JSON.stringify(body).includes(INSTRUCTION);
    engine.respond = async (response, request) => {
      if (!isEdit(request)) return await streaming(PIECES)(response, request);
      open(response);
      response.write(event(PIECES.slice(0, 9).join('')));
      await released;
      response.end(`${event(PIECES.slice(9).join(''))}data: [DONE]\n\n`);
    };
    const countBefore = engine.requests.filter(isEdit).length;
    await requestEdit('cancelled.ts');
    await until('the engine writes', () => engine.requests.filter(isEdit).length > countBefore);
    const progress = workbench.notifications.filter({ hasText: 'editing code' });
    await progress.waitFor();
    await workbench.press('Escape');
    // Requires this text, since the request to a silent engine would also end without Escape, but with an error.
    await workbench.page.locator('.statusbar-item', { hasText: 'cancelled; nothing was changed' }).waitFor();
    await until('the request to the engine is cancelled', () => engine.requests.findLast(isEdit)?.closed);
    release();
    await progress.waitFor({ state: 'detached' });
    assert.equal(await text(), BEFORE);
    assert.equal(await lens('Accept').count(), 0);
  });

  it('fixes the problem of a diagnostic', async () => {
    const { probe, profile, workbench } = session;
    engine.respond = streaming([FIXED]);
    await probe.show(profile.file('broken.ts'), BROKEN.indexOf('size'));
    await workbench.page.locator('.squiggly-error').waitFor();
    // TypeScript has other fixes, which come first, and while its server starts VS Code can show none.
    const fixes = workbench.page.locator('.action-widget .monaco-list-row');
    const flashlineFix = fixes.filter({ hasText: 'Fix with Flashline' });
    await until('fixes are offered', async () => {
      await workbench.press('Escape');
      await workbench.press('Control+.');
      return await flashlineFix.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
    await until('the fix is selected', async () => {
      if ((await flashlineFix.getAttribute('class'))?.includes('focused')) return true;
      await workbench.press('ArrowDown');
      return false;
    });
    await workbench.press('Enter');
    await workbench.page.locator('.codelens-decoration a', { hasText: 'Accept' }).waitFor();
    const { prompt } = engine.requests.at(-1)?.body ?? {};
    assert.match(
      String(prompt),
      /In the line "const size: number = 'four';": Type 'string' is not assignable to type 'number'/,
    );
    await workbench.press('Control+Alt+Shift+y');
    await until('the fix is applied', async () => (await text()) === BROKEN.replace("'four'", '4'));
  });
});
