// Tests chats as VS Code requests them: the offered models, answers with tool calls, and refusals. Answers are
// scripted; the facts about models come from files of a real one.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Script } from 'node:vm';
import { CancellationTokenSource, LSPErrorCodes, ProgressType } from 'vscode-languageserver/node';
import type { LoadModel } from '../../server/hosting/modelPool';
import type { PairName } from '../../server/hosting/pairName';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { loadable } from '../../server/models/loadable';
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
import { downloaded } from '../support/hub/downloaded';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient } from './editorClient';
import { Pauses } from './pauses';
import { loading, LONG, ScriptedEngine, type Answer } from './scriptedEngine';
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
    mock.restoreAll();
    client.connection.dispose();
  });

  const serve = (
    load: LoadModel,
    parts: Parameters<typeof serverInMemory>[1] = {},
    cache = temporaryFolder(),
  ): void => {
    const modelSource = {
      cache,
      env: {},
      loadable: () => Promise.resolve(loadable),
      measured: () => ({}),
    };
    client = serverInMemory(load, { modelSource, chatFacts, ...parts });
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
      id: model,
      name: 'tiny-chat',
      bits: 4,
      family: 'qwen3',
      contextTokens: 2048,
      maxTokens: 512,
      hasTools: true,
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

  it('have tools if the chat template requires a system message', async () => {
    const requiresSystem =
      "{% if messages[0].role != 'system' %}{{ raise_exception('Begin with a system message!') }}{% endif %}";
    assert.equal((await facts.read(modelFolder(requiresSystem + TOOL_TEMPLATE)))?.hasTools, true);
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

  it('give a template no fields of tools that are null', async () => {
    const { engine, model } = await start([['a'], ['b']]);
    const send = (fields: object) => {
      const tools = [{ type: 'function', function: { name: 'weather', ...fields } }];
      return client.connection.sendRequest(Method.chat, { model, messages: [QUESTION], tools });
    };
    await send({});
    await send({ description: null, parameters: null });
    const prompts = engine.decodes.map(({ prompt }) => prompt);
    assert.match(prompts[0] ?? '', /^tools:\{.*"function": \{"name": "weather"\}\} \| /);
    assert.equal(prompts[1], prompts[0]);
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
    const long = { model, text: 'x'.repeat(2e6 + 1) };
    await assert.rejects(
      client.connection.sendRequest(Method.chatTokens, long),
      /at most 2000000 characters/,
    );
    assert.deepEqual(engine.decodes, []);
  });

  it('get an answer that fits into the context after the conversation, and none if no token is left', async () => {
    const { engine, model } = await start([['x']]);
    const around = 'user:  | assistant:'.length;
    const ask = (promptTokens: number) =>
      chat({ model, messages: [{ role: 'user', content: 'x'.repeat(promptTokens - around) }] });
    for (const promptTokens of [4096 - 512, 4096 - 511, 4095]) await ask(promptTokens);
    assert.deepEqual(
      engine.decodes.map(({ options: { maxTokens } }) => maxTokens),
      [512, 511, 1],
    );
    await assert.rejects(ask(4096), /fewer than 4096 tokens, got 4096; send less/);
  });

  it('report why a model cannot be loaded, and try it again', async () => {
    const model = modelFolder(TOOL_TEMPLATE);
    const load = loading(new Error('out of order'), new ToolEngine([['Hi.']]));
    serve(load);
    await client.initialize({ target: model, drafter: 'none', load: 'firstUse' });
    const refusal = { code: LSPErrorCodes.RequestFailed, message: /out of order/ };
    await assert.rejects(chat({ model, messages: [QUESTION] }), refusal);
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

  it('are not offered for a remote engine whose tokenizer has no chat template', async () => {
    serve(loading(Object.assign(new ScriptedEngine(), { remote: { host: 'there:9' } })));
    await client.start({ remote: REMOTE });
    assert.deepEqual(await models(), []);
  });

  it('stop the prefetch after a shown suggestion', async () => {
    const pauses = new Pauses();
    const engine = new ToolEngine([['a);\n'], LONG, ['Hi.']], 2);
    const model = modelFolder(TOOL_TEMPLATE);
    serve(loading(engine), { settle: pauses.settle, pluggedIn: () => Promise.resolve(true) });
    await client.start({ target: model, drafter: 'none' });
    await client.complete(await client.open('a.ts', 'f(║\n'));
    pauses.end();
    await client.until(() => (engine.decodes[1]?.steps ?? 0) > 0);
    assert.equal((await chat({ model, messages: [QUESTION] })).text, 'Hi.');
    await client.until(() => engine.decodes[1]?.ended === 'superseded');
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

  it('use a known pair with the drafter of the settings or else its first one, and never the remote engine', async () => {
    const [pair = assert.fail(), base = assert.fail()] = ['qwen3-4b', 'qwen2.5-coder-0.5b'].map(pairById);
    const [first = assert.fail(), ...others] = variantsOf(pair);
    const { target } = first;
    const { drafter } = others.find((variant) => variant.target === target) ?? assert.fail();
    const cache = temporaryFolder();
    for (const name of [target, variantsOf(base)[0]?.target ?? assert.fail()]) downloaded(cache, name);
    downloaded(cache, first.drafter, 'DFlashDraftModel');
    downloaded(cache, drafter, 'Qwen3DSparkModel');
    downloaded(cache, 'made-up/drafter', 'DFlashDraftModel');
    const names: PairName[] = [];
    const load: LoadModel = (name) => {
      names.push(name);
      const loaded = { engine: new ToolEngine([['Hi.']]), target: name.target, drafter: name.drafter };
      return Promise.resolve({ ...loaded, remember: () => undefined });
    };
    const facts = { family: 'qwen3', contextTokens: 2048, hasTools: true };
    serve(load, { chatFacts: () => Promise.resolve(facts) }, cache);
    await client.initialize({ target, drafter, load: 'firstUse' });
    const memory = mock.method(os, 'totalmem', () => 64e9);
    mock.method(process, 'constrainedMemory', () => 64e9);
    const chosen = { target, drafter, load: 'firstUse' } as const;
    const builtIn = { target: '', drafter: '', load: 'firstUse' } as const;
    for (const [settings, used] of [
      [chosen, drafter],
      [builtIn, first.drafter],
      [{ ...chosen, remote: REMOTE }, drafter],
    ] as const) {
      await client.settings(settings);
      assert.deepEqual(
        (await models()).map(({ id }) => id),
        [target],
      );
      assert.equal((await chat({ model: target, messages: [QUESTION] })).text, 'Hi.');
      const { remote, ...name } = names.at(-1) ?? assert.fail();
      assert.deepEqual([name.target, name.drafter, remote?.url], [target, used, '']);
    }
    assert.equal(names.length, 3);
    memory.mock.mockImplementation(() => 1e9);
    await client.settings(builtIn);
    assert.deepEqual(await models(), [], 'it does not fit into the memory');
  });

  it('free their model at shutdown', async () => {
    const { engine, model } = await start([['Hi.']]);
    await chat({ model, messages: [QUESTION] });
    assert.equal(engine.disposed, false);
    await client.connection.sendRequest('shutdown');
    assert.equal(engine.disposed, true);
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
    const targets = client.rows.map(({ model }) => model.target);
    assert.deepEqual(targets, [`scripted ${one}`, `scripted ${two}`], 'rows name the model that decoded');
    assert.equal(engines[1].disposed, false);
  });
});
