// Tests POST /infill with bodies of llama.vscode and llama.vim, written by hand from the fields that these send.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Decode } from '../../server/engine/decode/decode';
import { at, eventsOf } from './answers';
import { ServedPair } from './servedPair';

const PREFIX = 'export function add(a: number, b: number): number {\n';
const SUFFIX = '\n}\n\nexport function subtract(a: number, b: number): number {\n  return a - b;\n}\n';
const EXTRA = [{ text: 'export const ZERO = 0;\n', time: 12345, filename: 'src/zero.ts' }];

/** Fields of llama.vscode's requests, for suggestions and for reading context ahead. */
const VSCODE = {
  input_prefix: PREFIX,
  input_suffix: SUFFIX,
  input_extra: EXTRA,
  prompt: '  return',
  n_predict: 24,
  top_k: 40,
  top_p: 0.99,
  stream: false,
  samplers: ['top_k', 'top_p', 'infill'],
  cache_prompt: true,
  n_indent: 2,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 2500,
};
const VSCODE_CONTEXT = {
  input_prefix: '',
  input_suffix: '',
  input_extra: EXTRA,
  prompt: '',
  n_predict: 0,
  samplers: [],
  cache_prompt: true,
  t_max_prompt_ms: 500,
  t_max_predict_ms: 1,
};
const TIMINGS = ['prompt', 'predicted'].flatMap((phase) =>
  ['n', 'ms', 'per_token_ms', 'per_second'].map((name) => `${phase}_${name}`),
);
/** Code that lacks the two lines between the opening line of `subtract` and the next function. */
const WITHOUT_BODY = {
  input_prefix: `${PREFIX}  return a + b;\n}\n\nexport function subtract(a: number, b: number): number {\n`,
  input_suffix: '\n\nexport function multiply(a: number, b: number): number {\n  return a * b;\n}\n',
  n_predict: 40,
};
const VIM = {
  ...VSCODE,
  id_slot: 0,
  stop: [],
  top_p: 0.9,
  t_max_predict_ms: 500,
  response_fields: ['content', ...TIMINGS.map((name) => `timings/${name}`), 'truncated', 'tokens_cached'],
};

describe('/infill', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start();
  });
  after(() => served.end());

  const infill = async (body: object): Promise<unknown> => {
    const answer = await served.post('/infill', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  it('answers llama.vscode with the fields that it reads', async () => {
    const body = await infill(VSCODE);
    assert.match(at(body, 'content') as string, /^ ?a \+ b;?$/m);
    assert.equal(at(body, 'stop'), true);
    assert.equal(at(body, 'truncated'), false);
    assert.equal(at(body, 'generation_settings.n_ctx'), 2048);
    assert.equal(typeof at(body, 'tokens_cached'), 'number');
    for (const name of TIMINGS) assert.equal(typeof at(body, `timings.${name}`), 'number', name);
    assert.equal(at(body, 'timings.predicted_n'), at(body, 'tokens_predicted'));
    assert.equal(at(body, 'generation_settings.top_k'), 40);
    assert.match(at(body, 'prompt') as string, /ZERO[^]* {2}return<\|fim_middle\|>$/);
    assert.equal(served.decodes.at(-1)?.request.kind, 'inline');
  });

  it('reads the prompt that llama.vscode sends ahead, and generates nothing', async () => {
    const body = await infill(VSCODE_CONTEXT);
    assert.deepEqual([at(body, 'content'), at(body, 'timings.predicted_n')], ['', 0]);
    const more = { ...VSCODE_CONTEXT, input_extra: [...EXTRA, ...EXTRA, ...EXTRA] };
    const read = await infill(more);
    assert.equal(served.decodes.at(-1)?.request.kind, 'prefetch');
    assert.equal(at(read, 'tokens_cached'), at(read, 'tokens_evaluated'));
    const after = await infill({ ...more, n_predict: 4 });
    assert.ok((at(after, 'timings.cache_n') as number) > 16, JSON.stringify(at(after, 'timings')));
  });

  it('answers llama.vim with the response fields that it lists', async () => {
    const body = await infill(VIM);
    assert.deepEqual(Object.keys(body as object), VIM.response_fields);
    assert.equal(at(body, 'content'), at(await infill({ ...VSCODE, t_max_predict_ms: 0 }), 'content'));
  });

  it("answers clients of Mistral's FIM API, with and without streaming", async () => {
    const [prompt, suffix] = ['export function add(a: number, b: number) {\n  return a +', ';\n}\n'];
    const fields = { model: 'codestral', prompt, suffix, max_tokens: 6, random_seed: 1, stream: false };
    const expected = at(
      await infill({ input_prefix: prompt, input_suffix: suffix, n_predict: 6 }),
      'content',
    );
    const { body } = await served.post('/v1/fim/completions', fields);
    assert.equal(at(body, 'choices.0.message.content'), expected);
    assert.equal(served.decodes.at(-1)?.request.kind, 'inline');
    const stream = await (await served.send('/fim/completions', { ...fields, stream: true })).text();
    const events = stream.split('\n\n').filter((event) => event.startsWith('data: {'));
    const deltas = events.map((event) => at(JSON.parse(event.slice(6)), 'choices.0.delta.content'));
    assert.equal(deltas.join(''), expected);
  });

  it('adds no secret file to the prompt, neither as the current nor as an extra file', async () => {
    const key = '-----BEGIN EC PRIVATE KEY-----\nhunter2\n';
    const promptOf = async (body: object): Promise<string> => {
      await infill({ n_predict: 4, input_prefix: 'TOKEN=', ...body });
      return served.engine.tokenizer?.decode(served.decodes.at(-1)?.promptIds ?? []) ?? '';
    };
    for (const filename of ['.env', 'file:///w/%2Eenv', 'C:\\w\\.npmrc']) {
      const extra = [
        { filename, text: 'TOKEN=hunter2\n' },
        { filename: 'a.ts', text: 'const plain = 1;\n' },
      ];
      const prompt = await promptOf({ input_extra: extra });
      assert.ok(prompt.includes('plain') && !prompt.includes('hunter2'), filename);
      const body = { input_prefix: 'TOKEN=hunter2\nTOKEN=', filename, n_predict: 8, stream: false };
      assert.doesNotMatch(await promptOf(body), /hunter2|TOKEN/, filename);
      assert.equal(at(await infill(body), 'content'), '', filename);
    }
    assert.doesNotMatch(await promptOf({ input_extra: [{ filename: 'notes.txt', text: key }] }), /hunter2/);
    for (const part of ['input_prefix', 'input_suffix', 'prompt'])
      assert.doesNotMatch(await promptOf({ [part]: key }), /hunter2/, part);
  });

  it('returns several texts to llama.vscode, the most probable first', async () => {
    const open = { ...VSCODE, prompt: '  const names = [', t_max_predict_ms: 0 };
    const list = (await infill({ ...open, n_cmpl: 3, n: 2 })) as unknown[];
    assert.deepEqual(
      list.map((choice) => at(choice, 'index')),
      [0, 1, 2],
    );
    const texts = list.map((choice) => at(choice, 'content'));
    assert.equal(texts[0], at(await infill(open), 'content'));
    assert.ok(new Set(texts).size > 1, JSON.stringify(texts));
    const again = (await infill({ ...open, n_cmpl: 3 })) as unknown[];
    assert.deepEqual(
      again.map((choice) => at(choice, 'content')),
      texts,
      'equal requests return equal texts',
    );
    const sampling = { top_p: undefined, temperature: 0.5, seed: 3 };
    const sampled = (await infill({ ...open, ...sampling, n_cmpl: 2 })) as unknown[];
    assert.deepEqual(
      sampled.map((choice) =>
        ['temperature', 'seed', 'top_p'].map((name) => at(choice, `generation_settings.${name}`)),
      ),
      [
        [0.5, 3, 1],
        [0.5, 4, 1],
      ],
    );
  });

  it('completes a partly typed word, as /v1/completions does, and repeats none of the typed part', async () => {
    const typed =
      'function total(items) {\n  let sum = 0;\n  for (const item of items) sum += item.price;\n  retu';
    const fields = { input_prefix: typed, input_suffix: '\n}\n', n_predict: 6 };
    const answer = await infill(fields);
    assert.match(at(answer, 'content') as string, /^rn\b/);
    const inParts = await infill({ ...fields, input_prefix: typed.slice(0, -4), prompt: typed.slice(-4) });
    assert.equal(at(inParts, 'content'), at(answer, 'content'));
    const { body } = await served.post('/v1/completions', { prompt: typed, suffix: '\n}\n', max_tokens: 6 });
    assert.equal(at(body, 'choices.0.text'), at(answer, 'content'));
    const probable = await infill({ ...fields, n_probs: 1 });
    assert.equal(at(probable, 'content'), at(answer, 'content'));
    const { events } = await eventsOf(await served.send('/infill', { ...fields, n_probs: 1, stream: true }));
    for (const answers of [[probable], events]) {
      const probabilities = answers.flatMap(
        (part) => (at(part, 'completion_probabilities') ?? []) as unknown[],
      );
      const bytes = probabilities.flatMap((entry) => at(entry, 'bytes') as number[]);
      // A token of the output can begin within the typed part, but none repeats only that.
      assert.match(Buffer.from(bytes).toString(), /^u?rn sum;(<\|endoftext\|>)?$/);
    }
    const { usage, timings, tokens } = (await infill({ ...fields, return_tokens: true })) as {
      readonly usage: object;
      readonly timings: object;
      readonly tokens: readonly number[];
    };
    const { length } = at(probable, 'completion_probabilities') as unknown[];
    const counts = [at(usage, 'completion_tokens'), at(timings, 'predicted_n'), tokens.length];
    assert.deepEqual(counts, [length, length, length]);
  });

  it('counts the prompt once if it decodes again because the output does not repeat the typed word', async () => {
    const [digit = assert.fail()] = served.engine.tokenizer?.encodeText('7') ?? [];
    const prefix = 'function countOf(values) {\n  const seen = new Set(values);\n  retu';
    const from = served.decodes.length;
    const body = await infill({ input_prefix: prefix, n_predict: 2, logit_bias: [[digit, 100]] });
    const [healed, plain, ...more] = served.decodes.slice(from);
    assert.ok(healed && plain && more.length === 0 && healed.promptIds.length < plain.promptIds.length);
    assert.equal(at(body, 'content'), '77');
    const [reused, read] = ['cache_n', 'prompt_n'].map((name) => at(body, `timings.${name}`) as number);
    assert.ok(
      reused !== undefined && read !== undefined && reused < read,
      JSON.stringify(at(body, 'timings')),
    );
  });

  it('counts the time of a first decode that does not repeat the typed word as time for the prompt', async () => {
    const [digit = assert.fail()] = served.engine.tokenizer?.encodeText('7') ?? [];
    const decodes: Decode[] = [];
    const decode = served.engine.decode.bind(served.engine);
    const { mock: recording } = mock.method(
      served.engine,
      'decode',
      (...request: Parameters<typeof decode>) => {
        const started = decode(...request);
        decodes.push(started);
        return started;
      },
    );
    const prefix = 'function sumOf(values) {\n  let sum = 0;\n  retu';
    const body = await infill({ input_prefix: prefix, n_predict: 2, logit_bias: [[digit, 100]] });
    recording.restore();
    const [healed, plain, ...more] = decodes.map(({ result }) => result);
    assert.ok(healed && plain && more.length === 0);
    const plainMs = plain.stats.prefillMs + (plain.prefillInRoundMs ?? 0);
    const expected = healed.stats.prefillMs + healed.stats.decodeMs + plainMs;
    const promptMs = at(body, 'timings.prompt_ms') as number;
    assert.ok(Math.abs(promptMs - expected) < 0.001, `${String(promptMs)} ms, not ${String(expected)} ms`);
  });

  it('reports the prompt speed when the first round reads the end of the prompt', async () => {
    const fields = { input_prefix: 'const first = 1;\n'.repeat(12), n_predict: 4 };
    await infill(fields);
    const again = await infill({ ...fields, prompt: 'const second =' });
    for (const name of ['prompt_n', 'prompt_ms', 'prompt_per_second'])
      assert.ok((at(again, `timings.${name}`) as number) > 0, name);
    assert.ok((at(again, 'tokens_cached') as number) >= (at(again, 'tokens_evaluated') as number));
  });

  it('returns the same text for CRLF lines as for LF lines, with CRLF line ends, also streamed', async () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    const extra = EXTRA.map((file) => ({ ...file, text: `${file.text}export const ONE = 1;\n` }));
    const body = { input_prefix: PREFIX, input_suffix: SUFFIX, input_extra: extra, n_predict: 24 };
    const crlfBody = {
      ...body,
      input_prefix: crlf(PREFIX),
      input_suffix: crlf(SUFFIX),
      input_extra: extra.map((file) => ({ ...file, text: crlf(file.text) })),
    };
    for (const fields of [{}, { n_indent: 2 }, { stop: ['\r\n}'] }, { prompt: '  const sum = a + b;\r\n' }]) {
      const plain = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          JSON.parse(JSON.stringify(value).replaceAll('\\r', '')) as unknown,
        ]),
      );
      const expected = await infill({ ...body, ...plain });
      const { promptIds } = served.decodes.at(-1) ?? {};
      const got = await infill({ ...crlfBody, ...fields });
      assert.deepEqual(served.decodes.at(-1)?.promptIds, promptIds);
      assert.equal(at(got, 'content'), crlf(at(expected, 'content') as string));
      assert.equal(at(got, 'stop_type'), at(expected, 'stop_type'));
      const response = await served.send('/infill', { ...crlfBody, ...fields, stream: true });
      const { events, isDone } = await eventsOf(response);
      assert.equal(events.map((event) => at(event, 'content')).join(''), at(got, 'content'));
      assert.ok(events.every((event, i) => at(event, 'stop') === (i === events.length - 1)) && !isDone);
      assert.equal(at(events.at(-1), 'timings.predicted_n'), at(got, 'timings.predicted_n'));
    }
    const lines = await infill({
      ...WITHOUT_BODY,
      input_prefix: crlf(WITHOUT_BODY.input_prefix),
      stop: ['\r\n}'],
    });
    assert.deepEqual([at(lines, 'stop_type'), at(lines, 'stopping_word')], ['word', '\r\n}']);
  });

  it('reports why an output ended', async () => {
    const fields = { input_prefix: PREFIX, input_suffix: SUFFIX, prompt: '  return', n_predict: 24 };
    const word = await infill({ ...fields, stop: ['nowhere', ' + '] });
    assert.deepEqual([at(word, 'stop_type'), at(word, 'stopping_word')], ['word', ' + ']);
    assert.equal(at(await infill({ ...fields, n_predict: 2 }), 'stop_type'), 'limit');
    assert.equal(at(await infill({ ...fields, n_predict: 200 }), 'stop_type'), 'eos');
    assert.equal(at(await infill({ ...WITHOUT_BODY, n_indent: 2 }), 'stop_type'), 'limit');
  });

  it('stops at a line with too little indentation or at the time limit, but never within the first line', async () => {
    const free = at(await infill(WITHOUT_BODY), 'content') as string;
    assert.match(free, /\n}/);
    const indented = at(await infill({ ...WITHOUT_BODY, n_indent: 2 }), 'content') as string;
    assert.equal(indented, free.slice(0, free.search(/\n(?! {2}|\n)/)));
    const names = { input_prefix: 'const names = [\n', n_predict: 60 };
    const long = at(await infill(names), 'content') as string;
    const timed = at(await infill({ ...names, t_max_predict_ms: 1 }), 'content') as string;
    assert.ok(long.startsWith(timed) && timed.length < long.length / 2, `${timed} of ${long}`);
    assert.ok(long.includes('\n') && timed.length >= long.indexOf('\n'), timed);
  });

  it('returns tokens and probabilities on request', async () => {
    const fields = {
      input_prefix: PREFIX,
      prompt: '  return',
      n_predict: 3,
      return_tokens: true,
      n_probs: 2,
    };
    const body = await infill(fields);
    const tokens = at(body, 'tokens') as number[];
    assert.equal(served.engine.tokenizer?.decode(tokens), at(body, 'content'));
    const probabilities = at(body, 'completion_probabilities') as unknown[];
    assert.deepEqual(
      probabilities.map((entry) => at(entry, 'id')),
      tokens,
    );
    assert.ok(probabilities.every((entry) => (at(entry, 'top_logprobs') as unknown[]).length === 2));
  });

  it('streams tokens without text, as llama.cpp does', async () => {
    // A base model continues this prompt with a special token, which has no text.
    const prompt = served.engine.tokenizer?.encodePrompt('<|file_sep|>adapter.cjs\n') ?? [];
    const fields = { prompt, n_predict: 1, temperature: 0, return_tokens: true };
    const tokens = at((await served.post('/completion', fields)).body, 'tokens') as number[];
    const { events } = await eventsOf(await served.send('/completion', { ...fields, stream: true }));
    assert.deepEqual(
      events.flatMap((event) => at(event, 'tokens') as number[]),
      tokens,
    );
    assert.ok(
      events.some((event) => at(event, 'content') === '' && (at(event, 'tokens') as number[]).length > 0),
    );
  });

  it('drops the first extra files when not all fit', async () => {
    const extra = ['first', 'second', 'third'].map((name) => ({
      filename: `${name}.ts`,
      text: `const ${name} = 1;\n`.repeat(60),
    }));
    await infill({ input_prefix: PREFIX, input_extra: extra, n_predict: 1 });
    const prompt = served.engine.tokenizer?.decode(served.decodes.at(-1)?.promptIds ?? []) ?? '';
    assert.deepEqual(
      ['first', 'third'].map((name) => prompt.includes(`const ${name}`)),
      [false, true],
    );
  });

  it('reads the last of hundreds of extra files', async () => {
    const extra = Array.from({ length: 300 }, (_, i) => ({
      filename: `file${String(i)}.ts`,
      text: `const n${String(i)} = 1;\n`,
    }));
    await infill({ input_prefix: PREFIX, input_extra: extra, n_predict: 1 });
    const prompt = served.engine.tokenizer?.decode(served.decodes.at(-1)?.promptIds ?? []) ?? '';
    assert.match(prompt, /const n299 = 1;/);
  });

  it('keeps the white space at the end of an output that its token limit ends', async () => {
    const tokenizer = served.engine.tokenizer ?? assert.fail();
    for (let limit = 1; ; limit++) {
      const body = await infill({ ...WITHOUT_BODY, n_predict: limit, return_tokens: true });
      const text = tokenizer.decode(at(body, 'tokens') as number[]);
      assert.equal(at(body, 'content'), text);
      if (/\n\s*$/.test(text)) return;
      assert.equal(at(body, 'stop_type'), 'limit', 'no line end was written');
    }
  });
});
