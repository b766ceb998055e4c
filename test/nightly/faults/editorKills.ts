// Kills the extension hosts of VS Code windows during typing, during a suggestion, and while generated code streams
// into the document. A window keeps the text typed before and after; VS Code starts another host, which suggests with
// the same server. A window that is opened later suggests too.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { Rng } from '../../../bench/rng';
import { Session } from '../../editor/session';
import { isAlive } from '../../../server/machine/isAlive';
import { pause, until } from '../../editor/waiting';
import type { Kill, KillOptions } from './faults';

const STATES = ['typing', 'suggesting', 'generating'] as const;
const START = 'function add(a: number, b: number) {\n  return a +';
const END = ';\n}\n';
const ANSWER = ' b';
const FILE = 'add.ts';
const OTHER_FILE = 'other.ts';

/** Kills each host in a new window, as VS Code restarts a host only twice in five minutes. */
export async function killExtensionHosts({ kills, seed, signal, onKill }: KillOptions): Promise<Kill[]> {
  const done: Kill[] = [];
  if (kills === 0) return done;
  // Otherwise Enter after a comment and before code continues the comment.
  const settings = { 'editor.autoIndent': 'none', 'flashline.prefetch': 'never' };
  const session = await Session.open({ name: 'kills', settings, isInstalled: true });
  try {
    for (let i = 0; i < kills && !signal?.aborted; i++) {
      const state = STATES[i % STATES.length] ?? 'typing';
      const { window, file } = await suggestingWindow(session, `killed${String(i)}`);
      const problem: unknown = await killHost(window, file, state, new Rng(1000 * seed + i)).catch(
        (error: unknown) => error,
      );
      // Open windows take memory and time from the next ones.
      await window.window.close();
      const kill = { what: `extension host, ${state}`, problem };
      done.push(kill);
      onKill?.(kill);
    }
    await suggestingWindow(session, 'last');
    return done;
  } finally {
    await session.close();
  }
}

/** Opens a window and asserts that it suggests `ANSWER`. */
async function suggestingWindow(session: Session, name: string) {
  const folder = join(session.profile.root, name);
  const file = join(folder, FILE);
  session.profile.write(file, START + END);
  const window = await session.openWindow(folder);
  await assertSuggests(window, file);
  return { window, file };
}

async function assertSuggests({ probe, workbench }: Session, file: string): Promise<void> {
  await probe.show(file, START.length);
  await workbench.press('Alt+\\');
  assert.equal(await workbench.suggestion(), ANSWER, 'unexpected suggestion');
  await workbench.press('Escape');
}

async function killHost(
  window: Session,
  file: string,
  state: (typeof STATES)[number],
  rng: Rng,
): Promise<void> {
  const { probe, workbench } = window;
  await probe.show(file, 0);
  const { hostProcessId, serverProcessId = 0 } = await probe.state();
  const [early, late] = ['// early', '// late'];
  await workbench.type(`${early}\n`);
  if (state === 'suggesting') await workbench.press('Alt+\\');
  if (state === 'generating') {
    await workbench.palette('Flashline: Generate');
    // The built-in model follows no instructions; each new window asks about that.
    await workbench.dialogButton('Generate Anyway').click();
    await workbench.page.locator('.quick-input-widget input[placeholder*="function"]').waitFor();
    await workbench.type('Sort a list.');
    await workbench.press('Enter');
  }
  await pause(rng.integer(0, 300));
  process.kill(hostProcessId, 'SIGKILL');
  await until('the extension host is dead', () => !isAlive(hostProcessId));
  await workbench.press('Control+End');
  await workbench.type(late);
  const shown = await until('the window shows the text typed last', async () => {
    const lines = await workbench.page.locator('.monaco-editor .view-lines').first().innerText();
    const text = lines.replaceAll('\u00a0', ' ');
    return text.includes(late) && text;
  });
  for (const line of [early, ...START.split('\n')])
    assert.ok(shown.includes(line), `"${line}" is missing in ${shown}`);
  const restarted = await until('VS Code has started another host', async () => {
    const state = await probe.state().catch(() => undefined);
    return state?.connection === 'running' && state;
  });
  assert.notEqual(restarted.hostProcessId, hostProcessId);
  assert.equal(restarted.serverProcessId, serverProcessId, 'the server was replaced');
  const otherFile = join(dirname(file), OTHER_FILE);
  window.profile.write(otherFile, START + END);
  await assertSuggests(window, otherFile);
}
