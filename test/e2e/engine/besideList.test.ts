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

  /** Waits until the entry is selected and `ghost` is shown after the cursor. */
  async function waitForGhostText(entry: string, ghost: string): Promise<void> {
    const name = workbench.entry.locator('.label-name');
    await until(`"${ghost}" shows beside ${entry}`, async () => {
      const names = await name.allTextContents();
      return names.join() === entry && (await workbench.ghostText()) === ghost;
    });
  }

  /**
   * Opens the list until it has the entry: TypeScript can still be starting, and VS Code does not open the list by
   * itself over ghost text.
   */
  async function openListWith(entry: string): Promise<void> {
    await until(`the list has ${entry}`, async () => {
      if (await workbench.entry.filter({ hasText: entry }).count()) return true;
      await session.probe.command('editor.action.triggerSuggest');
      return await pause(500).then(() => false);
    });
  }

  /** Waits until the document has `text` after its head. */
  async function waitForLine(text: string, head = HEAD): Promise<void> {
    await until(`the line is ${text}`, async () => (await session.probe.state()).text === head + text);
  }

  /** Presses Tab twice: `entry` is the line after the first, `rest` the ghost text then, `all` the line at the end. */
  async function acceptTwice({ entry, rest, all }: Record<'entry' | 'rest' | 'all', string>): Promise<void> {
    await workbench.press('Tab');
    await waitForLine(entry);
    await until('the rest of the suggestion shows', async () => (await workbench.ghostText()) === rest);
    await workbench.press('Tab');
    await waitForLine(all);
  }

  it('continues the selected entry; Tab accepts the entry and then the rest', async () => {
    line = 'db.findOrder(2);';
    await open('members.ts');
    await workbench.type('db.fi');
    await openListWith('findOrder');
    await waitForGhostText('findOrder', 'ndOrder(2);');
    line = 'db.findOrderLine(1);';
    await workbench.press('ArrowDown');
    await waitForGhostText('findOrderLine', 'ndOrderLine(1);');
    await acceptTwice({ entry: 'db.findOrderLine', rest: '(1);', all: 'db.findOrderLine(1);' });
  });

  it('shows the empty attribute of the entry, and its value after Tab has accepted the entry', async () => {
    line = '<p class="lead">';
    await open('page.html', '');
    await workbench.type('<p cl');
    await openListWith('class');
    await waitForGhostText('class', 'ass=""');
    await workbench.press('Tab');
    await waitForLine('<p class=""', '');
    await until('the value shows', async () => (await workbench.ghostText()).startsWith('lead'));
  });

  it('stays within the brackets that the editor has closed', async () => {
    line = 'show(tallies.length);';
    await open('brackets.ts');
    await workbench.type('show(tal');
    await waitForLine('show(tal)');
    await openListWith('tallies');
    await waitForGhostText('tallies', 'lies.length');
    await acceptTwice({ entry: 'show(tallies)', rest: '.length', all: 'show(tallies.length)' });
  });
});
