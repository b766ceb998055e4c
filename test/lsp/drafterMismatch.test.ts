// A drafter that cannot be used, as a person names it in the settings: suggestions come without it, and the log, the
// status and the statistics say why. In a process of its own, with the server's own way to load models.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { embeddedTarget } from '../support/embeddedFacts';
import { DFLASH } from '../support/fixtures';
import type { EditorClient } from './editorClient';
import { ServerProcess } from './serverProcess';

const SETTINGS = { debounceMs: 0, device: 'cpu', draftLength: 'full', prefetch: 'never' } as const;

describe('a drafter in the settings', () => {
  let server: ServerProcess;
  let client: EditorClient;
  before(async () => {
    server = ServerProcess.overStdio();
    client = server.client;
    await client.start({ ...SETTINGS, drafter: resolve(DFLASH) });
  });
  after(() => {
    server.kill();
  });

  function assertProblem(complaint: RegExp): void {
    const { drafterProblem = '', ...model } = client.status?.model ?? assert.fail();
    assert.match(drafterProblem, complaint);
    assert.equal(model.drafter, undefined);
    assert.equal(model.maxDraftTokens, 0);
    const lines = client.logs.filter((line) => line.includes(drafterProblem));
    assert.equal(lines.length, 1);
    assert.match(
      lines[0] ?? '',
      /^loaded embedded with no drafter on cpu, because .* cannot be used: Expected/,
    );
  }

  it('that was made for another target is done without, and the status and the log say why', () => {
    assertProblem(new RegExp(`^Expected .*hidden_size ${String(embeddedTarget.hiddenSize)}.*, got .*; `));
  });

  it('is the reason for suggestions without drafts', async () => {
    const place = await client.open('add.ts', 'const add = (a: number, b: number) => a +║;\n');
    assert.equal(await client.text(place), ' b');
    await client.until(() => client.rows.length > 0);
    const { stats } = client.rows.at(-1) ?? {};
    assert.equal(stats?.speculationOff, 'drafter_mismatch');
    assert.equal(stats.draftedTokens, 0);
  });

  it('that is not there is done without too', async () => {
    await client.settings({ ...SETTINGS, drafter: resolve('test/fixtures/no-such-model') });
    await client.until(() => client.status?.model?.drafterProblem?.includes('no-such-model') === true);
    assertProblem(/^Expected a model directory/);
  });
});
