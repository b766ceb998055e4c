// The one VS Code of all suites that neither kill it nor install into it. Each opens a window of its own, with its own
// folder, settings and browser storage.
import { startSharedServer, stopSharedServer } from '../editor/sharedServer';
import type { VscodeServer } from '../editor/vscodeServer';

let started: Promise<VscodeServer> | undefined;

export async function sharedVscode(): Promise<VscodeServer> {
  return await (started ??= startSharedServer());
}

// After all suites: mocha runs hooks that are registered outside of them last.
after(async () => {
  const server = await started;
  if (server !== undefined) await stopSharedServer(server);
});
