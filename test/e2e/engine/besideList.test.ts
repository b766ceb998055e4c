// Ghost text beside the IntelliSense list, with VS Code's own defaults and its TypeScript: it goes on from the entry that is
// selected, and Tab takes the entry, then what follows. A server of the test's own knows the line that is to come.
import type { Session } from '../../editor/session';
import { pause, until } from '../../editor/waiting';
import type { Workbench } from '../../editor/workbench';
import { streaming } from '../../remote/openAiServer';
import { engineWindow, leaveEditors } from '../sharedVscode';

const HEAD = `declare const db: { findOrder(id: number): string; findOrderLine(id: number): string };
const tallies = [1];
function show(count: number): void {}

`;

describe('ghost text beside the IntelliSense list', () => {
  let session: Session;
  let workbench: Workbench;
  /** What the engine would write. */
  let line: string;
  before(async () => {
    const { engine, session: opened } = await engineWindow();
    session = opened;
    workbench = session.workbench;
    // Whatever of the line the prompt has already, as a prompt ends before the word at the cursor.
    engine.respond = (response, asked) => {
      const [begun = ''] = /.*$/.exec(String(asked.body['prompt'])) ?? [];
      return streaming([line.startsWith(begun) ? line.slice(begun.length) : '', '\n'])(response, asked);
    };
  });
  after(async () => {
    await leaveEditors(session);
  });

  async function open(file: string): Promise<void> {
    const path = session.profile.file(file);
    session.profile.write(path, HEAD);
    await session.probe.show(path, HEAD.length);
    await workbench.editor.waitFor();
  }

  /** Waits for an entry, which is selected, and for all that is then on the screen after the cursor. */
  async function shows(entry: string, ghost: string): Promise<void> {
    const name = workbench.entry.locator('.label-name');
    await until(`"${ghost}" shows beside ${entry}`, async () => {
      const names = await name.allTextContents();
      return names.join() === entry && (await workbench.ghostText()) === ghost;
    });
  }

  /** TypeScript may still be starting, and VS Code opens no list by itself where ghost text was first. */
  async function listed(entry: string): Promise<void> {
    await until(`the list has ${entry}`, async () => {
      if (await workbench.entry.filter({ hasText: entry }).count()) return true;
      await session.probe.command('editor.action.triggerSuggest');
      return await pause(500).then(() => false);
    });
  }

  async function reads(text: string): Promise<void> {
    await until(`the line is ${text}`, async () => (await session.probe.state()).text === HEAD + text);
  }

  /** With two Tabs; `entry` and `all` are what the line is after each. */
  async function takes({ entry, rest, all }: Record<'entry' | 'rest' | 'all', string>): Promise<void> {
    await workbench.press('Tab');
    await reads(entry);
    await until('the rest shows', async () => (await workbench.ghostText()) === rest);
    await workbench.press('Tab');
    await reads(all);
  }

  it('continues the selected entry; Tab accepts the entry and then the rest', async () => {
    line = 'db.findOrder(2);';
    await open('members.ts');
    await workbench.type('db.fi');
    await listed('findOrder');
    await shows('findOrder', 'ndOrder(2);');
    line = 'db.findOrderLine(1);';
    await workbench.press('ArrowDown');
    await shows('findOrderLine', 'ndOrderLine(1);');
    await takes({ entry: 'db.findOrderLine', rest: '(1);', all: 'db.findOrderLine(1);' });
  });

  it('stays within the brackets that the editor has closed', async () => {
    line = 'show(tallies.length);';
    await open('brackets.ts');
    await workbench.type('show(tal');
    await reads('show(tal)');
    await listed('tallies');
    await shows('tallies', 'lies.length');
    await takes({ entry: 'show(tallies)', rest: '.length', all: 'show(tallies.length)' });
  });
});
