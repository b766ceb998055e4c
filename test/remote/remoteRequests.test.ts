// Tests the requests that a remote engine sends and the facts that it reads from answers, with a scripted server.
import assert from 'node:assert/strict';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import { RemoteEngine, type RemoteChoice } from '../../server/remote/remoteEngine';
import type { RemoteError } from '../../server/remote/remoteError';
import { fimPrompt } from '../support/fimPrompt';
import { event, open, OpenAiServer, sendJson, streaming } from './openAiServer';

/** A list with one model of llama.cpp. */
const LLAMA = { data: [{ id: 'coder', owned_by: 'llamacpp', meta: { n_ctx: 2048 } }] };

describe('requests of a remote engine', () => {
  let server: OpenAiServer;
  beforeEach(async () => (server = await OpenAiServer.start()));
  afterEach(async () => await server.stop());

  const reach = (change: Partial<RemoteChoice> = {}): Promise<RemoteEngine> =>
    RemoteEngine.load({ url: server.url, model: '', tokenizer: '', ...change });
  /** Continues a text, or infills a hole; returns the fields of the request. */
  const bodyOf = async (
    request: Partial<DecodeRequest>,
    { isHole = false, ...choice }: Partial<RemoteChoice> & { isHole?: boolean } = {},
  ): Promise<Record<string, unknown>> => {
    const engine = await reach(choice);
    const hole = fimPrompt({ fileName: 'a.ts', prefix: 'f(', suffix: ');' }, engine.tokenizer, 99) ?? [];
    const ids = isHole ? hole : engine.tokenizer.encodeText('f(');
    await engine.decode(ids, { maxTokens: 4, ...request }).finish();
    return { ...server.requests.at(-1)?.body };
  };

  const SAMPLING = {
    temperature: 0.5,
    topP: 0.9,
    topK: 7,
    minP: 0.1,
    repetitionPenalty: 1.2,
    seed: 3,
    presencePenalty: 0.3,
    frequencyPenalty: 0.4,
  };
  /** The fields of SAMPLING that all servers name alike. */
  const SENT = {
    temperature: 0.5,
    top_p: 0.9,
    top_k: 7,
    min_p: 0.1,
    seed: 3,
    presence_penalty: 0.3,
    frequency_penalty: 0.4,
  };
  /** The fields of greedy decoding that llama.cpp gets, as its defaults differ. */
  const LLAMA_GREEDY = {
    temperature: 0,
    top_p: 1,
    top_k: 0,
    min_p: 0,
    repeat_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    timings_per_token: true,
  };

  it('omit sampling fields with default values, unless the server could have another default', async () => {
    const usage = { include_usage: true, continuous_usage_stats: true };
    const least = { model: 'coder', prompt: 'f(', max_tokens: 4, stream: true, stream_options: usage };
    const greedy = { ...least, temperature: 0, repetition_penalty: 1 };
    const defaults = { topP: 1, topK: 0, minP: 0, repetitionPenalty: 1, presencePenalty: 0, seed: 3 };
    assert.deepEqual(await bodyOf({}), greedy);
    assert.deepEqual(await bodyOf({ sampling: defaults, stopStrings: [], stopTokenIds: [7] }), greedy);
    assert.deepEqual(await bodyOf({ sampling: SAMPLING, stopStrings: ['a'] }), {
      ...least,
      ...SENT,
      repetition_penalty: 1.2,
      stop: ['a'],
    });
    server.models = { data: [{ id: '' }] };
    assert.equal('model' in (await bodyOf({})), false);
    server.models = LLAMA;
    assert.deepEqual(await bodyOf({}), { ...least, ...LLAMA_GREEDY });
  });

  it('have the fields of llama.cpp at /infill', async () => {
    server.models = LLAMA;
    server.respond = (response) => {
      open(response);
      response.end('data: {"content":"x","stop":true}\n\n');
    };
    const least = {
      input_prefix: 'f(',
      input_suffix: ');',
      n_predict: 4,
      stream: true,
      cache_prompt: true,
      ...LLAMA_GREEDY,
      stop: [],
    };
    assert.deepEqual(await bodyOf({}, { isHole: true }), least);
    assert.deepEqual(await bodyOf({ sampling: SAMPLING, stopStrings: [...'abcde'] }, { isHole: true }), {
      ...least,
      ...SENT,
      repeat_penalty: 1.2,
      stop: [...'abcd'],
    });
  });

  it('have a random seed, which the statistics name, unless the text is greedy', async () => {
    const engine = await reach();
    const drawn = async (sampling: DecodeRequest['sampling']): Promise<unknown[]> => {
      const { stats } = await engine.decode([3], { maxTokens: 4, sampling }).finish();
      return [server.requests.at(-1)?.body?.['seed'], stats.seed];
    };
    const [sent, named] = await drawn({ temperature: 1 });
    assert.ok(Number.isInteger(sent) && sent === named);
    assert.notDeepEqual(await drawn({ temperature: 1 }), [sent, named]);
    assert.deepEqual(await drawn({ temperature: 1, seed: 5 }), [5, 5]);
    assert.deepEqual(await drawn({ seed: 5 }), [undefined, undefined]);
    assert.deepEqual(await drawn(undefined), [undefined, undefined]);
  });

  it('are urgent only while a user waits for ghost text', async () => {
    const engine = await reach({ url: `${server.url}/v1/` });
    for (const [kind, priority] of [
      ['inline', 'editor'],
      ['generate', undefined],
      ['prefetch', undefined],
    ] as const) {
      await engine.decode([3], { maxTokens: 4, kind }).finish();
      const { headers } = server.requests.at(-1) ?? assert.fail();
      assert.equal(headers['x-flashline-priority'], priority, kind);
      const { accept, 'user-agent': agent, 'content-type': type, authorization } = headers;
      assert.deepEqual(
        [accept, agent, type, authorization],
        ['text/event-stream', 'flashline', 'application/json', undefined],
      );
    }
  });

  it('have the context length that the server reports, or 4096 tokens', async () => {
    for (const [facts, contextTokens] of [
      [{}, 4096],
      [{ max_model_len: 100 }, 100],
      [{ meta: { n_ctx: 200 } }, 200],
      [{ max_model_len: 100, meta: { n_ctx: 200 } }, 100],
      [{ max_model_len: 0, meta: 'none' }, 4096],
      [{ max_model_len: null, meta: { n_ctx: 1.5 } }, 4096],
    ] as const) {
      server.models = { data: [{ id: 'coder', ...facts }] };
      assert.equal((await reach()).config.maxPositionEmbeddings, contextTokens, JSON.stringify(facts));
    }
  });

  const refusals: readonly (readonly [status: number, choice: Partial<RemoteChoice>, message: RegExp])[] = [
    [
      400,
      { tokenizer: 'built-in' },
      / refused the request \(HTTP status 400\)\. Check that the tokenizer is/,
    ],
    [401, {}, / requires an API key \(HTTP status 401\)\. /],
    [404, {}, / does not offer OpenAI's API at this address \(HTTP status 404\)\. /],
    [418, {}, / refused the request \(HTTP status 418\)\. Check the address\.$/],
  ];
  for (const [status, choice, message] of refusals)
    it(`fail with an explanation of HTTP status ${String(status)}`, async () => {
      server.respond = (response) => sendJson(response, status, {});
      const engine = await reach(choice);
      await assert.rejects(engine.decode([3], { maxTokens: 4 }).finish(), message);
    });

  it('fail with at most five model names if the choice is unclear, and explain a server without models', async () => {
    server.models = { data: [...'abcdef'].map((letter) => ({ id: letter.repeat(90) })) };
    const shown = [...'abcde'].map((letter) => letter.repeat(80)).join(', ');
    await assert.rejects(reach(), new RegExp(`Name one of its 6 models as the remote model: ${shown}\\.$`));
    server.models = { data: [] };
    await assert.rejects(reach(), / serves no model\. Load one there\.$/);
  });

  it('are repeated without optional fields after a refusal, and after a failure only if it names one', async () => {
    for (const [status, error, count] of [
      [400, 'wrong', 2],
      [422, 'wrong', 2],
      [404, 'continuous_usage_stats', 1],
      [500, 'continuous_usage_stats', 2],
      [500, 'wrong', 1],
      [501, 'wrong', 1],
      [503, 'continuous_usage_stats', 1],
    ] as const) {
      server.requests.length = 0;
      server.respond = (response) => sendJson(response, status, { error });
      const work = (await reach()).decode([3], { maxTokens: 4 }).finish();
      await assert.rejects(work, ({ facts }: RemoteError) => facts.status === status);
      assert.equal(server.requests.length, count, String(status));
    }
  });

  for (const [field, request] of [
    ['top_k', { sampling: { topK: 3 } }],
    ['min_p', { sampling: { temperature: 1, minP: 0.1 } }],
    ['repetition_penalty', {}],
    ['stop_token_ids', { stopTokenIds: [7] }],
  ] as const)
    it(`omit ${field} from then on once a server has refused it by name`, async () => {
      server.respond = (response, { body }) =>
        field in body
          ? sendJson(response, 400, { error: field })
          : streaming(['a'])(response, { body } as never);
      const engine = await reach({ tokenizer: 'built-in' });
      for (let times = 0; times < 2; times++) await engine.decode([3], { maxTokens: 4, ...request }).finish();
      assert.deepEqual(
        server.requests.map(({ body }) => field in body),
        [true, false, false],
      );
    });
});

describe('the statistics of a remote engine', () => {
  let server: OpenAiServer;
  beforeEach(async () => (server = await OpenAiServer.start()));
  afterEach(async () => await server.stop());

  const statsOf = async (more: object, models: object = { data: [{ id: 'coder' }] }) => {
    server.models = models;
    server.respond = streaming(['a', 'b'], 'stop', more);
    const engine = await RemoteEngine.load({ url: server.url, model: '', tokenizer: '' });
    return (await engine.decode([3], { maxTokens: 4 }).finish()).stats;
  };

  it('come from the timings of llama.cpp, or from its usage if it sends both', async () => {
    const timings = {
      cache_n: 3,
      prompt_n: 4,
      prompt_ms: 8,
      predicted_n: 5,
      predicted_ms: 20,
      draft_n: 6,
      draft_n_accepted: 2,
    };
    const timed = await statsOf({ timings }, LLAMA);
    const { promptTokens, reusedTokens, emittedTokens, roundTokens, prefillMs, decodeMs } = timed;
    assert.deepEqual([promptTokens, reusedTokens, emittedTokens, roundTokens], [7, 3, 5, 4]);
    assert.deepEqual([prefillMs, decodeMs, timed.draftedTokens, timed.acceptedTokens], [8, 20, 6, 2]);
    assert.equal(timed.rounds, null);
    const usage = { prompt_tokens: 90, completion_tokens: 50 };
    const both = await statsOf({ timings, usage }, LLAMA);
    assert.deepEqual([both.promptTokens, both.emittedTokens, both.decodeMs], [90, 50, 20]);
    const plain = await statsOf({ timings: { prompt_n: 4, predicted_n: 5 } }, LLAMA);
    assert.deepEqual([plain.draftedTokens, plain.acceptedTokens, plain.promptTokens], [0, 0, 4]);
  });

  it('have the reason for which /infill of llama.cpp ended the text', async () => {
    server.models = LLAMA;
    const engine = await RemoteEngine.load({ url: server.url, model: '', tokenizer: '' });
    const ids = fimPrompt({ fileName: 'a.ts', prefix: 'f(', suffix: ');' }, engine.tokenizer, 99) ?? [];
    for (const [type, reason] of [
      ['eos', 'stop'],
      ['word', 'stop'],
      ['limit', 'length'],
      [null, 'stop'],
    ] as const) {
      server.respond = (response) => {
        open(response);
        response.end(`data: ${JSON.stringify({ content: 'x', stop: true, stop_type: type })}\n\n`);
      };
      assert.equal((await engine.decode(ids, { maxTokens: 4 }).finish()).finishReason, reason);
    }
  });

  it('include the counts that `flashline serve` sends, except negative counts', async () => {
    const counts = {
      rounds: 2,
      draftedTokens: 6,
      acceptedTokens: 3,
      wholeRounds: 1,
      prefillMs: 4,
      draftMs: 5,
      acceptedByPosition: [2, 1],
      draftedByPosition: [2, 2],
      mismatchesByPosition: [0, 1],
      verifyMs: 6,
      decodeMs: 12,
    };
    const stats = await statsOf({ flashline: { ...counts, prefillMs: 4 } });
    const read = Object.keys(counts).map((name) => [name, stats[name as keyof typeof stats]]);
    assert.deepEqual(Object.fromEntries(read), counts);
    assert.equal((await statsOf({ flashline: { ...counts, rounds: -1 } })).rounds, null);
  });

  it('keep the last value of each count that several events report', async () => {
    server.respond = (response) => {
      open(response);
      const tokens = (count: number, more: object = {}) => ({ usage: { completion_tokens: count, ...more } });
      response.write(event('a', tokens(1, { prompt_tokens: 9 })));
      response.write(event('b', { usage: null }));
      response.end(event('', tokens(2), 'length'));
    };
    const engine = await RemoteEngine.load({ url: server.url, model: '', tokenizer: '' });
    const { text, stats, finishReason } = await engine.decode([3], { maxTokens: 4 }).finish();
    assert.deepEqual([text, stats.promptTokens, stats.emittedTokens, finishReason], ['ab', 9, 2, 'length']);
    const { timeToFirstTokenMs } = stats;
    assert.ok(timeToFirstTokenMs !== null && timeToFirstTokenMs >= 0);
  });
});
