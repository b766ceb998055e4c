// Tests requests for next edits that have no server, get no edit or fail; triggers.test.ts tests the others.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { NextEditRequests } from '../../../src/nextEdit/requests';
import { settled } from '../../lsp/manualClock';
import { fake } from '../../support/fake';

describe('the requests for next edits', () => {
  const document = { uri: vscode.Uri.file('/a.ts'), version: 1 } as vscode.TextDocument;
  let logged: unknown[];
  let source: vscode.CancellationTokenSource;

  /** Requests an edit of a client. */
  function edit(request: () => Promise<unknown>, isRunning = true): Promise<unknown> {
    logged = [];
    source = new vscode.CancellationTokenSource();
    const client = { isRunning, request, notify: assert.fail } as never;
    const requests = new NextEditRequests(client, fake({ error: (...words) => void logged.push(words) }));
    return requests.edit(document, new vscode.Position(0, 0), false, source.token);
  }

  it('have no edit without a server, without an answer, or if the answer has none', async () => {
    assert.deepEqual([await edit(assert.fail, false), logged], [undefined, []]);
    for (const answer of [null, { edits: [] }])
      assert.deepEqual([await edit(() => Promise.resolve(answer)), logged], [undefined, []]);
  });

  it('report no acceptance and no rejection without a server', async () => {
    logged = [];
    const client = { isRunning: false, request: assert.fail } as never;
    const requests = new NextEditRequests(client, fake({ error: (...words) => void logged.push(words) }));
    requests.accepted('1');
    requests.rejected('1');
    await settled();
    assert.deepEqual(logged, []);
  });

  it('log their failure, unless they were cancelled', async () => {
    assert.equal(await edit(() => Promise.reject(new Error('gone'))), undefined);
    assert.equal(logged.length, 1);
    const cancelled = edit(() => {
      source.cancel();
      return Promise.reject(new Error('cancelled'));
    });
    assert.deepEqual([await cancelled, logged], [undefined, []]);
  });
});
