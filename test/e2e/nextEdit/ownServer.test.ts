// Tests next edits in VS Code from Flashline's own server: by a remote engine that rewrites windows as Sweep's models
// do, then by a folder with a model of that form. Runs nightly only, as it takes a window of its own.
import assert from 'node:assert/strict';
import { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { OpenAiServer, streaming } from '../../remote/openAiServer';
import { SWEEP_NAME, sweepFolder } from '../../support/sweepFolder';
import { leaveEditors, sharedVscode } from '../sharedVscode';

const SUM = 'n := 0\nfor _, x := range xs {\n\tn += x\n}\nreturn n\n';
const TYPED = SUM.replace('n := 0', 'total := 0');
const RENAMED = SUM.replaceAll(/\bn\b/g, 'total');
/** Matches the window in a prompt, and the lines of its new version that the prompt ends with. */
const WINDOW = /<\|file_sep\|>current\/[^\n]*\n([^]*)<\|file_sep\|>updated\/[^\n]*\n?([^]*)$/;

/** Returns the output of a model that renames n to total in the window, after the lines that the prompt ends with. */
function rewritten(prompt: string): string {
  const [, window = '', head = ''] = WINDOW.exec(prompt) ?? [];
  const output = window.replaceAll(/\bn\b/g, 'total').slice(head.length);
  return head === '' ? `\n${output}` : output;
}

describe("next edit in VS Code with Flashline's own server", () => {
  let engine: OpenAiServer;
  let session: Session;
  before(async () => {
    engine = await OpenAiServer.start();
    engine.models = { object: 'list', data: [{ id: SWEEP_NAME }] };
    engine.respond = (response, request) =>
      streaming([rewritten(String(request.body['prompt']))])(response, request);
    session = await Session.open({
      server: await sharedVscode(),
      name: 'ownServer',
      files: {},
      settings: {
        'flashline.remote.url': engine.url,
        'flashline.nextEdit': 'hint',
        'editor.wordBasedSuggestions': 'currentDocument',
        'git.openRepositoryInParentFolders': 'never',
      },
      waitFor: 'server',
    });
    await session.allowRemote();
  });
  beforeEach(() => leaveEditors(session));
  after(async () => {
    await session.close();
    await engine.stop();
  });

  /** Renames the first n of a new file by hand. */
  async function rename(name: string): Promise<void> {
    const { profile, probe, workbench } = session;
    profile.write(profile.file(name), SUM);
    await probe.show(profile.file(name), 1);
    await workbench.press('Backspace');
    await workbench.type('total');
  }

  async function waitForText(text: string): Promise<void> {
    await until(`the text is ${text}`, async () => (await session.probe.state()).text === text);
  }

  it('shows a hint for the edit of a remote engine; Tab goes there, Tab accepts it, one undo takes it back', async () => {
    const { workbench } = session;
    await rename('remote.go');
    await until('a hint names the lines of the edit', async () =>
      (await workbench.addedTexts()).includes('Next edit: lines 3–5, +2 −2 · Tab'),
    );
    await workbench.press('Tab');
    await until('the edit is drawn', async () => (await workbench.addedTexts()).join() === 'total,total');
    await workbench.press('Tab');
    await waitForText(RENAMED);
    await workbench.press('Control+z');
    await waitForText(TYPED);
    const edits = engine.requests.filter(({ body }) => String(body['prompt']).includes('<|file_sep|>'));
    assert.deepEqual(edits[0]?.body['stop'], ['<|file_sep|>', '<|endoftext|>']);
  });

  it('uses a model in a folder instead of the remote engine, and draws none of its random output', async () => {
    const { workbench, probe } = session;
    await probe.setting('flashline.nextEditModel', sweepFolder());
    const requestCount = engine.requests.length;
    await rename('local.go');
    const row = await until('the model has answered', async () =>
      (await probe.state()).rows.find(({ kind, file }) => kind === 'nextEdit' && file === 'local.go'),
    );
    assert.equal(row.outcome, 'filtered');
    const { serverStatus } = await probe.state();
    assert.deepEqual(serverStatus?.nextEdit, { state: 'ready', model: SWEEP_NAME });
    assert.deepEqual(await workbench.addedTexts(), []);
    const sent = engine.requests.slice(requestCount).map(({ body }) => String(body['prompt']));
    assert.ok(!sent.some((prompt) => prompt.includes('<|file_sep|>updated/')));
  });
});
