// Kills the extension hosts of real VS Code windows while somebody types, while a suggestion is computed, and while
// generated code streams into the document. A window keeps what was typed before and after, and the next one suggests
// with the server that they share.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Rng } from '../../bench/rng';
import { Session } from '../editor/session';
import { isAlive, pause, until } from '../editor/waiting';
import type { Kill, KillOptions } from './faults';

const STATES = ['typing', 'suggesting', 'generating'] as const;
const START = 'function add(a: number, b: number) {\n  return a +';
const END = ';\n}\n';
const ANSWER = ' b';
const FILE = 'add.ts';

/** One window of one VS Code for each kill. */
export async function killExtensionHosts({ kills, seed, signal, onKill }: KillOptions): Promise<Kill[]> {
  const done: Kill[] = [];
  if (kills === 0) return done;
  const settings = { 'editor.autoIndent': 'none', 'flashline.prefetch': 'never' };
  const session = await Session.open({ name: 'kills', settings });
  try {
    for (let i = 0; i < kills && !signal?.aborted; i++) {
      const state = STATES[i % STATES.length] ?? 'typing';
      const window = await suggestingWindow(session, `killed${String(i)}`);
      const problem = await killHost(window, state, new Rng(1000 * seed + i)).then(
        () => undefined,
        (error: unknown) => error,
      );
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

/** A new window, in which the suggestion is the one known before. */
async function suggestingWindow(session: Session, name: string): Promise<{ window: Session; file: string }> {
  const folder = join(session.profile.root, name);
  const file = join(folder, FILE);
  session.profile.write(file, START + END);
  const window = await session.openWindow(folder);
  await window.probe.show(file, START.length);
  await window.workbench.press('Alt+\\');
  assert.equal(await window.workbench.suggestion(), ANSWER, 'the next suggestion');
  await window.workbench.press('Escape');
  return { window, file };
}

async function killHost(
  { window, file }: { window: Session; file: string },
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
    await workbench.page.locator('.quick-input-widget input[placeholder*="function"]').waitFor();
    await workbench.type('Sort a list.');
    await workbench.press('Enter');
  }
  await pause(rng.whole(0, 300));
  process.kill(hostProcessId, 'SIGKILL');
  await until('the extension host is dead', () => !isAlive(hostProcessId));
  await workbench.press('Control+End');
  await workbench.type(late);
  const shown = await until('it shows what was typed last', async () => {
    const lines = await workbench.page.locator('.monaco-editor .view-lines').first().innerText();
    const text = lines.replaceAll('\u00a0', ' ');
    return text.includes(late) && text;
  });
  for (const line of [early, ...START.split('\n')])
    assert.ok(shown.includes(line), `${line} is still there, got ${shown}`);
  assert.ok(isAlive(serverProcessId), 'the server stays for the other windows');
}
