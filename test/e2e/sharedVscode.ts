// The one VS Code of all suites that neither kill it nor install into it. Each opens a window of its own, with its own
// folder, settings and browser storage.
import { join } from 'node:path';
import { Probe } from '../editor/probe';
import { Profile } from '../editor/profile';
import { VscodeServer } from '../editor/vscodeServer';

let started: Promise<VscodeServer> | undefined;

export async function sharedVscode(): Promise<VscodeServer> {
  return await (started ??= start());
}

/** Where the language server of its windows finds downloaded models. */
export function hubCache({ root }: Profile): string {
  return join(root, 'hub');
}

async function start(): Promise<VscodeServer> {
  const profile = new Profile();
  const environment = {
    ...new Probe(profile).environment,
    HF_HUB_CACHE: hubCache(profile),
    HF_TOKEN_PATH: '/nowhere',
  };
  return await VscodeServer.start({ profile, environment });
}

// After all suites: mocha runs hooks that are registered outside of them last.
after(async () => {
  const server = await started;
  await server?.stop();
  server?.profile.remove();
});
