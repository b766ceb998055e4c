// Tests ghost text beside the IntelliSense list, with the defaults of VS Code and its TypeScript and HTML support: it
// continues the selected entry, and Tab accepts the entry and then the rest. A server of the test answers with the
// expected line.
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
  /** Line that the engine writes. */
  let line: string;
  before(async () => {
    const { engine, session: opened } = await engineWindow();
    session = opened;
    workbench = session.workbench;
    // Answers with the rest of the line after the prompt, which ends before the word at the cursor.
    engine.respond = (response, request) => {
      const [typed = ''] = /.*$/.exec(String(request.body['prompt'])) ?? [];
      return streaming([line.startsWith(typed) ? line.slice(typed.length) : '', '\n'])(response, request);
    };
  });
  after(async () => {
    await leaveEditors(session);
  });

  async function open(file: string, head = HEAD): Promise<void> {
    const path = session.profile.file(file);
    session.profile.write(path, head);
    await session.probe.show(path, head.length);
    await workbench.editor.waitFor();
  }

  /** Waits until an entry is selected and the ghost text after the cursor is shown. */
  async function shows(entry: string, ghost: string): Promise<void> {
    const name = workbench.entry.locator('.label-name');
    await until(`"${ghost}" shows beside ${entry}`, async () => {
      const names = await name.allTextContents();
      return names.join() === entry && (await workbench.ghostText()) === ghost;
    });
  }

  /** Opens the list: TypeScript can still be starting, and VS Code does not open it by itself over ghost text. */
  async function listed(entry: string): Promise<void> {
    await until(`the list has ${entry}`, async () => {
      if (await workbench.entry.filter({ hasText: entry }).count()) return true;
      await session.probe.command('editor.action.triggerSuggest');
      return await pause(500).then(() => false);
    });
  }

  async function reads(text: string, head = HEAD): Promise<void> {
    await until(`the line is ${text}`, async () => (await session.probe.state()).text === head + text);
  }

  /** Presses Tab twice; `entry` and `all` are the line after each. */
  async function takes({ entry, rest, all }: Record<'entry' | 'rest' | 'all', string>): Promise<void> {
    await workbench.press('Tab');
    await reads(entry);
    await until('the rest of the suggestion shows', async () => (await workbench.ghostText()) === rest);
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

  it('adds the attribute of an entry, whose value follows once the entry is accepted', async () => {
    line = '<p class="lead">';
    await open('page.html', '');
    await workbench.type('<p cl');
    await listed('class');
    await shows('class', 'ass=""');
    await workbench.press('Tab');
    await reads('<p class=""', '');
    await until('the value shows', async () => (await workbench.ghostText()).startsWith('lead'));
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
