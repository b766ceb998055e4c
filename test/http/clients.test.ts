// Tests the HTTP server with two clients in wide use: the openai package and Vercel's AI SDK.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';
import { ServedPair } from './servedPair';

const MODEL = 'embedded';
const PROMPT = 'def add(a, b):\n    return';
const MESSAGES = [
  { role: 'user', content: 'class Stack:\n    def push(self, item):\n        self.items' },
] as const;
const KEY = 'a-key-of-the-tests';

describe('clients of the HTTP server', function () {
  this.timeout(600_000);
  let served: ServedPair;
  let openai: OpenAI;
  let model: ReturnType<typeof createOpenAICompatible>;
  before(async () => {
    served = await ServedPair.start({
      access: { hosts: [], corsOrigins: [], apiKey: KEY },
      strictModel: true,
    });
    const baseURL = `${served.address}/v1`;
    openai = new OpenAI({ apiKey: KEY, baseURL, maxRetries: 0 });
    model = createOpenAICompatible({ name: 'flashline', baseURL, apiKey: KEY, includeUsage: true });
  });
  after(() => served.end());

  const metrics = async (): Promise<string> =>
    (await served.get('/metrics', { authorization: `Bearer ${KEY}` })).body as string;
  /** Tokens of all outputs so far. */
  const outputTokens = async (): Promise<number> =>
    Number(/\nflashline_output_tokens_total (\d+)/.exec(await metrics())?.[1]);

  describe('the openai package', () => {
    it('lists the model', async () => {
      const models = await openai.models.list();
      assert.deepEqual(
        models.data.map(({ id }) => id),
        [MODEL],
      );
      assert.equal((await openai.models.retrieve(MODEL)).id, MODEL);
    });

    it('completes up to a stop string, and returns several texts with echo and log-probabilities', async () => {
      const fields = { model: MODEL, prompt: PROMPT, max_tokens: 12 };
      const { choices, usage } = await openai.completions.create(fields);
      assert.equal(choices[0]?.text.startsWith(' a + b'), true);
      assert.equal(choices[0]?.finish_reason, 'length');
      assert.equal(usage?.completion_tokens, 12);
      const stopped = await openai.completions.create({ ...fields, stop: ['\n'] });
      assert.deepEqual([stopped.choices[0]?.text, stopped.choices[0]?.finish_reason], [' a + b', 'stop']);
      const drawn = { ...fields, n: 3, temperature: 1, seed: 9, logprobs: 2, echo: true };
      const several = (await openai.completions.create(drawn)).choices;
      assert.deepEqual(
        several.map(({ index }) => index),
        [0, 1, 2],
      );
      assert.equal(new Set(several.map(({ text }) => text)).size, 3);
      for (const { text, logprobs } of several) {
        assert.ok(text.startsWith(PROMPT), text);
        assert.equal(logprobs?.tokens?.join(''), text);
      }
    });

    it('chats with and without streaming, with log-probabilities', async () => {
      const fields = { model: MODEL, messages: [...MESSAGES], max_completion_tokens: 10 };
      const completion = await openai.chat.completions.create({ ...fields, logprobs: true, top_logprobs: 2 });
      const { message, logprobs, finish_reason } = completion.choices[0] ?? assert.fail();
      assert.deepEqual([message.role, finish_reason], ['assistant', 'length']);
      assert.equal(logprobs?.content?.map(({ token }) => token).join(''), message.content);
      for (const { top_logprobs, bytes, token } of logprobs?.content ?? []) {
        assert.equal(top_logprobs.length, 2);
        assert.deepEqual(bytes, [...Buffer.from(token)]);
      }
      await openai.chat.completions.create(fields);
      const stream = openai.chat.completions.stream({ ...fields, stream_options: { include_usage: true } });
      const final = await stream.finalChatCompletion();
      assert.equal(final.choices[0]?.message.content, message.content);
      assert.equal(final.usage?.prompt_tokens_details?.cached_tokens, (final.usage?.prompt_tokens ?? 0) - 1);
    });

    const refused = async (request: () => Promise<unknown>): Promise<string> => {
      const error = await request().then(
        () => assert.fail('it was answered'),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof OpenAI.APIError);
      const { status, code, param } = error as InstanceType<typeof OpenAI.APIError>;
      return [error.constructor.name, status, code, param].join(' ').trimEnd();
    };

    it('maps errors to its own error classes', async () => {
      const complete = (more: object) =>
        openai.completions.create({ model: MODEL, prompt: 'x', max_tokens: 1, ...more });
      const chat = (more: object) =>
        openai.chat.completions.create({ model: MODEL, messages: [...MESSAGES], ...more });
      const long = [{ role: 'user', content: 'x = 1\n'.repeat(2000) }];
      const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
      const wrongKey = new OpenAI({ apiKey: 'another', baseURL: `${served.address}/v1`, maxRetries: 0 });
      // Sends one request after another: a failure that is not awaited yet would be reported as unhandled.
      for (const [request, error] of [
        [() => complete({ model: 'gpt-4' }), 'NotFoundError 404 model_not_found model'],
        [() => openai.models.retrieve('gpt-4'), 'NotFoundError 404 model_not_found model'],
        [() => complete({ temperature: 101 }), 'BadRequestError 400 invalid_value temperature'],
        [
          () => complete({ prompt: Array<number>(2048).fill(5) }),
          'BadRequestError 400 context_length_exceeded prompt',
        ],
        [() => chat({ messages: long }), 'BadRequestError 400 context_length_exceeded messages'],
        [() => chat({ tools }), 'BadRequestError 400 unsupported_parameter tools'],
        [
          () => chat({ response_format: { type: 'json_object' } }),
          'BadRequestError 400 invalid_value response_format.type',
        ],
        [() => wrongKey.models.list(), 'AuthenticationError 401 invalid_api_key'],
      ] as const)
        assert.equal(await refused(request), error);
    });

    it('can leave the name of the model empty', async () => {
      const { model: name } = await openai.completions.create({ model: '', prompt: 'x', max_tokens: 1 });
      assert.equal(name, MODEL);
    });

    it('ends the decode when it disconnects during a stream', async () => {
      const before = await outputTokens();
      const stream = await openai.completions.create({
        model: MODEL,
        prompt: PROMPT,
        max_tokens: 1900,
        stream: true,
      });
      let pieces = 0;
      for await (const { choices } of stream) if (choices.length > 0 && (pieces += 1) === 3) break;
      while (!(await metrics()).includes('\nflashline_running_requests 0'));
      const emitted = (await outputTokens()) - before;
      assert.ok(emitted > 2 && emitted < 1000, String(emitted));
      assert.ok(!(await metrics()).includes('status="500"'));
      const next = await openai.completions.create({ model: MODEL, prompt: PROMPT, max_tokens: 2 });
      assert.equal(next.choices[0]?.text, ' a +');
    });
  });

  describe('the AI SDK', () => {
    it('completes and chats with a seed, with and without streaming', async () => {
      const options = { prompt: PROMPT, maxOutputTokens: 8, maxRetries: 0, temperature: 1, seed: 5 };
      for (const languageModel of [model.completionModel(MODEL), model(MODEL)]) {
        const fields = { model: languageModel, ...options };
        const generated = await generateText(fields);
        assert.notEqual(generated.text, '');
        assert.deepEqual([generated.finishReason, generated.usage.outputTokens], ['length', 8]);
        const streamed = streamText(fields);
        let text = '';
        for await (const piece of streamed.textStream) text += piece;
        assert.equal(text, generated.text);
        assert.equal((await streamed.usage).outputTokens, 8);
      }
    });

    it('reports the message of an error', async () => {
      const fields = { model: model('gpt-4'), prompt: 'x', maxRetries: 0 };
      await assert.rejects(generateText(fields), /no other model than "embedded"/);
    });
  });
});
