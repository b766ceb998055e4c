// Requests to `flashline serve` with the built-in pair: bodies for most paths, and damaged HTTP. Errors are explained,
// and a valid request is still answered as before.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import * as fc from 'fast-check';
import { at } from '../../../http/answers';
import { ServedPair } from '../../../http/servedPair';
import { assertExplainedText } from '../assertExplained';
import { cutAt, exchanged } from '../exchange';
import { fuzzKind, type Subject } from '../kind';
import { damaged, jsonText, mixed, oddText, spoilt, type Json } from '../oddValues';

/** Token limit of answers, as long ones would only take time. */
const FEW = 3;
const LENGTHS = ['max_tokens', 'max_completion_tokens', 'n_predict'];
const COUNTS = ['n'];
/** Paths, with valid bodies for each. */
const BODIES = Object.entries({
  '/v1/completions': [
    '{"prompt":"const a = ","max_tokens":3,"n":1,"temperature":0.5,"seed":1,"stop":["\\n"],"logprobs":1}',
    '{"prompt":["a","b"],"max_tokens":3,"stream":true,"stream_options":{"include_usage":true},"echo":true}',
    '{"prompt":[1,2],"max_tokens":3,"logit_bias":{"5":-100},"stop_token_ids":[4],"top_k":5,"min_p":0.1}',
    '{"prompt":"a(","suffix":")","max_tokens":3,"presence_penalty":0.5,"frequency_penalty":0.5}',
  ],
  '/v1/chat/completions': [
    '{"messages":[{"role":"system","content":"x"},USER],"max_tokens":3,"top_p":0.9}',
    '{"messages":[USER],"tools":[TOOL],"tool_choice":"auto","max_tokens":3,"logprobs":true,"top_logprobs":2}',
    '{"messages":[USER,CALL,RESULT],"max_completion_tokens":3,"stream":true,"response_format":{"type":"text"}}',
  ],
  '/infill': [
    '{"input_prefix":"f(","input_suffix":")","input_extra":[{"filename":"a.ts","text":"x"}],"n_predict":3,' +
      '"n_indent":2,"t_max_predict_ms":900,"response_fields":["content","timings/prompt_n"]}',
    '{"prompt":"a","filename":"a.ts","stream":true,"n_predict":3,"repeat_penalty":1.1,"repeat_last_n":-1,"n_probs":2}',
  ],
  '/apply-template': [
    '{"messages":[{"role":"system","content":[{"type":"text","text":"x"}]},USER],"tools":[TOOL],"tool_choice":"none",' +
      '"parallel_tool_calls":false,"add_generation_prompt":true,"chat_template_kwargs":{"enable_thinking":false}}',
  ],
  '/tokenize': ['{"content":"a b","add_special":true,"with_pieces":true}'],
  '/detokenize': ['{"tokens":[1,2,3]}'],
});
const PARTS: Readonly<Record<string, string>> = {
  USER: '{"role":"user","content":"Say \\"a\\"."}',
  TOOL: '{"type":"function","function":{"name":"f","description":"x","parameters":{"type":"object","properties":{}}}}',
  CALL:
    '{"role":"assistant","content":null,' +
    '"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]}',
  RESULT: '{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"1"}]}',
};

interface Posted {
  readonly path: string;
  readonly body: string;
}

/** Keeps wrong lengths and counts, reduces large ones, and adds a length to a chat or an infill request without one. */
function shortened(path: string, body: Json): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const entries = Object.entries(body).map(([name, value]): [string, Json] => {
    const limit = LENGTHS.includes(name) ? FEW : COUNTS.includes(name) ? 2 : Infinity;
    const isLarge = typeof value === 'number' && Number.isInteger(value) && (value > limit || value === -1);
    return [name, isLarge && limit < Infinity ? limit : value];
  });
  const isLimited = entries.some(([name, value]) => LENGTHS.includes(name) && value !== null);
  return Object.fromEntries(
    isLimited || !/infill|chat/.test(path) ? entries : [...entries, ['n_predict', FEW]],
  );
}

const posts: fc.Arbitrary<Posted> = fc.oneof(
  ...BODIES.flatMap(([path, bodies]) =>
    bodies.map((text) => {
      const body = text.replace(/\b[A-Z]{4,}\b/g, (name) => PARTS[name] ?? name);
      const texts = mixed(
        [9, spoilt(JSON.parse(body) as Json).map((value) => jsonText(shortened(path, value)))],
        [1, damaged(body)],
      );
      return texts.map((value): Posted => ({ path, body: value }));
    }),
  ),
);

const VALID_REQUEST = { prompt: 'const add = (a: number, b: number) => a +', max_tokens: 4 };

async function servedSubject<T>(attempt: (served: ServedPair, input: T) => unknown): Promise<Subject<T>> {
  const served = await ServedPair.start({ maxBodyBytes: 60_000 });
  const complete = async (): Promise<unknown> =>
    at((await served.post('/v1/completions', VALID_REQUEST)).body, 'choices.0.text');
  const expected = await complete();
  assert.match(String(expected), /^ b/);
  return {
    attempt: (input) => {
      // Only other tests read these records; here they would accumulate.
      for (const list of [served.decodes, served.steps, served.lines]) list.length = 0;
      return attempt(served, input);
    },
    checkValid: async () => {
      assert.equal(await complete(), expected);
      assert.deepEqual((await served.get('/health')).body, { status: 'ok' });
    },
    close: () => served.end(),
  };
}

export const httpBody = fuzzKind<Posted>({
  name: 'http-body',
  inputs: posts,
  runs: 100,
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

const HEAD = 'HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n';
const REQUEST = `POST /v1/completions ${HEAD}Content-Length: 30\r\n\r\n{"prompt":"a", "max_tokens":1}`;
const CHUNKED =
  `POST /tokenize ${HEAD}Transfer-Encoding: chunked\r\n\r\n` + 'd\r\n{"content":""\r\n1\r\n}\r\n0\r\n\r\n';
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

const request = fc.oneof(
  fc.constantFrom(REQUEST, CHUNKED, GET),
  ...[REQUEST, CHUNKED, GET].map(damaged),
  fc
    .tuple(fc.constantFrom(REQUEST, GET), fc.oneof(fc.constantFrom(...HEADERS), oddText))
    .map(([text, header]) => text.replace('\r\n', `\r\n${header}\r\n`)),
);

/** Requests one after the other on one connection, damaged, in up to three pieces. */
interface Wire {
  readonly requests: readonly string[];
  readonly cuts: readonly number[];
}

const wires: fc.Arbitrary<Wire> = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  cuts: fc.array(fc.nat(400), { maxLength: 2 }),
});

export const httpWire = fuzzKind({
  name: 'http-wire',
  inputs: wires,
  runs: 100,
  open: () =>
    servedSubject(async (served, { requests, cuts }: Wire) => {
      const { hostname, port } = new URL(served.address);
      const pieces = cutAt(Buffer.from(requests.join(''), 'latin1'), cuts);
      const answers = String(await exchanged(connect(Number(port), hostname), pieces));
      // Each answer begins where the one before it ends, and each error is explained.
      for (const answer of answers.split(/(?=HTTP\/1\.[01] \d{3} )/).filter((part) => part !== '')) {
        const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(answer)?.[1] ?? NaN);
        const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
        if (status >= 400) assertAnswer(status, body, served.lines);
        else assert.ok(status === 200 || status === 100, answer);
      }
    }),
});
