// Tests a remote engine with a server whose answers are made up: the fields that it sends, and failures. Each failure
// has a clear error with a remedy, none hangs, and none reveals the key or the prompt.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import type { SamplingOptions } from '../../server/engine/request/sampling';
import { rates } from '../../server/engine/request/stats';
import { fimPrompt } from '../support/fimPrompt';
import { RemoteEngine, type RemoteChoice } from '../../server/remote/remoteEngine';
import { RemoteError } from '../../server/remote/remoteError';
import { until } from '../editor/waiting';
import { event, open, OpenAiServer, sendJson, streaming, type ReceivedRequest } from './openAiServer';

const KEY = 'sk-never-shown';
const TIME_LIMITS = { connectMs: 10_000, silenceMs: 30_000 };
const LLAMA = { data: [{ id: 'coder.gguf', owned_by: 'llamacpp', meta: { n_ctx: 2048 } }] };
/** Time limits that a silent server exceeds soon. */
const SHORT_TIME_LIMITS = { connectMs: 10_000, silenceMs: 300 };
const PROMPT = 'const secretOfTheFile = ';

describe('a remote engine', () => {
  let server: OpenAiServer;
  beforeEach(async () => (server = await OpenAiServer.start()));
  afterEach(async () => await server.stop());

  const reach = (change: Partial<RemoteChoice> = {}, times = TIME_LIMITS): Promise<RemoteEngine> =>
    RemoteEngine.load({ url: server.url, model: '', tokenizer: '', key: KEY, ...change }, times);
  /** Continues the prompt; returns the text. */
  const complete = async (signal?: AbortSignal, engine?: RemoteEngine): Promise<string | null> => {
    const remote = engine ?? (await reach());
    const ids = remote.tokenizer.encodeText(PROMPT);
    return (await remote.decode(ids, { maxTokens: 16, signal }).finish()).text;
  };
  /** Infills a hole. */
  const fill = async (engine: RemoteEngine, sampling: DecodeRequest['sampling'] = {}) => {
    const ids = fimPrompt({ fileName: 'a.ts', prefix: 'f(', suffix: ');' }, engine.tokenizer, 99);
    return await engine.decode(ids ?? [], { maxTokens: 4, sampling }).finish();
  };
  /** Asserts that the work fails with this message and a stack that reveal neither the key nor the prompt. */
  const assertFails = async (work: Promise<unknown>, message: RegExp): Promise<void> => {
    await assert.rejects(work, (error: unknown) => {
      assert.ok(error instanceof RemoteError, String(error));
      assert.match(error.message, message);
      for (const secret of [KEY, 'secretOfTheFile'])
        assert.ok(!JSON.stringify([error.message, error.stack]).includes(secret));
      return true;
    });
  };

  it('sends the prompt and the key, and reads pieces of any size', async () => {
    server.respond = (response) => {
      open(response);
      const bytes = Buffer.from(`: comment\n\n${event('aé')}${event('😀b', {}, 'stop')}data: [DONE]\n\n`);
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    };
    assert.equal(await complete(), 'aé😀b');
    const [{ headers, body } = assert.fail()] = server.requests;
    assert.equal(headers.authorization, `Bearer ${KEY}`);
    const { model, prompt, suffix, max_tokens: maxTokens, stream, temperature } = body;
    assert.deepEqual(
      [model, prompt, suffix, maxTokens, stream, temperature],
      ['coder', PROMPT, undefined, 16, true, 0],
    );
  });

  it('sends token ids with a tokenizer, and reads no text of a file as a special token', async () => {
    const engine = await reach({ tokenizer: 'built-in' });
    const ids = engine.tokenizer.encodeText('a <|fim_suffix|> b');
    await engine.decode(ids, { maxTokens: 4, stopTokenIds: [7] }).finish();
    const { prompt, stop_token_ids: stops } = server.requests[0]?.body ?? {};
    assert.deepEqual([prompt, stops], [ids, [7]]);
    assert.ok(!ids.includes(engine.tokenizer.specialTokenId('<|fim_suffix|>') ?? assert.fail()));
  });

  it('sends at most four stop strings, the limit of some servers', async () => {
    const engine = await reach();
    await engine
      .decode(engine.tokenizer.encodeText('a'), { maxTokens: 4, stopStrings: [...'abcdef'] })
      .finish();
    assert.deepEqual(server.requests[0]?.body?.['stop'], [...'abcd']);
  });

  const hasVllmFields = ({ body }: ReceivedRequest): boolean => JSON.stringify(body).includes('continuous');
  for (const [nextTime, status, error, refusals, sent] of [
    ['sends them again if the refusal names none of them', 400, 'Try again', 1, [true, false, true]],
    [
      'never sends them again if the refusal names one of them',
      422,
      `${KEY}: no continuous_usage_stats`,
      9,
      [true, false, false],
    ],
  ] as const)
    it(`omits fields of vLLM after a refusal, and ${nextTime}`, async () => {
      let left: number = refusals;
      server.respond = (response, request) => {
        if (hasVllmFields(request) && left-- > 0) return sendJson(response, status, { error });
        return streaming(['fine'])(response, request);
      };
      const engine = await reach();
      assert.equal(await complete(undefined, engine), 'fine');
      assert.equal(await complete(undefined, engine), 'fine');
      assert.deepEqual(server.requests.map(hasVllmFields), sent);
    });

  it('infills at /infill of llama-server, whose /v1/completions does not support it', async () => {
    server.models = LLAMA;
    server.respond = (response) => {
      open(response);
      // Events of llama-server b11669.
      const piece = { index: 0, content: 'x', tokens: [87], stop: false, id_slot: -1, tokens_predicted: 1 };
      const last = { ...piece, content: '', stop: true, stop_type: 'limit', tokens_evaluated: 9 };
      response.write(`data: ${JSON.stringify(piece)}\n\n`);
      response.end(`data: ${JSON.stringify({ ...last, tokens_predicted: 4, timings: { cache_n: 5 } })}\n\n`);
    };
    const penalties = { presencePenalty: 1, frequencyPenalty: 0.5 };
    const { text, finishReason, stats } = await fill(await reach(), penalties);
    assert.deepEqual([text, finishReason], ['x', 'length']);
    assert.deepEqual([stats.promptTokens, stats.reusedTokens, stats.emittedTokens], [9, 5, 4]);
    const { input_prefix: before, input_suffix: after, n_predict: limit } = server.requests[0]?.body ?? {};
    assert.deepEqual([server.paths.includes('/infill'), before, after, limit], [true, 'f(', ');', 4]);
    const { presence_penalty: presence, frequency_penalty: frequency } = server.requests[0]?.body ?? {};
    assert.deepEqual([presence, frequency], [1, 0.5]);
  });

  it('continues the text with the fields of llama.cpp after a refusal of /infill', async () => {
    server.models = LLAMA;
    server.respond = (response, request) =>
      'input_suffix' in request.body
        ? sendJson(response, 400, { error: 'the prompt is too long' })
        : streaming(['fine'])(response, request);
    assert.equal((await fill(await reach())).text, 'fine');
    const [, { prompt, min_p: minP } = {}, ...rest] = server.requests.map(({ body }) => body);
    assert.deepEqual([prompt, minP, rest], ['f(', 0, []]);
  });

  it('sends all sampling fields of llama.cpp, whose defaults cut the distribution', async () => {
    server.models = LLAMA;
    const engine = await reach();
    const sampling = { temperature: 1, repetitionPenalty: 1.2 };
    await engine.decode(engine.tokenizer.encodeText('a'), { maxTokens: 4, sampling }).finish();
    const { top_k: topK, top_p: topP, min_p: minP, repeat_penalty: penalty } = server.requests[0]?.body ?? {};
    assert.deepEqual([topK, topP, minP, penalty], [0, 1, 0, 1.2]);
  });

  it('sends neutral values to vLLM, which fills in absent fields from generation_config.json', async () => {
    const engine = await reach();
    const ids = engine.tokenizer.encodeText('a');
    const fieldsOf = async (sampling: SamplingOptions) => {
      await engine.decode(ids, { maxTokens: 4, sampling }).finish();
      const { repetition_penalty: penalty, top_p: topP, min_p: minP } = server.requests.at(-1)?.body ?? {};
      return [penalty, topP, minP];
    };
    assert.deepEqual(await fieldsOf({}), [1, undefined, undefined]);
    assert.deepEqual(await fieldsOf({ temperature: 1 }), [1, 1, 0]);
  });

  for (const [name, status, message, field, models] of [
    ['vLLM', 400, 'suffix is not currently supported', 'suffix'],
    ['Ollama', 400, 'registry.ollama.ai/library/coder does not support insert', 'suffix'],
    ['Docker Model Runner', 500, 'Unsupported param: suffix', 'suffix'],
    [
      'llama.cpp',
      501,
      'Infill is not supported by this model: prefix token is missing. ',
      'input_suffix',
      LLAMA,
    ],
    ['llama.cpp of another version', 400, 'no infill, and no top_k', 'input_suffix', LLAMA],
  ] as const)
    it(`sends only the text before the cursor once ${name} has refused the suffix by name`, async () => {
      server.models = models ?? server.models;
      server.respond = (response, request) =>
        field in request.body
          ? sendJson(response, status, { error: { message, code: status } })
          : streaming(['fine'])(response, request);
      const engine = await reach();
      for (let times = 0; times < 2; times++) assert.equal((await fill(engine)).text, 'fine');
      const bodies = server.requests.map(({ body }) => body);
      assert.deepEqual(
        bodies.map((body) => [body['prompt'] ?? body['input_prefix'], body[field]]),
        [
          ['f(', ');'],
          ['f(', undefined],
          ['f(', undefined],
        ],
      );
      assert.match(JSON.stringify(bodies.at(-1)), /continuous/);
    });

  it('omits only the refused fields although the refusal names others too, or none', async () => {
    const fieldsOf = (request: ReceivedRequest): string =>
      [hasVllmFields(request) && 'extension', 'suffix' in request.body && 'suffix'].filter(Boolean).join('+');
    for (const [refused, names, sent] of [
      ['suffix', true, ['extension+suffix', 'suffix', 'extension', 'extension']],
      ['extension', true, ['extension+suffix', 'suffix', 'suffix']],
      ['extension|suffix', true, ['extension+suffix', 'suffix', 'extension', '', '']],
      [
        'suffix',
        false,
        ['extension+suffix', 'suffix', 'extension', 'extension+suffix', 'suffix', 'extension'],
      ],
    ] as const) {
      server.requests.length = 0;
      server.respond = (response, request) =>
        new RegExp(refused).test(fieldsOf(request))
          ? sendJson(response, 422, names ? { input: request.body } : {})
          : streaming(['fine'])(response, request);
      const engine = await reach();
      for (let times = 0; times < 2; times++) assert.equal((await fill(engine)).text, 'fine');
      assert.deepEqual(server.requests.map(fieldsOf), sent, JSON.stringify([refused, names]));
    }
  });

  it('infills again after one refusal that does not name the suffix', async () => {
    let refusals = 2;
    server.respond = (response, request) =>
      'suffix' in request.body && refusals-- > 0
        ? sendJson(response, 400, { error: 'the prompt is too long' })
        : streaming(['fine'])(response, request);
    const engine = await reach();
    for (const isOmitted of [true, false]) {
      assert.equal((await fill(engine)).text, 'fine');
      assert.deepEqual(
        [engine.hasOmittedSuffix, 'suffix' in (server.requests.at(-1)?.body ?? {})],
        [isOmitted, !isOmitted],
      );
    }
  });

  for (const [status, message] of [
    [400, /Name the tokenizer of the model/],
    [401, /127\.0\.0\.1:\d+ rejected the API key \(HTTP status 401\)\. Run "Flashline: Remote Engine/],
    [403, /API key/],
    [404, / or does not have the model coder \(HTTP status 404\)\. Check the address and the name/],
    [422, /HTTP status 422\). Name the tokenizer of the model/],
    [429, / accepts no more requests for now \(HTTP status 429\)\. Wait/],
    [500, /HTTP status 500\)\. See the log of that server/],
    [503, /HTTP status 503/],
  ] as const)
    it(`explains HTTP status ${status}`, async () => {
      server.respond = (response) => sendJson(response, status, { error: { message: `${KEY} ${PROMPT}` } });
      await assertFails(complete(undefined, await reach({ model: 'coder' })), message);
    });

  it('reports how long a busy server asks to wait', async () => {
    server.respond = (response) => void response.writeHead(429, { 'retry-after': '7' }).end();
    await assert.rejects(complete(), ({ facts }: RemoteError) => facts.retryAfterMs === 7000);
  });

  for (const status of [301, 302, 303, 307, 308])
    it(`follows no redirect (${status})`, async () => {
      const redirectTarget = await OpenAiServer.start();
      server.respond = (response) =>
        void response.writeHead(status, { location: `${redirectTarget.url}/v1/completions` }).end();
      await assertFails(complete(), / redirects to another address \(HTTP status 30\d\)/);
      assert.deepEqual(redirectTarget.paths, []);
      await redirectTarget.stop();
    });

  it('accepts a finish reason without [DONE] as the end', async () => {
    server.respond = (response) => {
      open(response);
      response.end(event('all', {}, 'length'));
    };
    assert.equal(await complete(), 'all');
  });

  it('accepts statistics after the finish reason as the end, also without [DONE]', async () => {
    server.respond = (response) => {
      open(response);
      response.write(event('all', {}, 'length'));
      response.end(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7 } })}\n\n`);
    };
    assert.equal(await complete(), 'all');
  });

  for (const text of [null, undefined])
    it(`accepts a last event whose text is ${String(text)}`, async () => {
      server.respond = (response) => {
        open(response);
        response.write(event('all', {}));
        response.end(`data: ${JSON.stringify({ choices: [{ index: 0, text, finish_reason: 'stop' }] })}\n\n`);
      };
      assert.equal(await complete(), 'all');
    });

  it('reports a dropped connection', async () => {
    server.respond = async (response) => {
      open(response);
      response.write(event('half'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
    };
    await assertFails(complete(), /The connection to 127\.0\.0\.1:\d+ failed \("/);
  });

  for (const [what, respond] of [
    ['before the answer', () => undefined],
    [
      'in the middle of a stream',
      (response: Parameters<typeof open>[0]) => {
        open(response);
        response.write(event('half'));
      },
    ],
  ] as const)
    it(`gives up on a server that falls silent ${what}`, async () => {
      server.respond = respond;
      await assertFails(complete(undefined, await reach({}, SHORT_TIME_LIMITS)), / sent nothing for 0\.3 s/);
      await until('the connection is closed', () => server.requests[0]?.closed === true);
    });

  /** Repeats a text until the connection is closed. */
  const endlessly =
    (text: string, everyMs = 0, first = ''): OpenAiServer['respond'] =>
    async (response) => {
      open(response);
      response.write(first);
      while (!response.destroyed) {
        if (!response.write(text) && !response.destroyed)
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    };

  it('stops reading after the requested number of tokens, with the reason of the server', async () => {
    server.respond = endlessly(event('a'));
    assert.equal(await complete(), 'a'.repeat(16));
    await until('the connection is closed', () => server.requests[0]?.closed === true);
    server.respond = streaming(Array<string>(16).fill('b'), 'stop', { usage: { completion_tokens: 16 } });
    const engine = await reach();
    const ids = engine.tokenizer.encodeText(PROMPT);
    const { text, finishReason, stats } = await engine.decode(ids, { maxTokens: 16 }).finish();
    assert.deepEqual([text, finishReason, stats.emittedTokens], ['b'.repeat(16), 'stop', 16]);
  });

  for (const [what, text, everyMs, message] of [
    ['of comments', ': still there\n'.repeat(1000), 0, / did not stop after the requested /],
    ['of few comments', ': still there\n\n', 20, / sent no text for 0\.3 s/],
    ['of empty texts', event(''), 20, / sent no text for 0\.3 s/],
    ['of texts too long to be tokens', event('a'.repeat(50_000)), 0, / did not stop after the requested /],
  ] as const)
    it(`ends an endless stream ${what} with one error`, async () => {
      server.respond = endlessly(text, everyMs);
      const times = everyMs === 0 ? TIME_LIMITS : SHORT_TIME_LIMITS;
      await assertFails(complete(undefined, await reach({}, times)), message);
      await until('the connection is closed', () => server.requests[0]?.closed === true);
    });

  for (const [what, isEndless, silenceMs] of [
    ['has no end', true, TIME_LIMITS.silenceMs],
    ['stops in the middle', false, 2_000],
  ] as const)
    it(`reports a refusal whose text ${what}`, async () => {
      server.respond = async (response) => {
        response.writeHead(400, { 'content-type': 'text/plain' });
        response.write('refused');
        while (isEndless && !response.destroyed) {
          response.write('x'.repeat(1_000));
          await pause(1);
        }
      };
      const work = complete(undefined, await reach({}, { ...TIME_LIMITS, silenceMs }));
      await assertFails(work, / refused the request \(HTTP status 400\)/);
      await until('the connection is closed', () => server.requests[0]?.closed === true);
    });

  it('ends an endless answer, however slow it is', async () => {
    server.respond = endlessly(event('a'), 400);
    const engine = await reach({}, { ...TIME_LIMITS, silenceMs: 1000 });
    const ids = engine.tokenizer.encodeText(PROMPT);
    await assertFails(engine.decode(ids, { maxTokens: 30 }).finish(), / did not end its answer within 5 s/);
  });

  it('ends an endless list of models that arrives byte by byte', async () => {
    const dripping = createHttpServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      const drip = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(drip));
    }).listen(0, '127.0.0.1');
    await once(dripping, 'listening');
    const { port } = dripping.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}`;
    await assertFails(reach({ url }, SHORT_TIME_LIMITS), / sent only a part of its answer in 0\.3 s\. /);
    dripping.close();
  });

  it('returns a finished answer of a server that does not close it', async () => {
    server.respond = endlessly(': still there\n\n', 20, event('whole', {}, 'stop'));
    assert.equal(await complete(undefined, await reach({}, SHORT_TIME_LIMITS)), 'whole');
  });

  it('waits for a slow stream as long as pieces arrive', async () => {
    server.respond = streaming(['a', 'b', 'c', 'd', 'e'], 'stop', {}, 500);
    assert.equal(await complete(undefined, await reach({}, { ...TIME_LIMITS, silenceMs: 2000 })), 'abcde');
  });

  it('does not count a pause of its reader as silence of the server', async () => {
    server.respond = streaming(['a', 'b', 'c'], 'stop', {}, 20);
    const engine = await reach({}, SHORT_TIME_LIMITS);
    let read = '';
    for await (const { text } of engine.decode([3], { maxTokens: 16 })) {
      read += text;
      await pause(2 * SHORT_TIME_LIMITS.silenceMs);
    }
    assert.equal(read, 'abc');
  });

  it('does not count a sleep of this machine as silence of the server', async () => {
    server.respond = async (response) => {
      open(response);
      for (const text of [event('a'), ': still there\n\n', event('b', {}, 'stop')]) {
        response.write(text);
        await pause(20);
        response.write(': still there\n\n');
        // Stops the whole process, timers included, while the client waits.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 * SHORT_TIME_LIMITS.silenceMs);
      }
      response.end();
    };
    assert.equal(await complete(undefined, await reach({}, SHORT_TIME_LIMITS)), 'ab');
  });

  for (const [what, data, message] of [
    ['ends without a finish reason', '', / ended its stream in the middle/],
    ['ends in the middle of an event', 'data: {"choi', / ended its stream in the middle/],
    ['is not JSON', 'data: {oops\n\n', / sent an event that is not JSON/],
    ['has another form', 'data: {"object": "x"}\n\n', / sent an event without choices/],
    ['has no text', 'data: {"choices": [{"index": 0}]}\n\n', / sent an event without choices/],
    [
      'has 300,000 wrong choices',
      `data: {"choices": [${'1,'.repeat(300_000)}1]}\n\n`,
      / sent an event without choices/,
    ],
    [
      'contains an error event',
      `data: {"error": {"message": "${KEY}"}}\n\n`,
      / sent an error in the middle of the stream/,
    ],
    [
      'has an endless event',
      `data: ${'x'.repeat(1_100_000)}`,
      / sent an event of more than 1000000 characters/,
    ],
  ] as const)
    it(`refuses a stream that ${what}`, async () => {
      server.respond = (response) => {
        open(response);
        response.end(event('fine') + data);
      };
      await assertFails(complete(), message);
    });

  it('refuses an answer that is not a stream', async () => {
    server.respond = (response) => sendJson(response, 200, { choices: [] });
    await assertFails(complete(), / sent the content type application\/json instead of text\/event-stream/);
  });

  it('closes the connection when it is cancelled or its text is no longer read', async () => {
    server.respond = streaming(Array<string>(1000).fill('x'), 'length', {}, 5);
    const engine = await reach();
    const controller = new AbortController();
    const cancelled = complete(controller.signal, engine);
    await until('the first request has begun', () => server.requests.length === 1);
    controller.abort('cancelled');
    await cancelled;
    for await (const { text } of engine.decode([3], { maxTokens: 1000 })) if (text !== '') break;
    await until(
      'both connections are closed',
      () => server.requests.length === 2 && server.requests.every(({ closed }) => closed),
    );
  });

  it('ends a running request when it is disposed', async () => {
    server.respond = streaming(Array<string>(1000).fill('x'), 'length', {}, 5);
    const engine = await reach();
    const running = engine.decode([3], { maxTokens: 1000 }).finish();
    await until('the request has begun', () => server.requests.length === 1);
    await engine.dispose();
    assert.equal((await running).finishReason, 'superseded');
    await until('the connection is closed', () => server.requests.every(({ closed }) => closed));
  });

  it('reports the numbers that the server sends, and null for numbers that it does not send', async () => {
    const engine = await reach();
    const { tokenIds, stats: unreported } = await engine.decode([3], { maxTokens: 4 }).finish();
    const numbers = [tokenIds, unreported.promptTokens, unreported.emittedTokens, unreported.rounds];
    assert.deepEqual(numbers, Array(4).fill(null));
    server.respond = streaming(['a', 'b'], 'stop', {
      usage: { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
      metrics: {
        speculative_decoding: { num_spec_steps: 2, num_draft_tokens: 6, num_accepted_draft_tokens: 3 },
      },
    });
    const { stats } = await engine.decode([3], { maxTokens: 4 }).finish();
    const { promptTokens, reusedTokens, emittedTokens, rounds, draftedTokens, acceptedTokens } = stats;
    assert.deepEqual([promptTokens, reusedTokens, emittedTokens], [9, 4, 5]);
    assert.deepEqual([rounds, draftedTokens, acceptedTokens], [2, 6, 3]);
    // The events arrive together, so any speed computed from them is meaningless.
    const { decodeTokensPerSecond, endToEndTokensPerSecond, tokensPerRound } = rates(stats);
    assert.deepEqual([decodeTokensPerSecond, endToEndTokensPerSecond, tokensPerRound], [null, null, 2]);
  });

  it('removes an incomplete character that a server sends at the token limit', async () => {
    for (const [pieces, finish, text] of [
      [['a', '\uFFFD'], 'length', 'a'],
      [['a\uFFFD\uFFFD'], 'length', 'a'],
      [['a', '\uD83D'], 'length', 'a'],
      // The output continues after it, so the character was in the text.
      [['a\uFFFD', 'b'], 'length', 'a\uFFFDb'],
      [['a\uD83D', '\uDE00'], 'length', 'a😀'],
      [['a\uFFFD'], 'stop', 'a\uFFFD'],
    ] as const) {
      server.respond = streaming(pieces, finish);
      assert.equal(await complete(), text);
    }
  });

  it('needs a clear model name, and a valid address, key and tokenizer', async () => {
    server.models = { data: [{ id: 'a' }, { id: 'b\u001b[0m' }] };
    await assertFails(
      reach(),
      / serves several models\. Name one of its 2 models as the remote model: a, b \[0m\./,
    );
    await assertFails(reach({ model: 'c' }), / does not have the model c\./);
    server.models = { data: [{ id: 'a' }] };
    await assertFails(reach({ model: 'c' }), / does not have the model c\. Name one of its 1 models/);
    assert.equal((await reach({ model: 'a' })).config.modelType, 'a');
    server.models = 'none';
    await assertFails(reach(), / sent no list of models/);
    for (const url of ['ftp://host', 'http://user:word@host', 'nowhere', 'http://host/?key=1'])
      await assert.rejects(reach({ url }), /the address of a remote engine/);
    await assert.rejects(
      reach({ key: 'two words' }),
      (error: Error) => !error.message.includes('words') && error.message.includes('API key'),
    );
    await assert.rejects(reach({ tokenizer: 'nobody/nothing' }), /no tokenizer named nobody\/nothing/);
    await assert.rejects(
      reach({ url: 'http://me:secret@host:port' }),
      (error: Error) => !error.message.includes('secret'),
    );
  });

  it('verifies certificates, even if the environment turns that off', async () => {
    const read = (name: string): Buffer => readFileSync(`test/fixtures/hub/${name}.pem`);
    const secure = await OpenAiServer.start({ key: read('key'), cert: read('certificate') });
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await assertFails(
        reach({ url: secure.url }),
        /\("(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE)"/,
      );
      assert.deepEqual(secure.paths, []);
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      await secure.stop();
    }
  });

  it('is reached without a proxy when it is on this machine', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) delete process.env[name];
    process.env['http_proxy'] = 'http://127.0.0.1:9';
    try {
      server.respond = streaming(['a']);
      assert.equal(await complete(), 'a');
    } finally {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

  it('reports that no server listens at its address', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    free.close();
    await assertFails(
      reach({ url: `http://127.0.0.1:${port}` }),
      /\("ECONNREFUSED"\)\. Check the address, the network/,
    );
  });
});
