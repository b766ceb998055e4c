// The VS Code shared by all suites that neither kill it nor install extensions. The suites in engine/ share one window,
// and those in examples/ another; each stays open until a suite needs a different window.
import { EXAMPLES } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { TYPED_SETTINGS } from '../editor/typedProgram';
import { startSharedServer, stopSharedServer } from '../editor/sharedServer';
import type { VscodeServer } from '../editor/vscodeServer';
import { OpenAiServer } from '../remote/openAiServer';
import './failureShots';

export interface EngineWindow {
  /** Server of the tests, which the user has consented to; each suite sets its answers. */
  readonly engine: OpenAiServer;
  readonly session: Session;
}

let started: Promise<VscodeServer> | undefined;
let examples: Session | undefined;
let withEngine: EngineWindow | undefined;

/** Returns VS Code, started if it does not run, after closing the window that suites share. */
export async function sharedVscode(): Promise<VscodeServer> {
  await closeWindow();
  return await (started ??= startSharedServer());
}

/** Opens the window with the examples and the built-in pair, without prefetching. Programs can be typed in it too. */
export async function examplesWindow(): Promise<Session> {
  return (examples ??= await openExamples(await sharedVscode()));
}

/** Opens the window with an empty folder and an engine whose answers a suite sets. */
export async function engineWindow(): Promise<EngineWindow> {
  return (withEngine ??= await openEngine(await sharedVscode()));
}

/** Saves and closes all editors, for the next suite. */
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
      // In newer versions VS Code otherwise hides suggestions among the placeholders of a snippet.
      'editor.inlineSuggest.suppressInSnippetMode': false,
      // Hovers would cover the clicked elements.
      'workbench.hover.delay': 100_000,
    },
    waitFor: 'server',
  });
  // Before this consent, requests only test the abilities of the engine.
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

// Mocha runs hooks outside of suites last.
after(async () => {
  await closeWindow();
  const server = await started;
  if (server !== undefined) await stopSharedServer(server);
});
