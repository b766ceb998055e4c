// What the extension sends is what the server reads: objects of VS Code go through JSON, as on the wire, and then through
// the server's own schemas. Those of VS Code's classes that LSP has too, such as Range, look alike until then.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { MESSAGES } from '../../server/lsp/messageSchemas';
import { parseSettings } from '../../server/hosting/settings';
import type { DownloadParams } from '../../server/protocol/modelCatalogue';
import {
  Method,
  type CommitMessageParams,
  type DefinitionsParams,
  type GenerateParams,
} from '../../server/protocol/messages';
import { CursorRest } from '../../src/ghostText/cursorRest';
import { GrowingSuggestions, type AskItems } from '../../src/ghostText/growingSuggestions';
import { ManualClock } from '../lsp/manualClock';
import { window } from './support/fakeVscode';

const { Automatic, Invoke } = vscode.InlineCompletionTriggerKind;
const NEVER = new vscode.CancellationTokenSource().token;
const TEXTS = ['', 'log', '"name": ', '🙂', '\u2028', '\ud83d', 'a\r\nb'];

type Sent = readonly [method: keyof typeof MESSAGES, params: unknown];

function positions(): vscode.Position[] {
  return [0, 1, 7, 2 ** 31 - 1].map((number) => new vscode.Position(number, number >> 1));
}

async function inlineCompletions(): Promise<Sent[]> {
  const sent: Sent[] = [];
  const ask: AskItems = (params) => {
    sent.push(['textDocument/inlineCompletion', { ...params, growingResultToken: 'a' }]);
    return Promise.resolve(null);
  };
  const log = { error: assert.fail };
  const suggestions = new GrowingSuggestions(ask, { isOffered: () => false }, log);
  const document = { uri: vscode.Uri.file('/a b/ä.ts'), version: 1 } as vscode.TextDocument;
  for (const triggerKind of [Automatic, Invoke])
    for (const at of positions()) {
      const infos = TEXTS.map((text) => ({ range: new vscode.Range(new vscode.Position(0, 0), at), text }));
      for (const selectedCompletionInfo of [undefined, ...infos])
        await suggestions.items(document, at, { triggerKind, selectedCompletionInfo }, NEVER);
    }
  assert.equal(sent.length, 2 * positions().length * (TEXTS.length + 1));
  return sent;
}

async function restingCursors(): Promise<Sent[]> {
  const sent: Sent[] = [];
  const clock = new ManualClock();
  const sendNotification = (_: string, params: unknown) =>
    Promise.resolve(sent.push([Method.cursor, params]));
  const notify = (send: (client: never) => Promise<void>): void =>
    void send({ sendNotification } as unknown as never);
  const gate = { suggestion: () => undefined };
  for (const active of positions()) {
    window.activeTextEditor = {
      document: { uri: vscode.Uri.file('/a.ts'), version: 1 },
      selection: { active },
    };
    const rest = new CursorRest(gate, { notify }, () => undefined);
    await clock.pass(1000);
    rest.dispose();
  }
  window.activeTextEditor = undefined;
  assert.equal(sent.length, positions().length);
  return sent;
}

/** Built of texts and numbers, which the types of the protocol hold. */
function plainData(): Sent[] {
  const uri = vscode.Uri.file('/a.ts').toString();
  const repositories = ['Qwen/Qwen3-4B', 'z-lab/Qwen3-4B-DFlash'];
  return TEXTS.flatMap((text): Sent[] => [
    [
      Method.generate,
      { uri, instruction: text, start: 0, end: 5, partialResultToken: 'a' } satisfies GenerateParams,
    ],
    [
      Method.commitMessage,
      { changes: [{ path: text, diff: text }], begun: text } satisfies CommitMessageParams,
    ],
    [Method.definitions, { uri, definitions: [{ uri, text }] } satisfies DefinitionsParams],
    [Method.models, { repositories } satisfies DownloadParams],
    [Method.removeModel, { repositories } satisfies DownloadParams],
    [Method.download, { repositories, force: true, token: 'hf_a' } satisfies DownloadParams],
  ]);
}

describe('messages of the extension', () => {
  it('are as the server reads them, all of them', async () => {
    const sent = [...(await inlineCompletions()), ...(await restingCursors()), ...plainData()];
    for (const [method, params] of sent) {
      const wire: unknown = JSON.parse(JSON.stringify(params));
      const { error } = MESSAGES[method].schema.safeParse(wire);
      assert.equal(error, undefined, `${method} ${JSON.stringify(wire)}`);
    }
    assert.deepEqual(new Set(sent.map(([method]) => method)), new Set(Object.keys(MESSAGES)));
  });

  it('have settings that the server takes as they are', () => {
    const settings = parseSettings({ debounceMs: 7, multiline: 'never', pauseOnBattery: true });
    assert.deepEqual(parseSettings(JSON.parse(JSON.stringify(settings))), settings);
  });
});
