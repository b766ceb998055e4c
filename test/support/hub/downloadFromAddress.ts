// Lets the language server download the made-up model from a hub at an address that looks remote. For
// scripts/offline.mjs, in whose network every address is this machine: the hub in the settings must be the only address
// that is contacted.
import { HubServer } from './hubServer';
import { MODEL, madeUpModel } from './madeUpModel';
import { Method } from '../../../server/protocol/messages';
import { ServerProcess } from '../../lsp/serverProcess';
import { temporaryFolder } from '../temporaryFolder';

export async function downloadFromAddress([address = '']: readonly string[]): Promise<void> {
  const hub = await HubServer.start({ [MODEL]: madeUpModel() }, undefined, address);
  for (const name of ['FLASHLINE_CACHE', 'HF_HUB_CACHE']) process.env[name] = temporaryFolder();
  const server = ServerProcess.overIpc();
  await server.client.initialize({ hub: { endpoint: hub.url, proxy: '' } });
  const params = { repositories: [MODEL], force: true };
  const outcome = await server.client.connection.sendRequest<object>(Method.download, params);
  console.log(JSON.stringify(outcome));
  process.exitCode = 'finished' in outcome && outcome.finished === 'done' ? 0 : 1;
  server.child.kill();
  await server.ended();
  await hub.close();
}

void downloadFromAddress(process.argv.slice(2));
