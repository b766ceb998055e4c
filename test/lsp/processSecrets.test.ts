// Tests that other users of the machine cannot see the token of the server's process.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Method } from '../../server/protocol/messages';
import { HubServer, refuse } from '../support/hub/hubServer';
import { TOKEN } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';
import { ServerProcess } from './serverProcess';

describe('the process of the language server', () => {
  it('shows the token in no argument, environment variable, log or file', async function () {
    if (process.platform !== 'linux') this.skip();
    const hub = await HubServer.start({});
    const folders = { FLASHLINE_CACHE: temporaryFolder(), HF_HUB_CACHE: temporaryFolder() };
    const environment = { ...process.env };
    Object.assign(process.env, folders);
    const server = ServerProcess.overIpc();
    process.env = environment;
    const { client, child } = server;
    let processFiles: string | undefined;
    hub.answer('', (response) => {
      const readProc = (name: string): string => readFileSync(`/proc/${String(child.pid)}/${name}`, 'latin1');
      processFiles = readProc('cmdline') + readProc('environ');
      refuse(response, 403);
    });
    try {
      await client.initialize({ hub: { endpoint: hub.url, proxy: '' } });
      const params = { repositories: ['some/model'], token: TOKEN };
      const outcome = await client.connection.sendRequest(Method.download, params);
      assert.match(JSON.stringify(outcome), /"failed"/);
      assert.equal(hub.requests[0]?.authorization, `Bearer ${TOKEN}`);
      assert.match(processFiles ?? '', /server\.js.*FLASHLINE_CACHE=/s);
      assert.ok(!processFiles?.includes(TOKEN));
      assert.ok(
        !(JSON.stringify([outcome, client.logs]) + server.stderr + server.output.toString()).includes(TOKEN),
      );
      for (const folder of Object.values(folders))
        for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
          if (statSync(join(folder, file)).isFile())
            assert.ok(!readFileSync(join(folder, file), 'latin1').includes(TOKEN), file);
    } finally {
      child.kill();
      await server.ended();
    }
  });
});
