// A VS Code with several windows at a time, each with its own folder and browser storage.
import { join } from 'node:path';
import { Probe } from './probe';
import { Profile } from './profile';
import { VscodeServer } from './vscodeServer';

export async function startSharedServer(): Promise<VscodeServer> {
  const profile = new Profile();
  const environment = {
    ...new Probe(profile).environment,
    HF_HUB_CACHE: join(profile.root, 'hub'),
    HF_TOKEN_PATH: '/nowhere',
  };
  return await VscodeServer.start({ profile, environment });
}

export async function stopSharedServer(server: VscodeServer): Promise<void> {
  await server.stop();
  server.profile.remove();
}
