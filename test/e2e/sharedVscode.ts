// The one VS Code of all suites that neither kill it nor install into it, with one window at a time, as its windows have the
// same settings. Suites in engine/ and examples/ share a window, which is open from the first of them to the next other suite.
import { EXAMPLES } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { TYPED_SETTINGS } from '../editor/typedProgram';
import { startSharedServer, stopSharedServer } from '../editor/sharedServer';
import type { VscodeServer } from '../editor/vscodeServer';
import { OpenAiServer } from '../remote/openAiServer';
import './failureShots';

export interface EngineWindow {
  /** A server of the tests, which the person has agreed to; each suite says what it answers. */
  readonly engine: OpenAiServer;
  readonly session: Session;
}

let started: Promise<VscodeServer> | undefined;
let examples: Session | undefined;
let withEngine: EngineWindow | undefined;

/** Without a window. */
export async function sharedVscode(): Promise<VscodeServer> {
  await closeWindow();
  return await (started ??= startSharedServer());
}

/** On the examples, with the built-in pair. A request counts, and none comes unasked. Programs can be typed in it too. */
export async function examplesWindow(): Promise<Session> {
  return (examples ??= await openExamples(await sharedVscode()));
}

/** On an empty folder, with an engine that answers what a suite wants. */
export async function engineWindow(): Promise<EngineWindow> {
  return (withEngine ??= await openEngine(await sharedVscode()));
}

/** For the next suite: nothing unsaved, nothing open. */
export async function leaveEditors({ probe }: Session): Promise<void> {
  await probe.command('workbench.action.files.saveAll');
  await probe.command('workbench.action.closeAllEditors');
}

async function openExamples(server: VscodeServer): Promise<Session> {
  return await Session.open({
    server,
    name: 'examples',
    copyOf: EXAMPLES,
    settings: {
      ...TYPED_SETTINGS,
      'flashline.maxGenerateTokens': 128,
      'flashline.prefetch': 'never',
      'flashline.serve.port': 0,
    },
  });
}

async function openEngine(server: VscodeServer): Promise<EngineWindow> {
  const engine = await OpenAiServer.start();
  const session = await Session.open({
    server,
    name: 'engine',
    files: {},
    settings: {
      'flashline.remote.url': engine.url,
      'flashline.prefetch': 'never',
      'git.openRepositoryInParentFolders': 'never',
      // They would cover what is to be clicked.
      'workbench.hover.delay': 100_000,
    },
    waitFor: 'server',
  });
  // What it is asked until then is how it is best asked.
  await session.allowRemote();
  return { engine, session };
}

async function closeWindow(): Promise<void> {
  await examples?.close();
  await withEngine?.session.close();
  await withEngine?.engine.stop();
  examples = undefined;
  withEngine = undefined;
}

// After all suites: mocha runs hooks that are registered outside of them last.
after(async () => {
  await closeWindow();
  const server = await started;
  if (server !== undefined) await stopSharedServer(server);
});
