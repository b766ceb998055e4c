// Tests the thinking of models over HTTP: in earlier turns, and apart from the content of an answer. Also tests a
// conversation that the template refuses.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import type { HttpServer } from '../../server/http/httpServer';
import { createModel } from '../../server/hosting/model';
import { TemplateEngine } from '../lsp/templateEngine';
import { at, eventsOf } from './answers';
import { serverOf } from './servedPair';

const TEMPLATE =
  "{% if messages[0].role == 'assistant' %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}" +
  '{% if tools %}{{ tools | length }} | {% endif %}{% for m in messages %}{{ m.role }}: {% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}' +
  '{{ m.content }} | {% endfor %}assistant:{% if enable_thinking %}<think>{% endif %}';
const QUESTION = { role: 'user', content: 'q' } as const;

describe('thinking over HTTP', () => {
  let server: HttpServer;
  let engine: TemplateEngine;

  const serve = async (...answers: readonly (readonly string[])[]): Promise<void> => {
    engine = new TemplateEngine(TEMPLATE, answers);
    server = await serverOf(createModel('pair', { engine, target: 'scripted', drafter: 'tiny' }));
  };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const templatePrompt = async (messages: readonly object[]): Promise<unknown> =>
    at(await (await post('/apply-template', { messages })).json(), 'prompt');

  afterEach(() => server.stop(0));

  it('passes the thinking of earlier turns to the template, by the field names of llama-server and vLLM', async () => {
    await serve([]);
    for (const field of ['reasoning_content', 'reasoning'])
      assert.equal(
        await templatePrompt([QUESTION, { role: 'assistant', content: 'a', [field]: 'because' }, QUESTION]),
        'user: q | assistant: <think>because</think>a | user: q | assistant:',
      );
    const both = { reasoning_content: 'first', reasoning: 'second' };
    assert.equal(
      await templatePrompt([
        { ...QUESTION, ...both },
        { role: 'assistant', content: 'a', ...both },
      ]),
      'user: q | assistant: <think>first</think>a | assistant:',
      'only turns of the assistant have thinking',
    );
    const without = 'user: q | assistant: a | user: q | assistant:';
    for (const reasoning of [
      { reasoning_content: null },
      { reasoning_content: '' },
      { reasoning: { effort: 'low' } },
    ])
      assert.equal(
        await templatePrompt([QUESTION, { role: 'assistant', content: 'a', ...reasoning }, QUESTION]),
        without,
      );
    const wrong = await post('/apply-template', { messages: [{ ...QUESTION, reasoning_content: 3 }] });
    assert.deepEqual(
      [wrong.status, at(await wrong.json(), 'error.param')],
      [400, 'messages[0].reasoning_content'],
    );
  });

  const THOUGHTS: Readonly<
    Record<string, readonly [pieces: readonly string[], thinking: string, content: string]>
  > = {
    'between tags of the output': [
      ['<thi', 'nk>\nIt is', ' cold.\n</th', 'ink>\n\nTake', ' a coat.'],
      'It is cold.',
      'Take a coat.',
    ],
    'without an end tag': [['\n<think>It', ' goes on '], 'It goes on', ''],
    'the beginning of a tag alone': [['<thi', 'n'], '', '<thin'],
    'similar tags in the content': [
      ['<thin ', 'ice> is no <think>ing</think>'],
      '',
      '<thin ice> is no <think>ing</think>',
    ],
  };
  for (const [what, [pieces, thinking, content]] of Object.entries(THOUGHTS))
    it(`separates thinking from the content, with and without streaming: ${what}`, async () => {
      await serve(pieces);
      for (const tools of [[], [{ type: 'function', function: { name: 'now' } }]]) {
        const body = { messages: [QUESTION], tools };
        const { message } = at(await (await post('/v1/chat/completions', body)).json(), 'choices.0') as {
          message: Record<string, unknown>;
        };
        assert.deepEqual([message['content'], message['reasoning_content'] ?? ''], [content, thinking]);
        const { events } = await eventsOf(await post('/v1/chat/completions', { ...body, stream: true }));
        const streamed = (field: string): string =>
          events.map((event) => (at(event, `choices.0.delta.${field}`) ?? '') as string).join('');
        assert.deepEqual([streamed('content'), streamed('reasoning_content')], [content, thinking]);
        const thoughts = events.filter((event) => at(event, 'choices.0.delta.reasoning_content'));
        assert.ok(thoughts.every((event) => at(event, 'choices.0.delta.content') === undefined));
      }
    });

  it('separates thinking that the template begins from content and tool calls, through the AI SDK', async () => {
    await serve(['\nIt must', ' be cold.\n', '</think>\n\n', 'Look: <tool_call>{"name": "now"}</tool_call>']);
    const provider = createOpenAICompatible({ name: 'flashline', baseURL: `${server.address}/v1` });
    const body = {
      model: provider('scripted'),
      prompt: 'q',
      tools: { now: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'noon' }) },
      providerOptions: { flashline: { chat_template_kwargs: { enable_thinking: true } } },
      maxRetries: 0,
    };
    for (const result of [await generateText(body), streamText(body)]) {
      assert.equal(await result.reasoningText, 'It must be cold.');
      assert.equal(await result.text, 'Look:');
      assert.deepEqual(
        (await result.toolCalls).map(({ toolName }) => toolName),
        ['now'],
      );
    }
    assert.ok(engine.decodes.every(({ prompt }) => prompt.endsWith('assistant:<think>')));
  });

  it('answers with status 400 and the message of a template that refuses the conversation', async () => {
    await serve([]);
    for (const path of ['/apply-template', '/v1/chat/completions']) {
      const answer = await post(path, { messages: [{ role: 'assistant', content: 'a' }] });
      const { error } = (await answer.json()) as { error: Record<string, string> };
      assert.deepEqual(
        [answer.status, error['param'], error['message']],
        [
          400,
          'messages',
          'The chat template of this model refuses the conversation: Conversation roles must alternate',
        ],
      );
    }
  });
});
