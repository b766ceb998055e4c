// A commit message as a person asks for it: with the icon in the Source Control view of VS Code, in real repositories. A
// server of the test's own answers in place of a model.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { event, open, streaming, type OpenAiServer } from '../../remote/openAiServer';
import { engineWindow } from '../sharedVscode';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', [...IDENTITY, ...words], { cwd: folder, stdio: 'pipe' });
}

/** With one commit of `files`. */
function makeRepository(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet');
  write(folder, files);
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'Begin');
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

describe('a commit message', () => {
  let engine: OpenAiServer;
  let session: Session;
  before(async () => {
    ({ engine, session } = await engineWindow());
    const { probe, profile } = session;
    const first = profile.file('first');
    makeRepository(first, { 'src/sum.ts': 'export const sum = 1;\n', 'src/rest.ts': 'let rest;\n' });
    write(first, { 'src/sum.ts': 'export const sum = 2;\n', '.env': 'PASSWORD=hunter2\n' });
    git(first, 'add', '--all');
    write(first, { 'src/rest.ts': 'let unstaged;\n' });
    const second = profile.file('second');
    makeRepository(second, { 'max.ts': 'export const max = 1;\n' });
    write(second, { 'max.ts': 'export const max = 9;\n' });
    for (const folder of [first, second]) await probe.command('git.openRepository', folder);
    await probe.command('workbench.view.scm');
    await repository('first').waitFor();
    await repository('second').waitFor();
  });
  after(async () => {
    await session.probe.command('workbench.view.explorer');
  });

  const repository = (name: string): Locator => {
    const { page } = session.workbench;
    return page.locator('.scm-view .monaco-list-row', {
      has: page.locator('.scm-provider', { hasText: name }),
    });
  };
  /** Its title, perhaps with a key. */
  const action = (name: string, title: string): Locator =>
    repository(name).locator(`.action-label[aria-label^="${title}"]`);
  /** The box of the first or the second repository. */
  const box = (index: number): Locator => session.workbench.page.locator('.scm-editor').nth(index);
  const message = async (index: number): Promise<string> => {
    const lines = await box(index).locator('.view-line').allTextContents();
    return lines.join('\n').replaceAll('\u00a0', ' ');
  };
  const reads = (index: number, text: string): Promise<unknown> =>
    until(`the box has ${JSON.stringify(text)}`, async () => (await message(index)) === text);
  const prompt = (): string => String(engine.asked.at(-1)?.body['prompt']);
  it('is written from what is staged, without secret files', async () => {
    engine.respond = streaming([' Count', ' to', ' two\n']);
    await action('first', 'Write Commit Message').click();
    await reads(0, 'Count to two');
    assert.match(prompt(), /^File src\/sum\.ts\n@@ .*\n-export const sum = 1;\n\+export const sum = 2;\n/);
    assert.ok(!/hunter2|env|unstaged/.test(prompt()), prompt());
    assert.equal(await message(1), '');
  });

  it('takes the place of the one before, and goes on from what the person writes', async () => {
    engine.respond = streaming([' Count further']);
    await action('first', 'Write Commit Message').click();
    await reads(0, 'Count further');
    assert.match(prompt(), /Commit message:$/);
    await box(0).click();
    await session.workbench.press('Control+a');
    await session.workbench.type('fix: count', 1);
    await action('first', 'Write Commit Message').click();
    await reads(0, 'fix: count Count further');
    assert.match(prompt(), /Commit message: fix: count$/);
  });

  it('is about the repository of the icon, ends when it is cancelled, and keeps what the person writes meanwhile', async () => {
    let more: (() => void) | undefined;
    engine.respond = async (response, asked) => {
      open(response);
      response.write(event(' One'));
      await new Promise<void>((resolve) => (more = resolve));
      if (!asked.closed) response.end(`${event(' two')}data: [DONE]\n\n`);
    };
    await action('second', 'Write Commit Message').click();
    await reads(1, 'One');
    // Nothing is staged there.
    assert.match(prompt(), /^File max\.ts\n@@ .*\n-export const max = 1;\n\+export const max = 9;\n/);
    assert.equal(await message(0), 'fix: count Count further');
    await action('second', 'Cancel Code Generation').click();
    await action('second', 'Write Commit Message').waitFor();
    await until('the server has heard of it', () => engine.asked.at(-1)?.closed);
    more?.();

    await action('second', 'Write Commit Message').click();
    await until('it is asked again', () => engine.asked.at(-1)?.closed === false);
    await reads(1, 'One');
    await box(1).click();
    await session.workbench.press('End');
    await session.workbench.type(' more', 1);
    await reads(1, 'One more');
    // What goes to the extension host and back comes after what was typed: it knows by then.
    await session.probe.command('workbench.action.focusSideBar');
    more?.();
    await action('second', 'Write Commit Message').waitFor();
    assert.equal(await message(1), 'One more');
  });
});
