// Tests how the fields of a body become a decode: names and special values of other servers, which of several fields
// wins, and the defaults of each endpoint. A scripted engine records the decodes.
import assert from 'node:assert/strict';
import type { DecodeRequest } from '../../server/engine/decode/decode';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { ToolEngine } from '../lsp/toolEngine';
import { ScriptedServer } from './scriptedServer';

const COMPLETIONS = '/v1/completions';
const CHAT = '/v1/chat/completions';
const QUESTION = { role: 'user', content: 'q' };
const UNLIMITED = 100_000;
/** End tokens of a hole, with <|im_end|> as token 3. */
const FIM_ENDS = [65_536, 65_537, 65_538, 65_539, 3];
/** Fields of other servers that would change the text. */
const UNSUPPORTED = [
  ...[
    'functions',
    'grammar',
    'json_schema',
    'ebnf',
    'regex',
    'structured_outputs',
    'guided_json',
    'guided_regex',
  ],
  ...['guided_choice', 'guided_grammar', 'allowed_token_ids', 'bad_words', 'min_tokens'],
  ...['include_stop_str_in_output', 'use_beam_search'],
];

type Expected = Partial<Omit<DecodeRequest, 'signal' | 'ticket'>>;

describe('fields of a body', () => {
  let served: ScriptedServer;
  afterEach(() => served.server.stop(0));

  /** Requests a text; returns the options of its decode that are not undefined. */
  const decodeOf = async (path: string, body: object): Promise<Expected> => {
    const { status, body: answer } = await served.post(path, body);
    assert.equal(status, 200, JSON.stringify(answer));
    const options = Object.entries(served.engine.decodes.at(-1)?.options ?? assert.fail());
    const isGiven = ([name, value]: [string, unknown]): boolean =>
      value !== undefined && name !== 'signal' && name !== 'ticket';
    return Object.fromEntries(options.filter(isGiven));
  };

  it('are read by the names and special values of OpenAI, vLLM and llama.cpp', async () => {
    served = await ScriptedServer.start();
    const defaults = {
      maxTokens: 16,
      sampling: {},
      stopTokenIds: [],
      fresh: false,
      kind: 'generate',
      draftLength: 'full',
    } as const;
    const sampling = (options: DecodeRequest['sampling']): Expected => ({ sampling: options });
    const cases: readonly (readonly [body: object, expected: Expected])[] = [
      [{}, {}],
      [{ max_completion_tokens: 4, max_tokens: 5, n_predict: 6 }, { maxTokens: 4 }],
      [{ max_tokens: 5, n_predict: 6 }, { maxTokens: 5 }],
      [{ n_predict: 6 }, { maxTokens: 6 }],
      [{ max_tokens: -1 }, { maxTokens: UNLIMITED }],
      [{ max_tokens: 10 * UNLIMITED }, { maxTokens: UNLIMITED }],
      [{ max_tokens: null, stop: null, temperature: null, seed: null }, {}],
      [{ stop: ['', 'a', 'b'] }, { stopStrings: ['a', 'b'] }],
      [{ stop: 'a' }, { stopStrings: ['a'] }],
      [{ stop: '' }, {}],
      [{ stop_token_ids: [7] }, { stopTokenIds: [7] }],
      [{ cache_prompt: false }, { fresh: true }],
      [{ top_k: -1, top_p: 0, min_p: -1 }, sampling({ topK: 0, topP: 1e-9, minP: 0 })],
      [{ top_k: 3, top_p: 0.5, min_p: 0.1 }, sampling({ topK: 3, topP: 0.5, minP: 0.1 })],
      [{ repetition_penalty: 1.2, repeat_penalty: 1.5 }, sampling({ repetitionPenalty: 1.2 })],
      [{ repeat_penalty: 1.5, repeat_last_n: -1 }, sampling({ repetitionPenalty: 1.5, penaltyWindow: 1e6 })],
      [{ presence_penalty: 1, frequency_penalty: 2 }, sampling({ presencePenalty: 1, frequencyPenalty: 2 })],
      [{ seed: -1 }, {}],
      [{ seed: -2, temperature: 1 }, sampling({ seed: 2 ** 32 - 2, temperature: 1 })],
      [{ logprobs: 2, top_logprobs: 3, n_probs: 4 }, sampling({ logprobs: 2 })],
      [{ top_logprobs: 3, n_probs: 4 }, sampling({ logprobs: 3 })],
      [{ n_probs: 4, top_logprobs: true, logprobs: false }, sampling({ logprobs: 4 })],
      [
        { logit_bias: { 5: 1, 7: -2 } },
        sampling({
          logitBias: [
            [5, 1],
            [7, -2],
          ],
          forbiddenTokens: [],
        }),
      ],
      [
        {
          logit_bias: [
            [5, 1],
            [6, false],
            [5, 2],
          ],
        },
        sampling({ logitBias: [[5, 2]], forbiddenTokens: [6] }),
      ],
      [{ grammar: '', json_schema: null, functions: null }, {}],
      [{ ignore_eos: false, min_tokens: 0, bad_words: [], functions: [], guided_json: null }, {}],
      [{ stream_options: { include_usage: null }, response_format: { type: 'text', schema: null } }, {}],
    ];
    for (const [body, expected] of cases)
      assert.deepEqual(
        await decodeOf(COMPLETIONS, { prompt: 'x', ...body }),
        { ...defaults, ...expected },
        JSON.stringify(body),
      );
  });

  it('give several texts consecutive seeds, which continue with 0 after the largest', async () => {
    served = await ScriptedServer.start();
    const { status } = await served.post(COMPLETIONS, { prompt: 'x', n: 3, temperature: 1, seed: -2 });
    assert.equal(status, 200);
    const seeds = served.engine.decodes.map(({ options }) => options.sampling?.seed);
    assert.deepEqual(seeds.toSorted(), [0, 2 ** 32 - 2, 2 ** 32 - 1]);
  });

  it('have the defaults of their endpoint', async () => {
    const engine = new ToolEngine([['Hi.']]);
    const specialTokenId = engine.tokenizer.specialTokenId.bind(engine.tokenizer);
    engine.tokenizer.specialTokenId = (content) => (content === '<|im_end|>' ? 3 : specialTokenId(content));
    served = await ScriptedServer.start(engine);
    const defaults = { maxTokens: UNLIMITED, sampling: {}, fresh: false, draftLength: 'full' } as const;
    const inline = { ...defaults, kind: 'inline', repetitionGuard: true } as const;
    const generate = { ...defaults, kind: 'generate', stopTokenIds: [] } as const;
    for (const [path, body, expected] of [
      [CHAT, { messages: [QUESTION] }, { ...generate, stopTokenIds: [3], spelledTokenIds: [] }],
      [
        CHAT,
        { messages: [QUESTION], stop_token_ids: [9] },
        { ...generate, stopTokenIds: [3, 9], spelledTokenIds: [] },
      ],
      ['/completion', { prompt: 'x' }, { ...generate, repetitionGuard: true }],
      ['/completion', { prompt: 'x', n_predict: -1 }, { ...generate, repetitionGuard: true }],
      ['/completion', { prompt: 'x', n_predict: 5 }, { ...generate, maxTokens: 5 }],
      ['/infill', { input_prefix: 'x ' }, { ...inline, stopTokenIds: FIM_ENDS }],
      [
        '/infill',
        { input_prefix: 'x ', stop_token_ids: [9], stop: ['\r\n'] },
        { ...inline, stopTokenIds: [...FIM_ENDS, 9], stopStrings: ['\n'] },
      ],
      [
        '/v1/fim/completions',
        { prompt: 'x ', random_seed: 3, seed: 5 },
        { ...inline, stopTokenIds: FIM_ENDS, sampling: { seed: 3 } },
      ],
      [
        '/v1/fim/completions',
        { prompt: 'x ', seed: 5 },
        { ...inline, stopTokenIds: FIM_ENDS, sampling: { seed: 5 } },
      ],
    ] as const)
      assert.deepEqual(await decodeOf(path, body), expected, JSON.stringify([path, body]));
  });

  it('forbid the end tokens of the model with ignore_eos', async () => {
    const engine = new ToolEngine([['Hi.']]);
    const specialTokenId = engine.tokenizer.specialTokenId.bind(engine.tokenizer);
    engine.tokenizer.specialTokenId = (content) => (content === '<|im_end|>' ? 3 : specialTokenId(content));
    // Configs can list an end token beyond the vocabulary.
    Object.assign(engine.config, { eosTokenIds: [5, 6, 1_000_000] });
    served = await ScriptedServer.start(engine);
    const forbidden = async (path: string, fields: object) =>
      (await decodeOf(path, { prompt: 'x', messages: [QUESTION], ...fields })).sampling?.forbiddenTokens;
    const logit_bias = [[7, false]];
    assert.deepEqual(await forbidden(COMPLETIONS, { ignore_eos: true }), [5, 6]);
    assert.deepEqual(await forbidden(COMPLETIONS, { ignore_eos: false, logit_bias }), [7]);
    assert.deepEqual(await forbidden(CHAT, { ignore_eos: true, logit_bias }), [7, 5, 6, 3]);
    const ends = [5, 6, ...FIM_ENDS];
    assert.deepEqual(await forbidden(COMPLETIONS, { suffix: 'y', ignore_eos: true }), ends);
    assert.deepEqual(await forbidden('/infill', { input_prefix: 'x ', ignore_eos: true }), ends);
    assert.deepEqual(await forbidden('/v1/fim/completions', { ignore_eos: true }), ends);
  });

  it('are refused if they would change the text but are not supported', async () => {
    served = await ScriptedServer.start();
    const refusal = (path: string, fields: object) =>
      served.refusal(path, { prompt: 'x', messages: [QUESTION], ...fields });
    for (const path of [COMPLETIONS, CHAT, '/infill', '/completion', '/v1/fim/completions']) {
      for (const field of UNSUPPORTED)
        assert.deepEqual(
          await refusal(path, { [field]: ['x'] }),
          [400, 'unsupported_parameter', field],
          path,
        );
      assert.deepEqual(await refusal(path, { response_format: { type: 'json_object' } }), [
        400,
        'invalid_value',
        'response_format.type',
      ]);
    }
    for (const [field, fields] of [
      ['continue_final_message', { continue_final_message: true }],
      ['messages[0].prefix', { messages: [{ role: 'assistant', content: 'x', prefix: true }] }],
    ] as const)
      assert.deepEqual(await refusal(CHAT, fields), [400, 'unsupported_parameter', field]);
    const echo = { prompt: 'x', echo: true, logprobs: 1, suffix: 'y' };
    assert.deepEqual(await served.refusal(COMPLETIONS, echo), [400, 'unsupported_parameter', 'echo']);
    assert.deepEqual(served.engine.decodes, []);
  });

  it('are refused by name when a list has 300,000 wrong elements', async () => {
    served = await ScriptedServer.start();
    const wrong = Array<number>(300_000).fill(1);
    const turn = (fields: object) => ({ messages: [{ role: 'assistant', content: 'x', ...fields }] });
    for (const [path, body, field] of [
      [CHAT, { messages: wrong }, 'messages[0]'],
      [CHAT, turn({ content: wrong }), 'messages[0].content'],
      [CHAT, turn({ tool_calls: wrong }), 'messages[0].tool_calls[0]'],
      [CHAT, { messages: [QUESTION], tools: wrong }, 'tools'],
      ['/completion', { prompt: 'x', response_fields: wrong }, 'response_fields[0]'],
      ['/infill', { input_extra: wrong }, 'input_extra[0]'],
    ] as const)
      assert.deepEqual(await served.refusal(path, body), [400, 'invalid_value', field]);
  });

  it('join the parts of a prompt at /completion, and add start tokens only if the first part is a text', async () => {
    const engine = new ScriptedEngine();
    engine.tokenizer.encodePrompt = (text) => [1, ...engine.tokenizer.encodeText(text)];
    served = await ScriptedServer.start(engine);
    await decodeOf('/completion', { prompt: ['a', 66, 'c'] });
    assert.deepEqual(engine.decodes.at(-1)?.promptIds, [1, 97, 66, 99]);
    await decodeOf('/completion', { prompt: [66, 'c'] });
    assert.deepEqual(engine.decodes.at(-1)?.promptIds, [66, 99]);
  });
});
