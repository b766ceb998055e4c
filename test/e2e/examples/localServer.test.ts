// Tests a model server of another program on this machine as a user meets it: found when the picker opens and not
// before, offered by name, and used after consent. It listens at a usual port of such a program.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USUAL_PORTS } from '../../../src/models/localServers';
import { examplePlace } from '../../editor/examplePlace';
import type { Session } from '../../editor/session';
import { until } from '../../editor/waiting';
import { OpenAiServer, streaming } from '../../remote/openAiServer';
import { examplesWindow, leaveEditors } from '../sharedVscode';

/** A unique name, as the picker can also offer the server of another run of this test. */
const MODEL = `qwen2.5-coder:1.5b-base-${String(process.pid)}`;
/** Models as Ollama lists them. */
const MODELS = [MODEL, 'nomic-embed-text:latest', 'qwen3-coder:480b-cloud'].map((id) => {
  return { id, object: 'model', created: 1757891103, owned_by: 'library' };
});

/** Listens at the first free port of such a program; waits for one if other programs or tests use all. */
async function atUsualPort(): Promise<{ readonly program: string; readonly engine: OpenAiServer }> {
  return await until(`one of the ports ${Object.values(USUAL_PORTS).join(', ')} is free`, async () => {
    for (const [program, port] of Object.entries(USUAL_PORTS)) {
      const engine = await OpenAiServer.start(undefined, port).catch(() => undefined);
      if (engine) return { program, engine };
    }
    return undefined;
  });
}

describe('a model server on this machine', () => {
  let engine: OpenAiServer;
  let program: string;
  let session: Session;
  before(async () => {
    ({ engine, program } = await atUsualPort());
    engine.models = { object: 'list', data: MODELS };
    engine.respond = streaming(['answered']);
    session = await examplesWindow();
  });
  after(async () => {
    for (const name of ['url', 'model']) await session.probe.setting(`flashline.remote.${name}`, undefined);
    await until('the server is no longer used', async () => {
      const { serverStatus } = await session.probe.state();
      return serverStatus && (serverStatus.host ?? serverStatus.model?.remote) === undefined;
    });
    await leaveEditors(session);
    await engine.stop();
  });

  it('receives no request before the model picker opens, which offers its coding models', async () => {
    const { workbench } = session;
    assert.deepEqual(engine.paths, []);
    const rows = workbench.pickRows.filter({ hasText: `served by ${program}` });
    // The picker waits less than half a second for such a server, which is too short on a busy machine.
    await until('the picker offers the server', async () => {
      await workbench.palette('Flashline: Models');
      await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
      if ((await rows.count()) === 1) return true;
      await workbench.press('Escape');
      return false;
    });
    assert.deepEqual(new Set(engine.paths), new Set(['/v1/models']));
    assert.match((await rows.textContent()) ?? '', new RegExp(MODEL));
    assert.equal(engine.requests.length, 0);
  });

  it('completes once the user has chosen it and consented, and is then in the settings', async () => {
    const { probe, profile, workbench } = session;
    // Other servers can run on this machine.
    await workbench.pickRows.filter({ hasText: `served by ${program}` }).click();
    const { host } = new URL(engine.url);
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.filter({ hasText: `Send parts of your files to ${host}?` }).waitFor();
    assert.match((await dialog.textContent()) ?? '', /flashline\.remote\.url.*a tunnel may lead/);
    assert.equal(engine.requests.length, 0);
    await workbench.dialogButton('Allow').click();
    await until('the status bar shows the allowed server', async () =>
      (await probe.state()).status.text.includes(host),
    );
    const { file, offset } = examplePlace('matrix.py:42:18');
    await probe.show(profile.file(file), offset);
    await workbench.press('Alt+\\');
    assert.equal(await workbench.suggestion(), 'answered');
    await workbench.status.filter({ hasText: host }).waitFor();
    assert.equal(engine.requests.at(-1)?.body['model'], MODEL);
    const settings = readFileSync(join(profile.user, 'User/settings.json'), 'utf8');
    assert.ok(settings.includes(engine.url) && settings.includes(MODEL), settings);
  });
});
