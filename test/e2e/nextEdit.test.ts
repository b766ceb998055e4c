// The hint of a next edit as a user sees it: after a rename, followed with Tab and hidden with Escape.
import assert from 'node:assert/strict';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

const CODE = 'const size = 12;\nconst label = "size";\ndraw(size);\nfill(size);\n';

describe('the hint of a next edit', () => {
  let session: Session;
  before(async () => {
    session = await Session.open({
      server: await sharedVscode(),
      name: 'nextEdit',
      settings: { 'flashline.nextEdit': true },
    });
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
    await session.probe.command('workbench.action.files.saveAll');
    await session.probe.command('workbench.action.closeAllEditors');
  });
  after(async () => {
    await session.close();
  });

  /** Makes a name longer, in front: within a word there are no suggestions. */
  async function rename(file: string): Promise<void> {
    const path = session.profile.file(file);
    session.profile.write(path, CODE);
    await session.probe.show(path, CODE.indexOf('size'));
    await session.workbench.editor.waitFor();
    await session.workbench.type('my_');
  }

  /** What decorations add to the lines of the editor. */
  function hints(): Promise<string[]> {
    return session.window.page.evaluate<string[]>(`[...document.querySelectorAll('.view-line span')]
      .map((each) => getComputedStyle(each, '::after').content)
      .filter((content) => content.startsWith('"'))`);
  }

  const textIs = (wanted: string): Promise<unknown> =>
    until('the document has changed', async () => (await session.probe.state()).text === wanted);
  const label = (line: number): Promise<unknown> =>
    until(`a hint names line ${line}`, async () =>
      (await hints()).some(
        (hint) => hint.includes('⇥') && hint.includes(`${line}`) && hint.includes('my_size'),
      ),
    );

  it('names the place, and Tab goes there and makes the edit', async () => {
    await rename('follow.ts');
    await label(3);
    await session.workbench.press('Tab');
    const at = CODE.indexOf('draw(') + 'my_'.length + 'draw('.length;
    await until('the cursor is there', async () => (await session.probe.state()).cursor === at);
    await session.workbench.press('Tab');
    await textIs('const my_size = 12;\nconst label = "size";\ndraw(my_size);\nfill(size);\n');
    await label(4);
  });

  it('goes with Escape, and Tab is Tab again', async () => {
    await rename('hide.ts');
    await label(3);
    await session.workbench.press('Escape');
    await until('the hint is gone', async () => !(await hints()).some((hint) => hint.includes('⇥')));
    await session.workbench.press('End');
    await session.workbench.press('Tab');
    await until('Tab has indented', async () => /12; +\n/.test((await session.probe.state()).text ?? ''));
    assert.ok(!(await hints()).some((hint) => hint.includes('⇥')));
  });
});
