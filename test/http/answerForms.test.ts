// Tests the fields of answers that clients read, with a scripted engine whose statistics are known.
import assert from 'node:assert/strict';
import type { Decode, DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { TemplateEngine } from '../lsp/templateEngine';
import { ToolEngine } from '../lsp/toolEngine';
import { overlaid } from '../support/overlaid';
import { at, eventsOf } from './answers';
import { ScriptedServer } from './scriptedServer';

const COMPLETIONS = '/v1/completions';
const CHAT = '/v1/chat/completions';
const QUESTION = { role: 'user', content: 'q' };
const TOOLS = [{ type: 'function', function: { name: 'now', parameters: {} } }];

/** An engine that reuses one token of each prompt, and reads the end of the prompt in the first round. */
class MeteredEngine extends ScriptedEngine {
  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = super.decode(promptIds, options);
    return overlaid(decode, {
      get result(): DecodeResult {
        const { result } = decode;
        const sources = [{ name: 'tiny', rounds: 2, drafted: 7, accepted: 5 }];
        const stats = { ...result.stats, reusedTokens: 1, acceptedTokens: 5, sources, peakMemoryBytes: 77 };
        return { ...result, prefillInRoundMs: 10, stats };
      },
    });
  }
}

/** An engine that emits "one" although its tokens have more text, as after a stop string within a token. */
class CuttingEngine extends ScriptedEngine {
  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = super.decode(promptIds, options);
    const chunks = async function* () {
      for await (const chunk of decode) yield { ...chunk, text: 'one' };
    };
    return overlaid(decode, { [Symbol.asyncIterator]: chunks });
  }
}

describe('answers over HTTP', () => {
  let served: ScriptedServer;
  afterEach(() => served.server.stop(0));

  /** Returns the only choice of an answer, or the only text of llama.cpp. */
  const answerTo = async (path: string, body: object): Promise<unknown> => {
    const answer = await served.post(path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return at(answer.body, 'choices.0') ?? answer.body;
  };
  const eventsTo = async (path: string, body: object): Promise<unknown[]> =>
    (await eventsOf(await served.send(path, { ...body, stream: true }))).events;

  it('have the fields of llama.cpp at /completion', async () => {
    served = await ScriptedServer.start(new MeteredEngine([['one', '\ntwo']]));
    const sampling = { temperature: 1, top_k: 3, top_p: 0.5, min_p: 0.1, presence_penalty: 1 };
    const penalties = { frequency_penalty: 2, repeat_penalty: 1.5, repeat_last_n: 9 };
    const body = { ...sampling, ...penalties, prompt: 'abc', n_predict: 30, stop: ['z'], seed: 4 };
    const answer = (await answerTo('/completion', {
      ...body,
      logit_bias: { 5: 1 },
    })) as Record<string, unknown>;
    assert.deepEqual(answer, {
      flashline: answer['flashline'],
      index: 0,
      content: 'one\ntwo',
      tokens: [],
      id_slot: 0,
      stop: true,
      model: 'scripted',
      tokens_predicted: 7,
      tokens_evaluated: 3,
      prompt: 'abc',
      has_new_line: true,
      truncated: false,
      generation_settings: {
        ...sampling,
        ...penalties,
        seed: 4,
        stop: ['z'],
        stream: false,
        model: 'scripted',
        max_tokens: 30,
        n_predict: 30,
        n_keep: 0,
        ignore_eos: false,
        n_probs: 0,
        n_ctx: 4096,
        logit_bias: [{ token: 5, bias: 1 }],
      },
      stop_type: 'eos',
      stopping_word: '',
      tokens_cached: 9,
      timings: {
        cache_n: 1,
        prompt_n: 2,
        prompt_ms: 40,
        prompt_per_token_ms: 20,
        prompt_per_second: 50,
        predicted_n: 7,
        predicted_ms: 90,
        predicted_per_token_ms: 90 / 7,
        predicted_per_second: 7000 / 90,
        draft_n: 3,
        draft_n_accepted: 5,
      },
      usage: {
        prompt_tokens: 3,
        completion_tokens: 7,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 1 },
      },
    });
  });

  it('report the seed and token limit in effect, or the values of llama.cpp for none', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one']]));
    const settings = async (body: object): Promise<unknown[]> => {
      const answer = await answerTo('/completion', { prompt: 'abc', ...body });
      const { seed, n_predict: limit } = at(answer, 'generation_settings') as Record<string, unknown>;
      return [seed, limit];
    };
    assert.deepEqual(await settings({}), [2 ** 32 - 1, -1]);
    assert.deepEqual(await settings({ n_predict: 4096, temperature: 1 }), [12_345, -1]);
    assert.deepEqual(await settings({ n_predict: 4095, seed: 8 }), [8, 4095]);
  });

  it('report a time per token of 0 when no token was requested', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one']]));
    const answer = await answerTo('/completion', { prompt: 'abc', n_predict: 0, return_tokens: true });
    assert.equal(at(answer, 'timings.predicted_per_token_ms'), 0);
    assert.deepEqual(at(answer, 'tokens'), []);
  });

  it('name the stop string that ended the output, not another one in its last token', async () => {
    served = await ScriptedServer.start(new CuttingEngine([['one, two.']]));
    const answer = await answerTo('/completion', { prompt: 'abc', stop: ['.', ','] });
    assert.deepEqual(
      ['content', 'stop_type', 'stopping_word'].map((field) => at(answer, field)),
      ['one', 'word', ','],
    );
  });

  it('have each token once when a client of llama.cpp requests tokens', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one', ' two']]));
    const body = { prompt: 'abc', return_tokens: true, n_cmpl: 2 };
    const tokens = [...'one two'].map((letter) => letter.charCodeAt(0));
    const choices = (await answerTo('/completion', body)) as unknown[];
    assert.deepEqual(
      choices.map((choice) => [at(choice, 'index'), at(choice, 'tokens')]),
      [0, 1].map((index) => [index, tokens]),
    );
    const events = await eventsTo('/completion', { ...body, n_cmpl: 1, n: 5 });
    assert.deepEqual(
      events.map((event) => [at(event, 'tokens'), at(event, 'stop')]),
      [
        [tokens.slice(0, 3), false],
        [tokens.slice(3), false],
        [[], true],
      ],
    );
  });

  it('have as many texts at /infill as the field n requests', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one', ' two']]));
    assert.equal(((await answerTo('/infill', { input_prefix: 'a ', n: 2 })) as unknown[]).length, 2);
  });

  it('have only those requested response fields that exist', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one', ' two']]));
    const picked = {
      response_fields: ['content', 'timings/none', 'prompt/length', 'content/0', 'timings/__proto__'],
    };
    assert.deepEqual(await answerTo('/completion', { prompt: 'abc', ...picked }), { content: 'one two' });
  });

  it('say whether the context ended the output, and refuse a prompt that fills it', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['four']]));
    for (const [length, isTruncated] of [
      [4091, false],
      [4092, true],
      [4095, true],
    ] as const)
      assert.equal(
        at(await answerTo('/completion', { prompt: 'x'.repeat(length) }), 'truncated'),
        isTruncated,
        String(length),
      );
    for (const [path, body, field] of [
      ['/completion', { prompt: 'x'.repeat(4096) }, 'prompt'],
      [CHAT, { messages: Array<object>(2048).fill({ role: 'assistant' }) }, 'messages'],
    ] as const)
      assert.deepEqual(await served.refusal(path, body), [400, 'context_length_exceeded', field]);
  });

  it('name the messages when the prompt of a conversation fills the context', async () => {
    served = await ScriptedServer.start(new ToolEngine([['Hi.']]));
    const messages = [{ role: 'user', content: 'x'.repeat(4096) }];
    assert.deepEqual(await served.refusal(CHAT, { messages }), [400, 'context_length_exceeded', 'messages']);
  });

  it('count the tokens of each prompt once, and those of each text', async () => {
    served = await ScriptedServer.start(new MeteredEngine([['one two']]));
    const { body } = await served.post(COMPLETIONS, { prompt: ['ab', 'c'], n: 2 });
    assert.deepEqual(at(body, 'usage'), {
      prompt_tokens: 3,
      completion_tokens: 28,
      total_tokens: 31,
      prompt_tokens_details: { cached_tokens: 2 },
    });
  });

  it('have an id, a time and a finish reason in each OpenAI event, and statistics in the last event', async () => {
    served = await ScriptedServer.start(new ScriptedEngine([['one', ' two']]));
    for (const [path, body, prefix, kind] of [
      [COMPLETIONS, { prompt: 'x' }, 'cmpl', 'text_completion'],
      ['/v1/fim/completions', { prompt: 'x ' }, 'fim', 'chat.completion.chunk'],
    ] as const) {
      const events = await eventsTo(path, body);
      assert.deepEqual(
        events.map((event) => at(event, 'choices.0.finish_reason')),
        [null, null, 'stop'],
      );
      assert.deepEqual(
        events.map((event) => typeof at(event, 'flashline')),
        ['undefined', 'undefined', 'object'],
      );
      assert.equal(new Set(events.map((event) => at(event, 'id'))).size, 1);
      const { id, created, object, model } = events[0] as Record<string, string | number>;
      assert.match(String(id), new RegExp(`^${prefix}-[0-9a-f-]{36}$`));
      assert.deepEqual([object, model], [kind, 'scripted']);
      assert.equal(new Date(1000 * Number(created)).getUTCFullYear(), new Date().getUTCFullYear());
      assert.notEqual(at((await eventsTo(path, body))[0], 'id'), id);
    }
    const last = (await eventsTo('/v1/fim/completions', { prompt: 'x ' })).at(-1);
    assert.equal(at(last, 'usage.completion_tokens'), 7);
    const { headers } = await served.send(COMPLETIONS, { prompt: 'x', stream: true });
    assert.equal(headers.get('cache-control'), 'no-cache');
  });

  it('keep the thinking, text and calls of the choices of a chat apart', async () => {
    const template = '{% for tool in tools %}{{ tool.function.name }}{% endfor %}</think>';
    const engine = new TemplateEngine(template, [
      ['<think>one</think>1'],
      ['2 <tool_call>{"name": "now", "arguments": {}}</tool_call>'],
    ]);
    served = await ScriptedServer.start(engine);
    const body = { messages: [QUESTION], tools: TOOLS, n: 2 };
    const choices = at((await served.post(CHAT, body)).body, 'choices') as unknown[];
    const facts = ['finish_reason', 'message.content', 'message.reasoning_content'];
    assert.deepEqual(
      choices.map((choice) => facts.map((path) => at(choice, path))),
      [
        ['stop', '1', 'one'],
        ['tool_calls', '2', undefined],
      ],
    );
    assert.equal(at(choices[0], 'message.tool_calls'), undefined);
    assert.equal(at(choices[1], 'message.tool_calls.0.function.name'), 'now');
    assert.deepEqual(await served.refusal(CHAT, { ...body, n: 129 }), [400, 'invalid_value', 'n']);
  });

  it('have no content in a chat that only calls functions, and one call if calls cannot be parallel', async () => {
    const call = '<tool_call>{"name": "now", "arguments": {}}</tool_call>';
    served = await ScriptedServer.start(new ToolEngine([[call, call]]));
    for (const [isParallel, count] of [
      [undefined, 2],
      [true, 2],
      [false, 1],
    ] as const) {
      const body = { messages: [QUESTION], tools: TOOLS, parallel_tool_calls: isParallel };
      const choice = await answerTo(CHAT, body);
      assert.equal(at(choice, 'message.content'), null);
      assert.equal((at(choice, 'message.tool_calls') as unknown[]).length, count);
      const [opening, ...events] = await eventsTo(CHAT, body);
      assert.deepEqual(at(opening, 'choices.0.delta'), { role: 'assistant', content: '' });
      const calls = at(events.at(-1), 'choices.0.delta.tool_calls') as unknown[];
      assert.deepEqual(
        calls.map((streamed) => at(streamed, 'index')),
        Array.from({ length: count }, (_, i) => i),
      );
    }
  });

  it('spell out the special tokens of calls and thinking in a chat only where the model can use them', async () => {
    const spelled = async (template: string, body: object = {}): Promise<unknown> => {
      const engine = new TemplateEngine(template, [['Hi.']]);
      const ids: Readonly<Record<string, number>> = { '<tool_call>': 7, '</tool_call>': 8, '<think>': 9 };
      engine.tokenizer.specialTokenId = (content) => ids[content];
      served = await ScriptedServer.start(engine);
      await answerTo(CHAT, { messages: [QUESTION], ...body });
      await served.server.stop(0);
      return engine.decodes[0]?.options.spelledTokenIds;
    };
    assert.deepEqual(await spelled('q{{ x }}'), []);
    assert.deepEqual(await spelled('q{{ tools }}', { tools: TOOLS }), [7, 8]);
    assert.deepEqual([...new Set((await spelled('</think>')) as number[])], [9]);
    assert.deepEqual(await spelled('q{{ x }}', { chat_template_kwargs: { x: 1 } }), [9]);
  });

  it('have log-probabilities in a chat only on request', async () => {
    served = await ScriptedServer.start(new ToolEngine([['Hi.']]));
    assert.equal(at(await answerTo(CHAT, { messages: [QUESTION], top_logprobs: 3 }), 'logprobs'), null);
    assert.equal(served.engine.decodes[0]?.options.sampling?.logprobs, undefined);
    await answerTo(CHAT, { messages: [QUESTION], logprobs: true, top_logprobs: 3 });
    assert.equal(served.engine.decodes[1]?.options.sampling?.logprobs, 3);
  });

  it('are counted in the metrics, with times in seconds', async () => {
    served = await ScriptedServer.start(new MeteredEngine([['one', ' two']]));
    await answerTo(COMPLETIONS, { prompt: 'abc' });
    await served.get('/v1/models/unknown');
    await served.get('/nowhere');
    const lines = String((await served.get('/metrics')).body).split('\n');
    for (const line of [
      'prompt_tokens_total 3',
      'reused_tokens_total 1',
      'output_tokens_total 7',
      'drafted_tokens_total{drafter="tiny"} 7',
      'accepted_tokens_total{drafter="tiny"} 5',
      'time_to_first_token_seconds_sum 0.04',
      'time_per_output_token_seconds_sum 0.025',
      'peak_memory_bytes 77',
      'requests_total{endpoint="/v1/completions",status="200"} 1',
      'requests_total{endpoint="other",status="404"} 2',
    ])
      assert.ok(lines.includes(`flashline_${line}`), `${line} in\n${lines.join('\n')}`);
  });
});
