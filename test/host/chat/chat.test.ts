// Tests Flashline's chat models as VS Code's chat and other extensions use them: through vscode.lm.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../editor/waiting';
import type { FlashlineApi } from '../../../src/extension';
import { flashline } from '../flashline';

const { LanguageModelChatMessage, LanguageModelTextPart, LanguageModelToolCallPart } = vscode;
const CODE =
  'export function add(a: number, b: number): number {\n  return a + b;\n}\n\nexport class Stack<T> {\n';
const TOOL = { name: 'now', description: 'the time', inputSchema: { type: 'object', properties: {} } };

describe('chat models', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });

  const models = () => vscode.lm.selectChatModels({ vendor: 'flashline' });
  const model = async (): Promise<vscode.LanguageModelChat> =>
    await until('a chat model is offered', async () => (await models())[0]);
  const ask = async (options: vscode.LanguageModelChatRequestOptions, token?: vscode.CancellationToken) =>
    await (await model()).sendRequest([LanguageModelChatMessage.User(CODE)], options, token);

  it('offers the chat model with its limits', async () => {
    const chat = await model();
    const { name, family, vendor, maxInputTokens } = chat;
    assert.deepEqual([name, family, vendor, maxInputTokens], ['tiny-chat', 'qwen3', 'flashline', 1536]);
    assert.equal((await models()).length, 1);
    assert.ok((await chat.countTokens(LanguageModelChatMessage.User(CODE))) > 10);
  });

  it('streams an answer of a chat model and counts it in the statistics', async () => {
    const pieces: string[] = [];
    for await (const piece of (await ask({})).text) pieces.push(piece);
    assert.ok(pieces.length > 1 && pieces.join('').length > 20, pieces.join('|'));
    const row = await until('the request is reported', () => api.rows().find(({ file }) => file === 'chat'));
    assert.equal(row.kind, 'generate');
  });

  it('lets a chat model call a tool', async () => {
    const parts: unknown[] = [];
    for await (const part of (await ask({ tools: [TOOL] })).stream) parts.push(part);
    const call = parts.find((part) => part instanceof LanguageModelToolCallPart);
    assert.deepEqual([call?.name, call?.input], ['now', { zone: 'UTC' }], JSON.stringify(parts));
    const text = parts.filter((part) => part instanceof LanguageModelTextPart);
    assert.ok(!text.some(({ value }) => value.includes('tool_call')), JSON.stringify(parts));
  });

  // VS Code 1.104 does not tell the provider when a running answer is cancelled.
  const itWhereCancelled = vscode.version.startsWith('1.104.') ? it.skip : it;

  itWhereCancelled('ends an answer of a chat model when it is cancelled', async () => {
    const source = new vscode.CancellationTokenSource();
    const { stream } = await ask({}, source.token);
    const before = api.rows().length;
    try {
      for await (const part of stream) if (part) source.cancel();
    } catch (error) {
      assert.ok(error instanceof Error && /cancel/i.test(`${error.name} ${error.message}`), String(error));
    }
    const row = await until('the request is reported', () => api.rows()[before]);
    assert.equal(row.outcome, 'cancelled');
  });

  it('offers no chat model while flashline.offerChatModels is off', async () => {
    const configuration = vscode.workspace.getConfiguration('flashline');
    const chat = await model();
    await configuration.update('offerChatModels', false, vscode.ConfigurationTarget.Global);
    await until('no chat model is offered', async () => (await models()).length === 0);
    await assert.rejects(async () => {
      const { text } = await chat.sendRequest([LanguageModelChatMessage.User(CODE)]);
      for await (const piece of text) assert.fail(piece);
    });
    await configuration.update('offerChatModels', undefined, vscode.ConfigurationTarget.Global);
    await model();
  });
});
