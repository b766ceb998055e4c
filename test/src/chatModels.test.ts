// The provider of chat models, as VS Code calls it: what it offers and when, and what becomes of messages and answers.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Method, type ChatParams } from '../../server/protocol/messages';
import { ChatModels, registerProvider } from '../../src/instruct/chatModels';
import { lm } from './support/fakeVscode';

const NEVER = new vscode.CancellationTokenSource().token;
const { User, Assistant } = vscode.LanguageModelChatMessageRole;
const LISTED = { id: 'a/b', name: 'B', family: 'qwen3', bits: 4, contextTokens: 4096, maxTokens: 1024 };
const text = (value: string) => new vscode.LanguageModelTextPart(value);

function provider(calls: readonly object[] = []) {
  const asked: (readonly [method: string, params: unknown])[] = [];
  const state = { isRunning: true, isOffered: true };
  const client = {
    get isRunning() {
      return state.isRunning;
    },
    request: (method: string, params: unknown) => {
      asked.push([method, params]);
      const listed = [
        { ...LISTED, hasTools: true },
        { ...LISTED, id: 'remote', bits: undefined, hasTools: false, host: 'there:9' },
      ];
      return Promise.resolve(method === Method.chatModels ? listed : 7);
    },
    stream: (method: string, params: unknown, onPart: (part: object) => void) => {
      asked.push([method, params]);
      onPart({ text: 'Hel' });
      return Promise.resolve({ text: 'Hello', calls });
    },
  };
  const models = new ChatModels(client as never, () => state.isOffered);
  return { models, asked, state };
}

describe('the provider of chat models', () => {
  it('says what a model can do, and where it runs', async () => {
    const [own = assert.fail(), remote = assert.fail()] =
      await provider().models.provideLanguageModelChatInformation();
    const { maxInputTokens, maxOutputTokens, capabilities, detail } = own;
    assert.deepEqual([maxInputTokens, maxOutputTokens, detail], [3072, 1024, '4 bits, on this machine']);
    assert.deepEqual(capabilities, { imageInput: false, toolCalling: 128 });
    assert.deepEqual([remote.detail, remote.capabilities.toolCalling], ['at there:9', false]);
  });

  it('offers and answers nothing while that is off, and tells VS Code when it changes', async () => {
    const { models, asked, state } = provider();
    let changes = 0;
    models.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    models.update('a');
    models.update('a');
    const [model = assert.fail()] = await models.provideLanguageModelChatInformation();
    state.isOffered = false;
    models.update('a');
    assert.deepEqual([changes, await models.provideLanguageModelChatInformation()], [2, []]);
    const answer = models.provideLanguageModelChatResponse(
      model,
      [],
      {},
      { report: () => assert.fail() },
      NEVER,
    );
    await assert.rejects(answer, /offers no chat models/);
    await assert.rejects(models.provideTokenCount(model, 'x', NEVER), /offers no chat models/);
    assert.equal(asked.length, 1);
    state.isOffered = true;
    state.isRunning = false;
    assert.deepEqual(await models.provideLanguageModelChatInformation(), []);
  });

  it('turns messages into turns, and the answer into parts', async () => {
    const { models, asked } = provider([{ id: '9', name: 'now', arguments: { zone: 'UTC' } }]);
    const [model = assert.fail()] = await models.provideLanguageModelChatInformation();
    const result = [
      text('12'),
      new vscode.LanguageModelPromptTsxPart({ h: 1 }),
      { mimeType: 'cache_control' },
    ];
    const messages = [
      { role: 3, content: [text('Be '), text('brief.')] },
      { role: Assistant, content: [new vscode.LanguageModelToolCallPart('1', 'now', {})] },
      { role: User, content: [new vscode.LanguageModelToolResultPart('1', result), text('And?')] },
    ];
    const parts: unknown[] = [];
    const progress = { report: (part: unknown) => void parts.push(part) };
    await models.provideLanguageModelChatResponse(model, messages, {}, progress, NEVER);
    assert.deepEqual((asked.at(-1)?.[1] as ChatParams).messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'now', arguments: {} }] },
      { role: 'tool', content: '12{"h":1}', toolCallId: '1' },
      { role: 'user', content: 'And?' },
    ]);
    const call = new vscode.LanguageModelToolCallPart('9', 'now', { zone: 'UTC' });
    assert.deepEqual(parts, [text('Hel'), text('lo'), call]);
    assert.equal(await models.provideTokenCount(model, messages[0] ?? '', NEVER), 7);
    assert.deepEqual(asked.at(-1), [Method.chatTokens, { model: 'a/b', text: 'Be brief.' }]);
    const must = { toolMode: vscode.LanguageModelChatToolMode.Required };
    await assert.rejects(
      models.provideLanguageModelChatResponse(model, messages, must, progress, NEVER),
      /must be/,
    );
  });

  it('is registered where VS Code takes one', () => {
    const { models } = provider();
    registerProvider(models).dispose();
    const registered: unknown[] = [];
    lm.registerLanguageModelChatProvider = (...given) => {
      registered.push(...given);
      return { dispose: () => undefined };
    };
    registerProvider(models).dispose();
    delete lm.registerLanguageModelChatProvider;
    assert.deepEqual(registered, ['flashline', models]);
  });
});
