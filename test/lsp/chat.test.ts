// Tests chats as VS Code requests them: the offered models, answers with tool calls, and refusals. Answers are
// scripted; the facts about models come from files of a real one.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Script } from 'node:vm';
import { CancellationTokenSource, ProgressType } from 'vscode-languageserver/node';
import type { LoadModel } from '../../server/hosting/modelPool';
import { loadable } from '../../server/models/families/registry';
import { ChatFactsReader } from '../../server/programs/chatFactsReader';
import type { Tool } from '../../server/protocol/conversation';
import {
  Method,
  type ChatModel,
  type ChatParams,
  type ChatResult,
  type GenerateDelta,
} from '../../server/protocol/messages';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient } from './editorClient';
import { loading, type Answer } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';
import { TOOL_TEMPLATE, ToolEngine } from './toolEngine';

const CALL = [
  'Let me',
  ' see.\n<tool',
  '_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
];
const WEATHER: Tool = {
  type: 'function',
  function: { name: 'weather', description: 'of a city', parameters: { type: 'object', properties: {} } },
};
const QUESTION = { role: 'user', content: 'Is it cold in Oslo?' } as const;
const REMOTE = { url: 'http://127.0.0.1:9', model: '', tokenizer: '', fallback: false };

/** Writes the files of the built-in model with the given chat template, if any. */
function modelFolder(template?: string, name = 'tiny-chat'): string {
  const folder = join(temporaryFolder(), name);
  cpSync(EMBEDDED_PAIR.targetDirectory, folder, { recursive: true });
  if (template !== undefined) writeFileSync(join(folder, 'chat_template.jinja'), template);
  return folder;
}

describe('chats over LSP', () => {
  let client: EditorClient;
  const facts = new ChatFactsReader();
  const chatFacts = (directory: string) => facts.read(directory);
  afterEach(() => {
    client.connection.dispose();
  });

  const serve = (load: LoadModel): void => {
    const source = {
      ...{ cache: temporaryFolder(), env: {} },
      loadable: () => Promise.resolve(loadable),
      measured: () => ({}),
    };
    client = serverInMemory(load, { modelSource: source, chatFacts });
  };
  const start = async (answers: readonly Answer[], target = modelFolder(TOOL_TEMPLATE)) => {
    const engine = new ToolEngine(answers);
    serve(loading(engine));
    await client.initialize({ target, drafter: 'none', load: 'firstUse' });
    return { engine, model: target };
  };
  const models = (): Promise<ChatModel[]> => client.connection.sendRequest(Method.chatModels);
  const chat = (params: ChatParams, token = new CancellationTokenSource().token): Promise<ChatResult> =>
    client.connection.sendRequest(Method.chat, params, token);

  it('are offered for models with a chat template, not for the built-in one', async () => {
    const { model } = await start([['x']]);
    const [offered, ...rest] = await models();
    assert.deepEqual(rest, []);
    assert.deepEqual(offered, {
      ...{ id: model, name: 'tiny-chat', bits: 4, family: 'qwen3' },
      ...{ contextTokens: 2048, maxTokens: 512, hasTools: true },
    });
    await client.settings({ target: '', drafter: '' });
    assert.deepEqual(await models(), []);
    const plain = modelFolder();
    await client.settings({ target: plain, drafter: 'none' });
    assert.deepEqual(await models(), []);
    const withoutTools = modelFolder('{{ messages[0].content }}');
    const file = join(withoutTools, 'config.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...config, max_position_embeddings: undefined }));
    await client.settings({ target: withoutTools, drafter: 'none' });
    assert.deepEqual(
      (await models()).map(({ hasTools, contextTokens }) => [hasTools, contextTokens]),
      [[false, 8192]],
    );
  });

  it('are offered only for models with a suitable end token, without reading their vocabulary', async () => {
    const manyTokensFolder = (): string => {
      const target = modelFolder(TOOL_TEMPLATE, 'tiny');
      const file = join(target, 'tokenizer.json');
      const tokenizer = JSON.parse(readFileSync(file, 'utf8')) as {
        readonly added_tokens: readonly object[];
      };
      const more = Array.from({ length: 5000 }, (_, id) => ({ id, content: `[unused "${String(id)}"]` }));
      const added = { added_tokens: [...more, ...tokenizer.added_tokens] };
      writeFileSync(file, JSON.stringify({ ...added, ...tokenizer, ...added, model: { type: 'not read' } }));
      return target;
    };
    const target = manyTokensFolder();
    writeFileSync(join(target, 'tokenizer_config.json'), '{"eos_token":"<|im_end|>"}');
    await start([['x']], target);
    assert.equal((await models())[0]?.id, target);
    await client.settings({ target: manyTokensFolder(), drafter: 'none' });
    assert.deepEqual(await models(), []);
  });

  it('are not offered while trying their template takes too long, but are offered afterwards', async () => {
    await start([['x']]);
    const watched = mock.method(Script.prototype, 'runInContext', () => {
      throw Object.assign(new Error('Script execution timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    });
    try {
      assert.deepEqual(await models(), []);
    } finally {
      watched.mock.restore();
    }
    assert.equal((await models()).length, 1);
  });

  it('call tools by name and continue with their results, with the priority of generated code', async () => {
    const { engine, model } = await start([CALL, ['It is', ' cold.']]);
    engine.tokenizer.specialTokenId = (content) => (content === '<tool_call>' ? 7 : undefined);
    const deltas: string[] = [];
    client.connection.onProgress(
      new ProgressType<GenerateDelta>(),
      'c',
      ({ text }) => void deltas.push(text),
    );
    const request = { model, tools: [WEATHER], partialResultToken: 'c' };
    const { text, finishReason, calls } = await chat({ ...request, messages: [QUESTION] });
    assert.deepEqual([text, finishReason, deltas], ['Let me see.', 'stop', ['Let me', ' see.']]);
    const [call = assert.fail()] = calls;
    assert.deepEqual([call.name, call.arguments], ['weather', { city: 'Oslo' }]);
    const result = { role: 'tool', toolCallId: call.id, content: '-20' } as const;
    const turn = { role: 'assistant', content: text, toolCalls: calls } as const;
    const next = await chat({ ...request, messages: [QUESTION, turn, result] });
    assert.deepEqual([next.text, next.calls], ['It is cold.', []]);
    assert.match(
      engine.decodes[0]?.prompt ?? '',
      /^tools:\{.*"weather".*\} \| user: Is it cold in Oslo\? \| assistant:$/,
    );
    assert.match(
      engine.decodes[1]?.prompt ?? '',
      /<tool_call>\{"name": "weather".*<\/tool_call> \| tool: -20 \| /,
    );
    assert.deepEqual(
      engine.decodes.map(({ options: { kind, maxTokens, spelledTokenIds } }) => [
        kind,
        maxTokens,
        spelledTokenIds,
      ]),
      Array.from({ length: 2 }, () => ['generate', 512, [7]]),
    );
    assert.deepEqual([client.rows.length, client.rows[0]?.file], [2, 'chat']);
  });

  it('end when they are cancelled, without the unfinished tool call', async () => {
    const { engine, model } = await start([
      ['<tool_call>{"name": "weather", "arguments": {}}', ...Array.from({ length: 20_000 }, () => ' ')],
    ]);
    const source = new CancellationTokenSource();
    const running = chat({ model, messages: [QUESTION], tools: [WEATHER] }, source.token);
    await client.until(() => (engine.decodes[0]?.steps ?? 0) > 5);
    source.cancel();
    const { finishReason, calls } = await running;
    assert.deepEqual([finishReason, calls], ['cancelled', []]);
  });

  it('count tokens', async () => {
    const { model } = await start([['x']]);
    assert.equal(await client.connection.sendRequest(Method.chatTokens, { model, text: 'hello' }), 5);
  });

  it('are refused before any decode when they cannot be answered', async () => {
    const { engine, model } = await start([['x']]);
    const cases = [
      [{ model: 'another', messages: [QUESTION] }, /chat model is gone/],
      [{ model, messages: [] }, /Send ChatParams/],
      [{ model, messages: [{ role: 'robot', content: '' }] }, /Send ChatParams/],
      [{ model, messages: [QUESTION], tools: Array(129).fill(WEATHER) }, /at most 128 tools/],
      [{ model, messages: [{ role: 'user', content: 'x'.repeat(5000) }] }, /Expected fewer than 4096 tokens/],
      [{ model, messages: [{ role: 'user', content: 'x'.repeat(3e6) }] }, /at most 2000000 characters/],
    ] as const;
    for (const [params, expected] of cases)
      await assert.rejects(client.connection.sendRequest(Method.chat, params), expected);
    assert.deepEqual(engine.decodes, []);
  });

  it('report why a model cannot be loaded, and try it again', async () => {
    const model = modelFolder(TOOL_TEMPLATE);
    const load = loading(new Error('out of order'), new ToolEngine([['Hi.']]));
    serve(load);
    await client.initialize({ target: model, drafter: 'none', load: 'firstUse' });
    await assert.rejects(chat({ model, messages: [QUESTION] }), /out of order/);
    assert.equal((await chat({ model, messages: [QUESTION] })).text, 'Hi.');
    assert.deepEqual(load.loads, [model, model]);
  });

  it('are offered for a model again after its damaged files were repaired', async () => {
    const folder = modelFolder(TOOL_TEMPLATE);
    const config = join(folder, 'config.json');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, '{');
    assert.equal(await facts.read(folder), undefined);
    writeFileSync(config, text);
    assert.equal((await facts.read(folder))?.hasTools, true);
    await start([['x']], folder);
    assert.deepEqual(
      (await models()).map(({ id }) => id),
      [folder],
    );
  });

  it('use a remote engine without tools, and only when the settings name it and suggestions use it', async () => {
    const engine = Object.assign(new ToolEngine([['Hi.']]), { remote: { host: 'there:9' } });
    serve(loading(engine));
    await client.initialize({ remote: REMOTE, load: 'firstUse' });
    assert.deepEqual(await models(), []);
    await client.settings({ remote: REMOTE, load: 'start' });
    await client.until(() => client.status?.state === 'ready');
    const [offered = assert.fail(), ...rest] = await models();
    assert.deepEqual([offered.id, offered.host, offered.hasTools, rest], ['remote', 'there:9', false, []]);
    const request = { model: 'remote', messages: [QUESTION] };
    assert.equal((await chat(request)).text, 'Hi.');
    await assert.rejects(chat({ ...request, tools: [WEATHER] }), /does not support tools/);
    // Without the user's consent the URL is empty, too.
    await client.settings({ remote: { ...REMOTE, url: '' } });
    await assert.rejects(chat(request), /chat model is gone/);
    assert.equal(engine.decodes.length, 1);
    await client.until(() => engine.disposed);
  });

  it('keep a model in memory until it has answered, even if another model gets a request', async () => {
    const engines = [
      new ToolEngine([Array.from({ length: 200 }, () => 'One. ')], 1),
      new ToolEngine([['Two.']]),
    ] as const;
    const [one, two] = [modelFolder(TOOL_TEMPLATE), modelFolder(TOOL_TEMPLATE)];
    serve(loading(...engines));
    await client.initialize({ target: one, drafter: 'none', load: 'firstUse' });
    const long = chat({ model: one, messages: [QUESTION] });
    await client.until(() => (engines[0].decodes[0]?.steps ?? 0) > 5);
    await client.settings({ target: two, drafter: 'none', load: 'firstUse' });
    assert.equal((await chat({ model: two, messages: [QUESTION] })).text, 'Two.');
    assert.equal((await long).text, 'One. '.repeat(200));
    await client.until(() => engines[0].disposed);
    assert.equal(engines[1].disposed, false);
  });

  it('free one model before they load another', async () => {
    const engines = [new ToolEngine([['One.']]), new ToolEngine([['Two.']])] as const;
    const [one, two] = [modelFolder(TOOL_TEMPLATE), modelFolder(TOOL_TEMPLATE)];
    const load = loading(...engines);
    /** Whether the first engine was freed, at the beginning of each load. */
    const isFirstFreed: boolean[] = [];
    serve((...loadArguments) => {
      isFirstFreed.push(engines[0].disposed);
      return load(...loadArguments);
    });
    await client.initialize({ target: one, drafter: 'none', load: 'firstUse' });
    assert.equal((await chat({ model: one, messages: [QUESTION] })).text, 'One.');
    await client.settings({ target: two, drafter: 'none', load: 'firstUse' });
    assert.equal((await chat({ model: two, messages: [QUESTION] })).text, 'Two.');
    assert.deepEqual(isFirstFreed, [false, true]);
    assert.equal(engines[1].disposed, false);
  });
});
