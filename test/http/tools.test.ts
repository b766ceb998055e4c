// Tests function calls with two clients in wide use, a scripted model and a chat template that supports tools.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import type { HttpServer } from '../../server/http/httpServer';
import { createModel } from '../../server/hosting/model';
import { TemplateEngine } from '../lsp/templateEngine';
import { ToolEngine } from '../lsp/toolEngine';
import { at } from './answers';
import { serverOf } from './servedPair';

const CALL = [
  'Let me',
  ' see.\n<tool',
  '_call>\n{"name": "weather", "argu',
  'ments": {"city": "Oslo"}}\n</tool_call>',
];
const ANSWER = ['It is', ' cold.'];

const PARAMETERS = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const, description: 'its name' } },
  required: ['city'],
  additionalProperties: false,
} satisfies Record<string, unknown>;
const TOOLS = [
  {
    type: 'function',
    function: { name: 'weather', description: 'of a city', parameters: { ...PARAMETERS } },
  },
] satisfies OpenAI.Chat.ChatCompletionTool[];
const QUESTION = { role: 'user', content: 'Is it cold in Oslo?' } as const;

let server: HttpServer;
let engine: ToolEngine;

/** Starts a server with a scripted model; returns the address of its API. */
const serve = async (...answers: readonly (readonly string[])[]): Promise<string> => {
  engine = new ToolEngine(answers);
  const model = createModel('pair', {
    engine,
    target: 'scripted',
    drafter: 'tiny',
  });
  server = await serverOf(model);
  return `${server.address}/v1`;
};

const post = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
/** Returns the prompt of a conversation from /apply-template. */
const templatePrompt = async (body: string): Promise<unknown> =>
  at(await (await post(`${server.address}/apply-template`, body)).json(), 'prompt');

describe('tools of the HTTP server', () => {
  afterEach(() => server.stop(0));

  const openai = async (...answers: readonly (readonly string[])[]) =>
    new OpenAI({ apiKey: 'none', baseURL: await serve(...answers), maxRetries: 0 }).chat.completions;

  it('are called by name with arguments, and their results are answered', async () => {
    const chat = await openai(CALL, ANSWER);
    const fields = { model: 'scripted', tools: TOOLS };
    const { choices, usage } = await chat.create({ ...fields, messages: [QUESTION] });
    const { message, finish_reason } = choices[0] ?? assert.fail();
    assert.deepEqual([message.content, finish_reason], ['Let me see.', 'tool_calls']);
    assert.ok((usage?.completion_tokens ?? 0) > 0);
    const [call, ...moreCalls] = message.tool_calls ?? [];
    assert.ok(call?.type === 'function' && moreCalls.length === 0);
    assert.deepEqual(
      [call.function.name, JSON.parse(call.function.arguments)],
      ['weather', { city: 'Oslo' }],
    );
    const prompt = engine.decodes[0]?.prompt ?? '';
    assert.equal(prompt, `tools:${jinjaJson(TOOLS[0])} | user: Is it cold in Oslo? | assistant:`);

    const result = { role: 'tool', tool_call_id: call.id, content: '-20' } as const;
    const next = await chat.create({ ...fields, messages: [QUESTION, message, result] });
    assert.deepEqual(
      [next.choices[0]?.message.content, next.choices[0]?.finish_reason],
      ['It is cold.', 'stop'],
    );
    assert.equal(
      engine.decodes[1]?.prompt,
      prompt.replace(
        /assistant:$/,
        `assistant: Let me see.<tool_call>${jinjaJson({ name: 'weather', arguments: { city: 'Oslo' } })}</tool_call> | ` +
          'tool: -20 | assistant:',
      ),
    );
  });

  it('reach the template with numbers as Python writes them', async () => {
    const address = await serve(ANSWER);
    const schema =
      '{"type": "number", "default": 1.0, "maximum": 1e3, "minimum": -2.50, "enum": [1, 0.5, "1.0", 9223372036854775807]}';
    const body = `{"messages": [
      {"role": "user", "content": "x"},
      {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\\"at\\": 2.0, \\"id\\": -12345678901234567890}"}}]},
      {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\\"id\\": 9007199254740993}"}}]},
      {"role": "tool", "tool_call_id": "a", "content": "1.0"}
    ], "tools": [{"type": "function", "function": {"description": "d", "name": "f", "parameters": ${schema}}}]}`;
    assert.equal((await post(`${address}/chat/completions`, body)).status, 200);
    const prompt = engine.decodes[0]?.prompt ?? '';
    const written = schema.replace('1e3', '1000.0').replace('2.50', '2.5');
    const calls = ['{"at": 2.0, "id": -12345678901234567890}', '{"id": 9007199254740993}'];
    for (const text of [`"parameters": ${written}`, ...calls, 'tool: 1.0'])
      assert.ok(prompt.includes(text), `${text} in ${prompt}`);
    assert.equal(await templatePrompt(body), prompt);
  });

  it('have calls and named results in the template, also with null fields or content parts in messages', async () => {
    await serve(ANSWER);
    const call = { id: 'c1', type: null, index: null, function: { name: 'now', arguments: null } };
    const prompt = await templatePrompt(
      JSON.stringify({
        messages: [
          {
            role: 'developer',
            name: null,
            content: [
              { type: 'text', text: 'Be' },
              { type: 'text', text: ' brief.' },
            ],
          },
          { role: 'assistant', content: null, tool_calls: null, reasoning_content: null },
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', content: 'noon', tool_call_id: 'c1', name: 'now' },
        ],
      }),
    );
    assert.equal(
      prompt,
      'system: Be brief. | assistant:  | assistant: <tool_call>{"name": "now", "arguments": {}}</tool_call> | ' +
        'tool: noon | assistant:',
    );
    await server.stop(0);
    const template =
      '{% if tools %}tools{% endif %}{% for m in messages %}{{ m.role }} {{ m.content }} {{ m.tool_call_id }} {{ m.name }};{% endfor %}';
    const named = new TemplateEngine(template, [ANSWER]);
    server = await serverOf(createModel('pair', { engine: named, target: 'scripted', drafter: 'tiny' }));
    const result = { role: 'tool', content: 'noon', tool_call_id: 'c1', name: 'now' };
    const answer = await post(`${server.address}/apply-template`, JSON.stringify({ messages: [result] }));
    assert.deepEqual(await answer.json(), { prompt: 'tool noon c1 now;' });
  });

  it('are run by the AI SDK until the model answers, with and without streaming', async () => {
    const inputs: unknown[] = [];
    const weather = tool({
      description: 'of a city',
      inputSchema: jsonSchema<{ city: string }>({ ...PARAMETERS }),
      execute: (input) => {
        inputs.push(input);
        return '-20';
      },
    });
    for (const isStream of [false, true]) {
      const provider = createOpenAICompatible({ name: 'flashline', baseURL: await serve(CALL, ANSWER) });
      const fields = {
        model: provider('scripted'),
        prompt: QUESTION.content,
        tools: { weather },
        maxRetries: 0,
      };
      const severalSteps = { ...fields, stopWhen: stepCountIs(3) };
      const text = isStream ? await streamText(severalSteps).text : (await generateText(severalSteps)).text;
      assert.equal(text, 'It is cold.');
      if (!isStream) await server.stop(0);
    }
    assert.deepEqual(inputs, [{ city: 'Oslo' }, { city: 'Oslo' }]);
  });

  it('are hidden from the model when tool_choice forbids calls', async () => {
    const chat = await openai(ANSWER);
    const body = { model: 'scripted', tools: TOOLS, tool_choice: 'none' as const, messages: [QUESTION] };
    await chat.create(body);
    assert.equal(engine.decodes[0]?.prompt, 'user: Is it cold in Oslo? | assistant:');
    assert.equal(await templatePrompt(JSON.stringify(body)), engine.decodes[0].prompt);
  });

  it('give a template no fields that are null', async () => {
    await serve(ANSWER);
    const promptOf = (fields: object): Promise<unknown> => {
      const tools = [{ type: 'function', strict: null, function: { name: 'weather', ...fields } }];
      return templatePrompt(JSON.stringify({ messages: [QUESTION], tools }));
    };
    const schema = { type: 'object', properties: { city: { enum: ['Oslo', null] } } };
    for (const fields of [{}, { parameters: schema }]) {
      const prompt = `tools:${jinjaJson({ type: 'function', function: { name: 'weather', ...fields } })} | user: `;
      const nulls = { description: null, parameters: null, strict: null };
      assert.ok(String(await promptOf({ ...nulls, ...fields })).startsWith(prompt), prompt);
    }
  });

  it('are refused with the name of the wrong field', async () => {
    const url = `${await serve(ANSWER)}/chat/completions`;
    const call = { id: 'a', type: 'function', function: { name: 'weather', arguments: '[1' } };
    const wrong: Record<string, object> = {
      tools: { tools: {} },
      'tools[0].type': { tools: [{ type: 'web_search' }] },
      'tools[0].function': { tools: [{ type: 'function' }] },
      'tools[0].function.name': { tools: [{ type: 'function', function: { name: 'a b' } }] },
      'tools[1].function.name': {
        tools: ['f'.repeat(64), 'f'.repeat(65)].map((name) => ({ type: 'function', function: { name } })),
      },
      'tools[0].function.parameters': {
        tools: [{ type: 'function', function: { name: 'a', parameters: 3 } }],
      },
      reasoning_effort: { reasoning_effort: 3 },
      chat_template_kwargs: { chat_template_kwargs: 'enable_thinking' },
      'chat_template_kwargs.depth': { chat_template_kwargs: { depth: 1 } },
      'chat_template_kwargs.messages': { chat_template_kwargs: { messages: [] } },
      tool_choice: { tools: TOOLS, tool_choice: 'required' },
      'messages[0].tool_calls[0].function.arguments': {
        messages: [{ role: 'assistant', tool_calls: [call] }],
      },
    };
    for (const [field, fields] of Object.entries(wrong)) {
      const answer = await post(url, JSON.stringify({ messages: [QUESTION], ...fields }));
      const { error } = (await answer.json()) as { error: { param: string; message: string } };
      assert.deepEqual([answer.status, error.param], [400, field], error.message);
    }
    const many = { messages: [QUESTION], tools: Array.from({ length: 129 }, () => TOOLS[0]) };
    const answer = await post(url, JSON.stringify(many));
    assert.deepEqual([answer.status, at(await answer.json(), 'error.param')], [400, 'tools']);
    assert.equal(engine.decodes.length, 0);
  });
});

describe('the prompt of a chat', () => {
  afterEach(() => server.stop(0));

  it('ends with the beginning of an answer unless add_generation_prompt is false', async () => {
    const template =
      '{% for m in messages %}{{ m.content }};{% endfor %}{% if add_generation_prompt %}answer:{% endif %}';
    const engine = new TemplateEngine(template, [ANSWER]);
    server = await serverOf(createModel('pair', { engine, target: 'scripted', drafter: 'tiny' }));
    for (const [value, prompt] of [
      [undefined, `${QUESTION.content};answer:`],
      [true, `${QUESTION.content};answer:`],
      [false, `${QUESTION.content};`],
    ] as const)
      assert.equal(
        await templatePrompt(JSON.stringify({ messages: [QUESTION], add_generation_prompt: value })),
        prompt,
      );
  });
});

describe('chat_template_kwargs and reasoning_effort over HTTP', () => {
  afterEach(() => server.stop(0));

  it('reach the chat template, also without tools', async () => {
    const url = `${await serve(ANSWER)}/chat/completions`;
    for (const [fields, end] of [
      [{}, 'assistant:'],
      [{ chat_template_kwargs: { enable_thinking: true } }, 'assistant:<think>'],
      [{ chat_template_kwargs: { enable_thinking: false, thinking: false, mood: 'sad' } }, 'assistant:sad'],
      [{ reasoning_effort: 'high' }, 'assistant:<think>'],
      [{ reasoning_effort: 'none' }, 'assistant:'],
      [{ reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } }, 'assistant:'],
      [{ reasoning_effort: 'high', chat_template_kwargs: { reasoning_effort: 'none' } }, 'assistant:'],
    ] as const) {
      const body = JSON.stringify({ messages: [QUESTION], ...fields });
      assert.equal((await post(url, body)).status, 200);
      const prompt = `user: Is it cold in Oslo? | ${end}`;
      assert.equal(engine.decodes.at(-1)?.prompt, prompt, JSON.stringify(fields));
      assert.equal(await templatePrompt(body), prompt, JSON.stringify(fields));
    }
  });
});

/** Formats JSON with the spaces that templates write. */
function jinjaJson(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([[{]) /g, '$1')
    .replace(/ ([\]}])/g, '$1');
}
