// The thinking of models over HTTP: earlier turns hand it back to the template, and answers have it apart from their
// content. Also a conversation that the template refuses.
import assert from 'node:assert/strict';
import type { HttpServer } from '../../server/http/httpServer';
import { usableModel } from '../../server/hosting/usableModel';
import { TemplateEngine } from '../lsp/templateEngine';
import { at, serverOf } from './servedPair';

const TEMPLATE =
  "{% if messages[0].role == 'assistant' %}{{ raise_exception('Conversation roles must alternate') }}{% endif %}" +
  '{% for m in messages %}{{ m.role }}: {% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}' +
  '{{ m.content }} | {% endfor %}assistant:{% if enable_thinking %}<think>{% endif %}';
const QUESTION = { role: 'user', content: 'q' } as const;

describe('thinking over HTTP', () => {
  let server: HttpServer;
  let engine: TemplateEngine;

  const serve = async (...answers: readonly (readonly string[])[]): Promise<void> => {
    engine = new TemplateEngine(TEMPLATE, answers);
    server = await serverOf(usableModel('pair', { engine, target: 'scripted', drafter: 'tiny' }));
  };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const applied = async (messages: readonly object[]): Promise<unknown> =>
    at(await (await post('/apply-template', { messages })).json(), 'prompt');

  afterEach(() => server.stop(0));

  it('reaches the template from earlier turns, under the names of llama-server and of vLLM', async () => {
    await serve([]);
    for (const field of ['reasoning_content', 'reasoning'])
      assert.equal(
        await applied([QUESTION, { role: 'assistant', content: 'a', [field]: 'because' }, QUESTION]),
        'user: q | assistant: <think>because</think>a | user: q | assistant:',
      );
    const without = 'user: q | assistant: a | user: q | assistant:';
    for (const reasoning of [
      { reasoning_content: null },
      { reasoning_content: '' },
      { reasoning: { effort: 'low' } },
    ])
      assert.equal(
        await applied([QUESTION, { role: 'assistant', content: 'a', ...reasoning }, QUESTION]),
        without,
      );
    const wrong = await post('/apply-template', { messages: [{ ...QUESTION, reasoning_content: 3 }] });
    assert.deepEqual(
      [wrong.status, at(await wrong.json(), 'error.param')],
      [400, 'messages[0].reasoning_content'],
    );
  });

  it('answers a conversation that the template refuses with status 400 and the sentence of the template', async () => {
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
