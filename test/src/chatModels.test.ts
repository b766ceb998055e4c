// Tests the provider of chat models as VS Code calls it: what it offers and when, and how messages and answers are
// converted.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Method, type ChatParams } from '../../server/protocol/messages';
import { ChatModels } from '../../src/instruct/chatModels';
import { gate } from '../support/gate';

const NEVER = new vscode.CancellationTokenSource().token;
const { User, Assistant } = vscode.LanguageModelChatMessageRole;
/** Role of system messages in VS Code. */
const SYSTEM = 3 as vscode.LanguageModelChatMessageRole;
const OPTIONS = { toolMode: vscode.LanguageModelChatToolMode.Auto };
const LISTED = { id: 'a/b', name: 'B', family: 'qwen3', bits: 4, contextTokens: 4096, maxTokens: 1024 };
const text = (value: string) => new vscode.LanguageModelTextPart(value);
const message = (role: vscode.LanguageModelChatMessageRole, ...content: readonly unknown[]) => {
  return { role, content, name: undefined };
};

function provider(calls: readonly object[] = []) {
  const requests: (readonly [method: string, params: unknown])[] = [];
  const client = {
    isRunning: true,
    waitForFirstStart: () => Promise.resolve(),
    request: (method: string, params: unknown) => {
      requests.push([method, params]);
      const remote = { ...LISTED, id: 'remote', bits: undefined, hasTools: false, host: 'there:9' };
      return Promise.resolve(method === Method.chatModels ? [{ ...LISTED, hasTools: true }, remote] : 7);
    },
    stream: (method: string, params: unknown, onPart: (part: object) => void) => {
      requests.push([method, params]);
      for (const piece of ['Hel', 'lo']) onPart({ text: piece });
      return Promise.resolve({ text: 'Hello', calls });
    },
  };
  const state = { isOffered: true };
  const models = new ChatModels(client as never, () => state.isOffered);
  return { models, requests, state, client };
}

describe('the provider of chat models', () => {
  it('lists what a model can do, and where it runs', async () => {
    const listed = await provider().models.provideLanguageModelChatInformation();
    const details = listed.map(
      ({ detail, capabilities }) => `${detail}, ${String(capabilities.toolCalling)} tools`,
    );
    assert.deepEqual(details, ['4 bits, on this machine, 128 tools', 'at there:9, false tools']);
    assert.equal(listed[0]?.maxInputTokens, 3072);
  });

  it('offers and answers nothing while it is off, and notifies VS Code of changes', async () => {
    const { models, requests, state, client } = provider();
    let changes = 0;
    models.onDidChangeLanguageModelChatInformation(() => (changes += 1));
    models.update('a');
    models.update('a');
    const [model = assert.fail()] = await models.provideLanguageModelChatInformation();
    state.isOffered = false;
    models.update('a');
    assert.deepEqual([changes, await models.provideLanguageModelChatInformation()], [2, []]);
    const progress = { report: () => assert.fail() };
    const answer = models.provideLanguageModelChatResponse(model, [], OPTIONS, progress, NEVER);
    await assert.rejects(answer, /Chat models are off/);
    await assert.rejects(models.provideTokenCount(model, 'x', NEVER), /Chat models are off/);
    assert.equal(requests.length, 1);
    state.isOffered = true;
    client.isRunning = false;
    assert.deepEqual(await models.provideLanguageModelChatInformation(), []);
  });

  it('offers nothing if the user turns it off while the server starts', async () => {
    const { models, requests, state, client } = provider();
    const start = gate();
    client.waitForFirstStart = () => start.opened;
    const listed = models.provideLanguageModelChatInformation();
    state.isOffered = false;
    start.open();
    assert.deepEqual([await listed, requests], [[], []]);
  });

  it('lists models only once the server has started for the first time', async () => {
    const { models, state, client } = provider();
    const start = gate();
    Object.assign(client, { isRunning: false, waitForFirstStart: () => start.opened });
    const listed = models.provideLanguageModelChatInformation();
    client.isRunning = true;
    start.open();
    assert.equal((await listed).length, 2);
    state.isOffered = false;
    client.waitForFirstStart = () => assert.fail('models that are not offered need no server');
    assert.deepEqual(await models.provideLanguageModelChatInformation(), []);
  });

  it('converts messages to turns, and the answer to parts', async () => {
    const { models, requests } = provider([{ id: '9', name: 'now', arguments: { zone: 'UTC' } }]);
    const [model = assert.fail()] = await models.provideLanguageModelChatInformation();
    const result = [
      text('12'),
      new vscode.LanguageModelPromptTsxPart({ h: 1 }),
      { mimeType: 'cache_control' },
    ];
    const messages = [
      message(SYSTEM, text('Be '), text('brief.')),
      message(Assistant, new vscode.LanguageModelToolCallPart('1', 'now', {})),
      message(User, new vscode.LanguageModelToolResultPart('1', result), text('And?')),
    ];
    const parts: unknown[] = [];
    const progress = { report: (part: unknown) => void parts.push(part) };
    await models.provideLanguageModelChatResponse(model, messages, OPTIONS, progress, NEVER);
    assert.deepEqual((requests.at(-1)?.[1] as ChatParams).messages, [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'now', arguments: {} }] },
      { role: 'tool', content: '12{"h":1}', toolCallId: '1' },
      { role: 'user', content: 'And?' },
    ]);
    const call = new vscode.LanguageModelToolCallPart('9', 'now', { zone: 'UTC' });
    assert.deepEqual(parts, [text('Hel'), text('lo'), call]);
    assert.equal(await models.provideTokenCount(model, messages[0] ?? '', NEVER), 7);
    assert.deepEqual(requests.at(-1), [Method.chatTokens, { model: 'a/b', text: 'Be brief.' }]);
    const toolRequired = { toolMode: vscode.LanguageModelChatToolMode.Required };
    const refused = models.provideLanguageModelChatResponse(model, messages, toolRequired, progress, NEVER);
    await assert.rejects(refused, /cannot force a model to call a tool/);
  });

  it('passes tools with their parameters, and describes where each model runs', async () => {
    const { models, requests } = provider();
    const [model = assert.fail(), remote] = await models.provideLanguageModelChatInformation();
    assert.deepEqual([model.version, remote?.version], ['4bit', '1']);
    assert.deepEqual([model.maxInputTokens, model.maxOutputTokens], [3072, 1024]);
    assert.equal(model.tooltip, 'Flashline runs this model on this machine.');
    assert.equal(remote?.tooltip, 'Flashline sends the conversation to there:9.');
    const inputSchema = { type: 'object', properties: { zone: { type: 'string' } } };
    const options = { ...OPTIONS, tools: [{ name: 'now', description: 'the time', inputSchema }] };
    const progress = { report: () => undefined };
    await models.provideLanguageModelChatResponse(model, [message(User)], options, progress, NEVER);
    const { tools, messages, model: id } = requests.at(-1)?.[1] as ChatParams;
    const parameters = inputSchema;
    assert.deepEqual(tools, [
      { type: 'function', function: { name: 'now', description: 'the time', parameters } },
    ]);
    assert.deepEqual([id, messages], ['a/b', [{ role: 'user', content: '' }]]);
  });

  it('counts the tokens of a text, and those of tool calls and results in a message', async () => {
    const { models, requests } = provider();
    const [model = assert.fail()] = await models.provideLanguageModelChatInformation();
    const call = new vscode.LanguageModelToolCallPart('1', 'now', {});
    const result = new vscode.LanguageModelToolResultPart('1', [text('12')]);
    for (const [counted, sent] of [
      ['plain', 'plain'],
      [message(Assistant, text('Hm.'), call), 'Hm.[{"id":"1","name":"now","arguments":{}}]'],
      [message(User, result, text('And?')), '12\nAnd?'],
      [message(User, result), '12'],
    ] as const) {
      await models.provideTokenCount(model, counted, NEVER);
      assert.deepEqual(requests.at(-1), [Method.chatTokens, { model: 'a/b', text: sent }]);
    }
  });
});
