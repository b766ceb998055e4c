// Requests to `flashline serve`, with the built-in pair: bodies of every path, and bytes that are hardly HTTP. Each gets
// one answer, and an error says what is wrong.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { ServedPair, at } from '../../../http/servedPair';
import { assertExplainedText } from '../assertExplained';
import { fuzzKind, type Subject } from '../kind';
import { damaged, jsonText, oddText, spoilt, type Json } from '../oddValues';

/** Long answers would only take time. */
const FEW = 3;
const LENGTHS = ['max_tokens', 'max_completion_tokens', 'n_predict'];
const COUNTS = ['n', 'best_of'];
const USER = { role: 'user', content: 'Say "a".' };
const TOOL = {
  type: 'function',
  function: { name: 'f', description: 'x', parameters: { type: 'object', properties: {} } },
};

const BODIES: readonly (readonly [path: string, body: Record<string, Json>])[] = [
  [
    '/v1/completions',
    { prompt: 'const a = ', max_tokens: FEW, n: 1, temperature: 0.5, seed: 1, stop: ['\n'], logprobs: 1 },
  ],
  [
    '/v1/completions',
    {
      prompt: ['a', 'b'],
      max_tokens: FEW,
      stream: true,
      stream_options: { include_usage: true },
      echo: true,
    },
  ],
  [
    '/v1/completions',
    {
      prompt: [1, 2, 3],
      max_tokens: FEW,
      logit_bias: { '5': -100 },
      stop_token_ids: [4],
      top_k: 5,
      min_p: 0.1,
    },
  ],
  [
    '/v1/completions',
    { prompt: 'a(', suffix: ')', max_tokens: FEW, presence_penalty: 0.5, frequency_penalty: 0.5 },
  ],
  [
    '/v1/chat/completions',
    { messages: [{ role: 'system', content: 'x' }, USER], max_tokens: FEW, top_p: 0.9 },
  ],
  [
    '/v1/chat/completions',
    {
      messages: [USER],
      tools: [TOOL],
      tool_choice: 'auto',
      max_tokens: FEW,
      logprobs: true,
      top_logprobs: 2,
    },
  ],
  [
    '/v1/chat/completions',
    {
      messages: [
        USER,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: '1' }] },
      ],
      max_completion_tokens: FEW,
      stream: true,
      response_format: { type: 'text' },
    },
  ],
  [
    '/infill',
    {
      input_prefix: 'f(',
      input_suffix: ')',
      input_extra: [{ filename: 'a.ts', text: 'x' }],
      n_predict: FEW,
      n_indent: 2,
      t_max_predict_ms: 900,
      response_fields: ['content', 'timings/prompt_n'],
    },
  ],
  [
    '/infill',
    {
      prompt: 'a',
      filename: 'a.ts',
      stream: true,
      n_predict: FEW,
      repeat_penalty: 1.1,
      repeat_last_n: -1,
      n_probs: 2,
    },
  ],
  [
    '/apply-template',
    {
      messages: [{ role: 'system', content: [{ type: 'text', text: 'x' }] }, USER],
      tools: [TOOL],
      tool_choice: 'none',
      parallel_tool_calls: false,
      add_generation_prompt: true,
      chat_template_kwargs: { enable_thinking: false },
    },
  ],
  ['/tokenize', { content: 'a b', add_special: true, with_pieces: true }],
  ['/detokenize', { tokens: [1, 2, 3] }],
];

interface Posted {
  readonly path: string;
  readonly body: string;
}

/** Keeps wrong lengths and counts, and makes large ones small. */
function shortened(path: string, body: Json): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    const most = LENGTHS.includes(name) ? FEW : COUNTS.includes(name) ? 2 : Infinity;
    const isLarge = typeof value === 'number' && Number.isInteger(value) && (value > most || value === -1);
    return [name, isLarge && most < Infinity ? most : value];
  });
  const isLimited = entries.some(([name, value]) => LENGTHS.includes(name) && value !== null);
  return Object.fromEntries(
    isLimited || !/infill|chat/.test(path) ? entries : [...entries, ['n_predict', FEW]],
  );
}

const posts: fc.Arbitrary<Posted> = fc.oneof(
  ...BODIES.map(([path, body]) =>
    fc.oneof(
      {
        weight: 9,
        arbitrary: spoilt(body).map((value) => ({ path, body: jsonText(shortened(path, value)) })),
      },
      { weight: 1, arbitrary: damaged(jsonText(body)).map((text) => ({ path, body: text })) },
    ),
  ),
);

const KNOWN = { prompt: 'const add = (a: number, b: number) => a +', max_tokens: 4 };

async function servedSubject<T>(attempt: (served: ServedPair, input: T) => unknown): Promise<Subject<T>> {
  const served = await ServedPair.start({ maxBodyBytes: 60_000 });
  const complete = async (): Promise<unknown> =>
    at((await served.post('/v1/completions', KNOWN)).body, 'choices.0.text');
  const known = await complete();
  assert.match(String(known), /^ b/);
  return {
    attempt: (input) => {
      // What the tests of others look at would only pile up.
      for (const list of [served.asked, served.steps, served.lines]) list.length = 0;
      return attempt(served, input);
    },
    sound: async () => {
      assert.equal(await complete(), known);
      assert.deepEqual((await served.get('/health')).body, { status: 'ok' });
    },
    close: () => served.end(),
  };
}

export const httpBody = fuzzKind<Posted>({
  name: 'http-body',
  inputs: posts,
  counts: { test: 200, million: 1_500 },
  open: () =>
    servedSubject(async (served, { path, body }: Posted) => {
      const response = await served.send(path, body);
      const text = await response.text();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      if (isStream) assert.match(text, /^data: \{[^]*\n\n$/);
      else assertAnswer(response.status, text, served.lines);
    }),
});

function assertAnswer(status: number, text: string, log: readonly string[]): void {
  const body = JSON.parse(text) as unknown;
  if (status === 200) return;
  assert.ok(status >= 400 && status < 500, `${String(status)}: ${text} ${log.join('\n')}`);
  assertExplainedText(at(body, 'error.message'));
}

const REQUEST = [
  'POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30\r\nConnection: close\r\n\r\n',
  '{"prompt":"a", "max_tokens":1}',
].join('');
const CHUNKED =
  'POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
  'd\r\n{"content":""\r\n1\r\n}\r\n0\r\n\r\n';
const GET =
  'GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nOrigin: http://a.example\r\n\r\n';
const HEADERS = [
  'Host: evil.example',
  'Content-Length: -1',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'X: \x01',
  'Transfer-Encoding: gzip, chunked',
];

/** Requests one after the other on one connection, damaged, in up to three pieces. */
const wires: fc.Arbitrary<string[]> = fc
  .record({
    requests: fc.array(
      fc.oneof(
        fc.constantFrom(REQUEST, CHUNKED, GET),
        ...[REQUEST, CHUNKED, GET].map(damaged),
        fc
          .record({
            request: fc.constantFrom(REQUEST, GET),
            header: fc.oneof(fc.constantFrom(...HEADERS), oddText),
          })
          .map(({ request, header }) => request.replace('\r\n', `\r\n${header}\r\n`)),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    cuts: fc.array(fc.nat(400), { maxLength: 2 }),
  })
  .map(({ requests, cuts }) => {
    const text = requests.join('');
    const places = [0, ...cuts.sort((a, b) => a - b), text.length];
    return places.slice(1).map((to, i) => text.slice(places[i], to));
  });

export const httpWire = fuzzKind<string[]>({
  name: 'http-wire',
  inputs: wires,
  counts: { test: 200, million: 2_000 },
  open: () =>
    servedSubject(async (served, pieces: string[]) => {
      const answers = await exchanged(served.address, pieces);
      // Each begins where the one before it has ended, and each error is explained.
      for (const answer of answers.split(/(?=HTTP\/1\.[01] \d{3} )/).filter((each) => each !== '')) {
        const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(answer)?.[1] ?? NaN);
        const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
        if (status >= 400) assertAnswer(status, body, served.lines);
        else assert.ok(status === 200 || status === 100, answer);
      }
    }),
});

/** What the server answers until it closes the connection, which the client half closes behind its last piece. */
function exchanged(address: string, pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      const [piece = '', ...others] = pieces.map((text) => Buffer.from(text, 'latin1'));
      socket.write(piece);
      const next = (): void => {
        const other = others.shift();
        if (other === undefined) socket.end();
        else socket.write(other, () => setImmediate(next));
      };
      setImmediate(next);
    });
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
