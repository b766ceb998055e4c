// Tests POST /v1/completions: the same text as on the command line, with and without streaming, with the requested
// fields.
import assert from 'node:assert/strict';
import { flashline } from '../cli/flashline';
import { writeSmallTarget } from '../cli/smallTarget';
import { temporaryFolder } from '../support/temporaryFolder';
import { pairCases, shortPrompt } from '../support/embeddedPair';
import { at, eventsOf } from './answers';
import { ServedPair } from './servedPair';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PROMPT = 'def add(a, b):\n    return';
const path = '/v1/completions';
const CONTEXT = 512;

describe('/v1/completions', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start();
  });
  after(() => served.end());

  const textOf = async (body: object): Promise<unknown> =>
    at((await served.post(path, { prompt: PROMPT, ...body })).body, 'choices.0.text');

  it('returns the text of flashline generate for the same token ids and options', async () => {
    const bodies = [
      { maxTokens: 24 },
      { maxTokens: 32, stop: ['return', '\n\n'] },
      {
        maxTokens: 16,
        temperature: 1,
        seed: 3,
        topP: 0.9,
        minP: 0.02,
        topK: 20,
        repetitionPenalty: 1.3,
        presencePenalty: 0.5,
        frequencyPenalty: 0.2,
        penaltyWindow: 40,
        logitBias: [[16, 30]],
        forbiddenTokens: [275],
      },
    ].map((fields, i) => ({ ...fields, promptIds: shortPrompt(i, 64) }));
    const file = join(temporaryFolder(), 'batch.jsonl');
    writeFileSync(file, bodies.map((fields) => JSON.stringify(fields)).join('\n'));
    const { stdout, code } = await flashline(['generate', '--batch', file, '--device', 'cpu']);
    assert.equal(code, 0);
    const lines = stdout.trim().split('\n');
    for (const [i, { promptIds, ...fields }] of bodies.entries()) {
      const { body } = await served.post(path, { prompt: promptIds, ...wireOf(fields) });
      const expected = JSON.parse(lines[i] ?? '') as { text: string; stats: { emittedTokens: number } };
      assert.equal(at(body, 'choices.0.text'), expected.text, lines[i]);
      assert.equal(at(body, 'usage.completion_tokens'), expected.stats.emittedTokens);
    }
  });

  it('streams the same text that it returns without streaming', async () => {
    for (const options of [{}, { temperature: 1, seed: 5 }, { stop: 'test' }, { logprobs: 1 }]) {
      const fields = { prompt: PROMPT, max_tokens: 20, ...options };
      const answer = (await served.post(path, fields)).body;
      const response = await served.send(path, { ...fields, stream: true });
      assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
      const { events, isDone } = await eventsOf(response);
      const choices = events.map((event) => at(event, 'choices.0'));
      assert.equal(choices.map((choice) => at(choice, 'text')).join(''), at(answer, 'choices.0.text'));
      assert.equal(at(choices.at(-1), 'finish_reason'), at(answer, 'choices.0.finish_reason'));
      const tokens = choices.flatMap((choice) => at(choice, 'logprobs.tokens') ?? []);
      assert.deepEqual(tokens, at(answer, 'choices.0.logprobs.tokens') ?? []);
      assert.equal(isDone, true);
    }
  });

  it('counts tokens, and ends a stream with the usage on request', async () => {
    const fields = { prompt: PROMPT, max_tokens: 4 };
    const { body } = await served.post(path, fields);
    const usage = at(body, 'usage') as Record<string, number>;
    assert.equal(usage['prompt_tokens'], served.engine.encodePrompt(PROMPT).length);
    assert.deepEqual(
      [usage['completion_tokens'], usage['total_tokens']],
      [4, (usage['prompt_tokens'] ?? 0) + 4],
    );
    const streamed = { ...fields, stream: true, stream_options: { include_usage: true } };
    const { events } = await eventsOf(await served.send(path, streamed));
    assert.deepEqual(at(events.at(-1), 'choices'), []);
    assert.equal(at(events.at(-1), 'usage.completion_tokens'), 4);
    assert.ok(events.slice(0, -1).every((event) => at(event, 'usage') === null));
  });

  it('sends the usage so far with each event on request', async () => {
    for (const [endpoint, fields] of [
      [path, { prompt: PROMPT }],
      ['/v1/chat/completions', { messages: [{ role: 'user', content: PROMPT }] }],
    ] as const) {
      const stream_options = { include_usage: true, continuous_usage_stats: true };
      const body = { ...fields, max_tokens: 12, stream: true, stream_options };
      const { events } = await eventsOf(await served.send(endpoint, body));
      const reports = events.filter((event) => at(event, 'usage') !== null);
      const counts = reports.map((event) => at(event, 'usage.completion_tokens') as number);
      assert.ok(counts.length > 3 && (counts[0] ?? 12) < 12, counts.join());
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
      assert.equal(counts.at(-1), 12);
      assert.ok(reports.slice(0, -1).every((event) => typeof at(event, 'flashline.rounds') === 'number'));
    }
  });

  it('reuses the cached prompt of an equal request', async () => {
    const prompt = pairCases[0]?.prompt_ids.slice(0, 120);
    const first = await served.post(path, { prompt, max_tokens: 6 });
    const again = await served.post(path, { prompt, max_tokens: 6 });
    assert.equal(at(again.body, 'usage.prompt_tokens_details.cached_tokens'), 119);
    assert.equal(at(again.body, 'choices.0.text'), at(first.body, 'choices.0.text'));
    const fresh = await served.post(path, { prompt, max_tokens: 6, cache_prompt: false });
    assert.equal(at(fresh.body, 'usage.prompt_tokens_details.cached_tokens'), 0);
    assert.equal(at(fresh.body, 'choices.0.text'), at(first.body, 'choices.0.text'));
  });

  it('accepts the fields that agents and clients of other servers send, within limits', async () => {
    const bodies = [
      { prompt: PROMPT, max_tokens: 131_072, stop: '\n' },
      { max_tokens: 2, stop: '' },
      { max_tokens: 2, stop: ['', '='] },
      { max_tokens: 2, temperature: 1, seed: -5 },
      { max_tokens: 2, model: 'google/gemini-2.5-flash' },
    ];
    for (const fields of bodies) {
      const { status, body } = await served.post(path, { prompt: 'x = ', ...fields });
      assert.deepEqual([status, at(body, 'model')], [200, 'embedded'], JSON.stringify(fields));
    }
    const drawn = async (seed: number): Promise<unknown> => {
      const fields = { prompt: 'x = ', max_tokens: 12, temperature: 2, seed };
      return at((await served.post(path, fields)).body, 'choices.0.text');
    };
    const negative = await drawn(-5);
    assert.equal(negative, await drawn(2 ** 32 - 5), 'the lowest 32 bits of a seed count');
    assert.notEqual(negative, await drawn(5));
    const question = { role: 'user', content: 'x' };
    const interrupted = { messages: [question, { role: 'assistant' }, question], max_tokens: 2 };
    assert.equal((await served.post('/v1/chat/completions', interrupted)).status, 200);
    const stop = (count: number): string[] => Array.from({ length: count }, (_, i) => i.toString(36));
    const stops = (count: number) => ({ prompt: 'x', max_tokens: 1, stop: stop(count) });
    assert.equal((await served.post(path, stops(139_000))).status, 200);
    assert.equal((await served.post(path, '{"prompt":"x = ","max_tokens":1e999,"stop":"\\n"}')).status, 200);
    const objects = `{"prompt":"x","a":[${'{},'.repeat(90_000)}0]}`;
    assert.match(String(at((await served.post(path, objects)).body, 'error.message')), /Send fewer/);
    assert.match(String(at((await served.post(path, stops(141_000))).body, 'error.message')), /Send fewer/);
  });

  it('answers at the paths without /v1 that clients use', async () => {
    const fields = { prompt: PROMPT, max_tokens: 6 };
    const text = at((await served.post(path, fields)).body, 'choices.0.text');
    assert.equal(at((await served.post('/completions', fields)).body, 'choices.0.text'), text);
    const llama = (await served.post('/completion', { prompt: PROMPT, n_predict: 6 })).body;
    assert.deepEqual([at(llama, 'content'), at(llama, 'stop_type')], [text, 'limit']);
    const messages = [{ role: 'user', content: 'x' }];
    const chat = await served.post('/chat/completions', { messages, max_tokens: 1 });
    assert.equal(at(chat.body, 'object'), 'chat.completion');
    const prompt = at((await served.post('/apply-template', { messages })).body, 'prompt');
    assert.equal(prompt, '<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n');
    assert.equal(at((await served.get('/models')).body, 'data.0.id'), 'embedded');
  });

  it('returns several texts for several prompts in order, each with its own seed', async () => {
    const prompt = [PROMPT, 'class Stack:\n'];
    const fields = { max_tokens: 8, temperature: 1, seed: 11 };
    const { body } = await served.post(path, { ...fields, prompt, n: 2 });
    const single = async (text: string, seed: number) =>
      at((await served.post(path, { ...fields, prompt: text, seed })).body, 'choices.0.text');
    const expected = [];
    for (const text of prompt) for (const seed of [11, 12]) expected.push(await single(text, seed));
    assert.equal((at(body, 'flashline.choices') as unknown[]).length, 4);
    const ids = prompt.map((text) => served.engine.encodePrompt(text));
    const byIds = await served.post(path, { ...fields, prompt: ids, n: 2 });
    for (const choices of [at(body, 'choices'), at(byIds.body, 'choices')])
      assert.deepEqual(
        (choices as unknown[]).map((choice) => [at(choice, 'index'), at(choice, 'text')]),
        [...expected.entries()],
      );
  });

  it('infills the same text between CRLF lines as between LF lines, and keeps the line ends', async () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const [prompt, suffix] = ['function stack() {\n  const items = [];\n  return {\n', '};\n}\n'];
    const fields = { suffix, max_tokens: 24, n: 2, stream: false };
    const { body } = await served.post(path, { ...fields, prompt: [prompt, crlf(prompt)] });
    const texts = (at(body, 'choices') as unknown[]).map((choice) => at(choice, 'text') as string);
    assert.match(texts[0] ?? '', /\n./);
    assert.deepEqual(texts, [texts[0], texts[0], crlf(texts[0] ?? ''), crlf(texts[0] ?? '')]);
    const stopped = await served.post(path, { ...fields, n: 1, prompt: crlf(prompt), stop: ['\r\n'] });
    assert.equal(at(stopped.body, 'choices.0.text'), /^.*/.exec(texts[0] ?? '')?.[0]);
  });

  it('echoes the prompt with the log-probabilities of its tokens', async () => {
    assert.equal(await textOf({ echo: true, max_tokens: 0 }), PROMPT);
    const fields = { max_tokens: 3, echo: true, logprobs: 2 };
    const answer = (await served.post(path, { prompt: PROMPT, ...fields })).body;
    const logprobs = at(answer, 'choices.0.logprobs') as Record<string, unknown[]>;
    const ids = served.engine.encodePrompt(PROMPT);
    assert.equal(logprobs['tokens']?.length, ids.length + 3);
    assert.equal(logprobs['tokens'].join(''), at(answer, 'choices.0.text'));
    assert.deepEqual([logprobs['token_logprobs']?.[0], logprobs['top_logprobs']?.[0]], [null, null]);
    // The echoed log-probabilities must equal those of a decode.
    const prefix = ids.slice(0, 4);
    const { body } = await served.post(path, { prompt: prefix, max_tokens: 1, logprobs: 2 });
    const decoded = at(body, 'choices.0.logprobs.top_logprobs.0') as Record<string, number>;
    const echoed = logprobs['top_logprobs']?.[4] as Record<string, number>;
    for (const [token, logprob] of Object.entries(decoded))
      assert.ok(Math.abs((echoed[token] ?? NaN) - logprob) < 1e-4, token);
    const offsets = logprobs['text_offset'] as number[];
    assert.equal(
      offsets.at(-1),
      (at(answer, 'choices.0.text') as string).length - String(logprobs['tokens'].at(-1)).length,
    );
  });

  it('refuses unknown token ids before it spells out the prompt', async () => {
    const { tokenizer = assert.fail() } = served.engine;
    const bytes = tokenizer.bytes.bind(tokenizer);
    const ids: number[] = [];
    tokenizer.bytes = (id, special) => {
      ids.push(id);
      return bytes(id, special);
    };
    const { status } = await served.post(path, { prompt: [1, 2 ** 40], echo: true });
    tokenizer.bytes = bytes;
    assert.deepEqual([status, ids], [400, []]);
  });

  it('reports token offsets in a text whose characters span several tokens', async () => {
    const prompt = 'print("😀 héllo 日本語")\nprint("😀")\n';
    const ids = served.engine.encodePrompt(prompt);
    // An output of two characters, with four and three bytes.
    const favoured = served.engine.encodePrompt('😀日');
    assert.ok(favoured.length > 4);
    const biased = favoured.map((id) => [id, 100]);
    for (const options of [{ echo: true }, { echo: true, prompt: ids }, {}, { stop: '日' }]) {
      const fields = { prompt, max_tokens: 7, logprobs: 3, logit_bias: biased, ...options };
      const joinedText = (choices: readonly unknown[]) =>
        choices.map((choice) => at(choice, 'text')).join('');
      const answer = at((await served.post(path, fields)).body, 'choices.0');
      const { events } = await eventsOf(await served.send(path, { ...fields, stream: true }));
      const pieces = events.map((event) => at(event, 'choices.0'));
      assert.equal(joinedText(pieces), joinedText([answer]));
      for (const choices of [[answer], pieces]) {
        const fieldValues = (name: string): unknown[] =>
          choices.flatMap((choice) => (at(choice, `logprobs.${name}`) as unknown[] | undefined) ?? []);
        const tokens = fieldValues('tokens') as string[];
        const joined = tokens.join('');
        assert.ok(
          joined.startsWith(joinedText(choices).replace(/\uFFFD+$/, '')),
          `${joined} for ${joinedText(choices)}`,
        );
        assert.equal(joined.includes('\uFFFD'), false, joined);
        for (const [i, offset] of fieldValues('text_offset').entries())
          assert.ok(
            [...joined]
              .slice(offset as number)
              .join('')
              .startsWith(tokens[i] ?? ''),
            String(offset),
          );
        for (const [i, top] of fieldValues('top_logprobs').entries())
          if (top !== null)
            assert.equal((top as Record<string, number>)[tokens[i] ?? ''], fieldValues('token_logprobs')[i]);
      }
    }
  });
});

describe('/v1/completions at the end of the context', () => {
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start({}, { targetDirectory: writeSmallTarget({ context: CONTEXT }) });
  });
  after(() => served.end());

  it('fills the context when there is no token limit', async () => {
    const prompt = Array.from({ length: CONTEXT - 20 }, (_, i) => 40 + (i % 90));
    const { body } = await served.post(path, { prompt, max_tokens: -1 });
    assert.equal(at(body, 'usage.total_tokens'), CONTEXT);
  });

  it('stops encoding a text as soon as it is known to be too long', async () => {
    const { tokenizer } = served.engine;
    assert.ok(tokenizer);
    const lengths: number[] = [];
    const encoders = {
      encodePrompt: tokenizer.encodePrompt.bind(tokenizer),
      encodeText: tokenizer.encodeText.bind(tokenizer),
    };
    for (const [name, encode] of Object.entries(encoders))
      Object.assign(tokenizer, {
        [name]: (text: string) => {
          lengths.push(text.length);
          return encode(text);
        },
      });
    const long = 'x = 1\n'.repeat(30_000);
    const file = { filename: 'x.py', text: long };
    const refused: [string, object][] = [
      [path, { prompt: long }],
      ['/v1/chat/completions', { messages: [{ role: 'user', content: long }] }],
    ];
    for (const [to, body] of refused)
      assert.equal(at((await served.post(to, body)).body, 'error.code'), 'context_length_exceeded', to);
    const cut = { input_prefix: long, input_suffix: long, input_extra: [file], n_predict: 1 };
    assert.equal(at((await served.post('/infill', cut)).body, 'truncated'), true);
    assert.ok(lengths.length > 4 && Math.max(...lengths) < 80_000, lengths.join());
    Object.assign(tokenizer, encoders);
  });
});

/** Renames the fields of a batch line to those of HTTP. */
function wireOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { penaltyWindow, logitBias, forbiddenTokens = [], ...rest } = fields;
  const snake = Object.entries(rest).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  const bans = (forbiddenTokens as number[]).map((id) => [id, false]);
  return {
    ...(Object.fromEntries(snake) as object),
    ...(penaltyWindow !== undefined && { repeat_last_n: penaltyWindow }),
    ...(logitBias !== undefined && { logit_bias: [...(logitBias as unknown[]), ...bans] }),
  };
}
