// Tests malformed requests: each is refused with a status and a message, and the server continues.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { until } from '../editor/waiting';
import { at } from './answers';
import { ServedPair } from './servedPair';

const JSON_TYPE = { 'content-type': 'application/json' };
const COMPLETIONS = '/v1/completions';
const CHAT = '/v1/chat/completions';
const POST = `POST ${COMPLETIONS} HTTP/1.1\r\nHost: localhost\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const USER = { role: 'user', content: 'x' };
const DEEP_CALL = {
  id: 'a',
  type: 'function',
  function: { name: 'f', arguments: `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}` },
};
const FLOAT_CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '1.0' } };

/** Bodies by path, with the expected status and a pattern for the message. */
const FIELDS: readonly (readonly [path: string, body: unknown, status: number, mentions: RegExp])[] = [
  [COMPLETIONS, 'null', 400, /JSON object/],
  [COMPLETIONS, '{"prompt":', 400, /JSON/],
  [COMPLETIONS, `{"prompt":${'['.repeat(9000)}${']'.repeat(9000)}}`, 400, /200 levels/],
  // Levels are counted before the text is parsed.
  [COMPLETIONS, `{"prompt":${'['.repeat(9000)}`, 400, /200 levels/],
  [CHAT, { messages: [{ role: 'assistant', tool_calls: [DEEP_CALL] }] }, 400, /arguments to be a JSON/],
  [CHAT, { messages: [{ role: 'assistant', tool_calls: [FLOAT_CALL] }] }, 400, /arguments to be a JSON/],
  [COMPLETIONS, { prompt: '' }, 400, /prompt/],
  [COMPLETIONS, { prompt: [[]] }, 400, /prompt/],
  [COMPLETIONS, { prompt: [] }, 400, /128 prompts/],
  [COMPLETIONS, { prompt: [1, 'a'] }, 400, /prompt/],
  [COMPLETIONS, { prompt: [-1] }, 400, /token ids/],
  [COMPLETIONS, { prompt: [24_576] }, 400, /token ids/],
  [COMPLETIONS, { prompt: Array<number>(2048).fill(1) }, 400, /fewer than 2048/],
  [COMPLETIONS, { prompt: 'x', max_tokens: '5' }, 400, /max_tokens/],
  [COMPLETIONS, { prompt: 'x', temperature: -1 }, 400, /temperature/],
  [COMPLETIONS, { prompt: 'x', top_k: 0.5 }, 400, /top_k/],
  [COMPLETIONS, { prompt: 'x', seed: 2 ** 40 }, 400, /seed/],
  [COMPLETIONS, { prompt: 'x', n: 1e6 }, 400, /n to be/],
  [COMPLETIONS, { prompt: ['x', 'y'], n: 65 }, 400, /128 prompts/],
  [COMPLETIONS, { prompt: 'x', stop: [5] }, 400, /stop/],
  [COMPLETIONS, { prompt: 'x', stream: 'yes' }, 400, /stream/],
  [COMPLETIONS, { prompt: 'x', stream_options: true }, 400, /stream_options/],
  [COMPLETIONS, { prompt: 'x', logit_bias: { 5: 1000 } }, 400, /logit_bias to be .*, got an object/],
  [COMPLETIONS, { prompt: 'x', logit_bias: { 99_999: 1 } }, 400, /token ids/],
  [COMPLETIONS, { prompt: 'x', stream: true, logit_bias: [[99_999, false]] }, 400, /token ids/],
  [COMPLETIONS, { prompt: 'x', stop_token_ids: ['a'] }, 400, /stop_token_ids/],
  [COMPLETIONS, { prompt: 'x', logprobs: true }, 400, /logprobs/],
  [COMPLETIONS, { prompt: 'x', grammar: 'root ::= "a"' }, 400, /grammar/],
  [COMPLETIONS, { prompt: [1, 2], suffix: 'y' }, 400, /suffix/],
  [CHAT, { messages: [] }, 400, /messages/],
  [CHAT, { messages: [5] }, 400, /messages\[0\]/],
  [CHAT, { messages: [USER, { role: 'robot', content: 'x' }] }, 400, /messages\[1\]\.role/],
  [CHAT, { messages: [{ role: 'user' }] }, 400, /messages\[0\]\.content/],
  [CHAT, { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 400, /messages\[0\]\.content/],
  [CHAT, { messages: [USER], top_logprobs: 99, logprobs: true }, 400, /top_logprobs/],
  [CHAT, { messages: [USER], response_format: { type: 'json_schema' } }, 400, /response_format/],
  ['/infill', { input_prefix: 5 }, 400, /input_prefix/],
  ['/infill', { input_extra: [{ filename: 'x' }] }, 400, /input_extra\[0\]\.text/],
  ['/infill', { n_indent: -1 }, 400, /n_indent/],
  ['/infill', { response_fields: [5] }, 400, /response_fields/],
  ['/tokenize', {}, 400, /content/],
  ['/detokenize', { tokens: 'x' }, 400, /tokens/],
  ['/detokenize', { tokens: [24_576] }, 400, /tokens/],
  ['/detokenize', { tokens: [-1] }, 400, /tokens/],
];

/** Matches messages that report a wrong value or an event, each with a remedy. */
const EXPLAINED = /^(?:Expected .*, got .*; |This server does not support .*; |[A-Z].*\. [A-Z])/;

/** Bytes on the wire, with the status of the answer. */
const WIRE: readonly (readonly [what: string, bytes: string, status: number])[] = [
  ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
  ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a request without a Host', 'GET /health HTTP/1.1\r\n\r\n', 400],
  ['a Host that is not a name', 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a control character in a header', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: \x01\r\n\r\n', 400],
  ['headers of 40 kB', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ['a body with both a length and chunks', `${POST}Content-Length: 5\r\n${CHUNKED}0\r\n\r\n`, 400],
  ['a chunk without a size', `${POST}Content-Type: application/json\r\n${CHUNKED}zz\r\n`, 400],
  [
    'a body that is announced as too long',
    `${POST}Content-Type: application/json\r\nContent-Length: 20001\r\n\r\n`,
    413,
  ],
  ['a TRACE request', 'TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 405],
  ['an unknown method', 'BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a path with half an escape', 'GET /v1/models/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\n\r\n', 404],
];

describe('malformed requests', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start({ maxBodyBytes: 20_000 });
  });
  after(() => served.end());
  afterEach(async () => {
    assert.deepEqual((await served.get('/health')).body, { status: 'ok' });
  });

  const refusal = ({ status, body }: { status: number; body: unknown }): readonly [number, string] => {
    const message = at(body, 'error.message');
    assert.equal(typeof message, 'string', JSON.stringify(body));
    assert.equal(typeof at(body, 'error.type'), 'string');
    return [status, message as string];
  };

  for (const [path, body, status, mentions] of FIELDS)
    it(`${path} refuses ${(typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 80)}`, async () => {
      const [actual, message] = refusal(await served.post(path, body));
      assert.equal(actual, status);
      assert.match(message, mentions);
      assert.match(message, EXPLAINED);
    });

  for (const [what, bytes, status] of WIRE)
    it(`answers ${what} with an error`, async () => {
      const answer = await exchanged(served.address, bytes);
      assert.match(answer, new RegExp(`^HTTP/1\\.[01] ${String(status)} `));
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as unknown;
      assert.match(refusal({ status, body })[1], EXPLAINED);
    });

  const CONVERSATION = JSON.stringify({ messages: [USER] });
  const TEMPLATE = `POST /apply-template HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${CONVERSATION.length}\r\n`;
  const MODELS = 'GET /v1/models HTTP/1.1\r\nHost: localhost\r\n';
  for (const [what, request, expected] of [
    [
      'a request that expects 100-continue before its body',
      `${TEMPLATE}Expect: 100-continue`,
      /HTTP.1.1 100 .+\r\n\r\nHTTP.1.1 200 /,
    ],
    ['a request without a body that expects 100-continue', `${MODELS}Expect: 100-continue`, /HTTP.1.1 200 /],
    ['a request with an unknown expectation', `${MODELS}Expect: more`, /HTTP.1.1 417 /],
  ] as const)
    it(`answers ${what}, sent after another request on one connection`, async () => {
      const { hostname, port } = new URL(served.address);
      const socket = connect(Number(port), hostname);
      socket.write(`${MODELS}\r\n${request}\r\n\r\n`);
      let answers = '';
      socket.on('data', (data) => {
        answers += data.toString();
        if (answers.endsWith('HTTP/1.1 100 Continue\r\n\r\n')) socket.write(CONVERSATION);
      });
      // The answer to an unknown expectation has no body: it ends with an empty chunk.
      const [first, rest] = [/HTTP.1.1 200 /, /.*\r\n(.+\r\n)+\r\n(\{.*\}|0\r\n\r\n)/].map(
        ({ source }) => source,
      );
      const bothAnswers = new RegExp(`^${first}${rest}${expected.source}${rest}$`);
      await until('both answers are there', () => bothAnswers.test(answers));
      socket.destroy();
    });

  it('closes the connection of a CONNECT request', async () => {
    const request = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n';
    assert.equal(await exchanged(served.address, request), '');
  });

  it('rejects connections above the limit', async () => {
    const { hostname, port } = new URL(served.address);
    const sockets = Array.from({ length: 540 }, () => connect(Number(port), hostname));
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => undefined).once('close', () => (closed += 1));
    await until('the last ones are closed', () => closed >= sockets.length - 512);
    assert.ok(closed < 100, String(closed));
    for (const socket of sockets) socket.destroy();
    await until('all are closed', () => closed === sockets.length);
  });

  it('refuses bodies that are too long, with and without a Content-Length', async () => {
    // Larger than the socket buffers, so the server refuses the body before the client has sent all of it.
    const long = { prompt: 'x'.repeat(8_000_000) };
    for (let i = 0; i < 5; i++) assert.equal(refusal(await served.post(COMPLETIONS, long))[0], 413);
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('x'.repeat(4_000))),
    });
    const init = { method: 'POST', headers: JSON_TYPE, body: chunks, duplex: 'half' };
    // The server can close the connection before the client has read the answer.
    const outcome = await fetch(`${served.address}${COMPLETIONS}`, init as RequestInit).then(
      ({ status }) => status,
      () => 'closed' as const,
    );
    assert.ok(outcome === 413 || outcome === 'closed', String(outcome));
  });

  it('refuses bodies that are not JSON in UTF-8', async () => {
    const send = async (body: string | Uint8Array<ArrayBuffer>, type: string, encoding = 'identity') => {
      const headers = { 'content-type': type, 'content-encoding': encoding };
      const init = { method: 'POST', headers, body };
      const response = await fetch(`${served.address}${COMPLETIONS}`, init);
      return refusal({ status: response.status, body: await response.json() })[0];
    };
    assert.equal(await send('prompt=x', 'application/x-www-form-urlencoded'), 415);
    assert.equal(await send('{"prompt":"x"}', 'text/plain'), 415);
    for (const type of ['application/jsonp', 'text/json', 'application/json-seq', 'x-application/json'])
      assert.equal(await send('{"prompt":"x"}', type), 415, type);
    // Refused because of the prompt: the type is JSON.
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.x+json'])
      assert.equal(await send('{"prompt":1}', type, 'IDENTITY'), 400, type);
    assert.equal(await send(gzipSync('{"prompt":"x"}'), 'application/json', 'gzip'), 415);
    assert.equal(await send(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), 'application/json'), 400);
  });

  it('logs status 408 for a client that disconnects before its body is complete', async () => {
    const { hostname, port } = new URL(served.address);
    const { lines } = served;
    lines.length = 0;
    for (const part of ['Content-Length: 50\r\n\r\n{"prompt":', `${CHUNKED}2\r\n{"\r\n`]) {
      const socket = connect(Number(port), hostname);
      const seen = lines.length;
      socket.write(`${POST}Content-Type: application/json\r\n${part}`);
      // When this later request is answered, the server has read the headers of the first.
      await served.get('/health');
      socket.destroy();
      while (lines.length < seen + 2) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal(lines.filter((line) => /POST \S+ 408/.test(line)).length, 2, lines.join('\n'));
    assert.equal(lines.length, 4, lines.join('\n'));
  });

  it('refuses unknown paths and methods, and lists the known ones', async () => {
    const unknown = refusal(await served.get('/v1/embeddings'));
    assert.equal(unknown[0], 404);
    assert.match(unknown[1], / \/v1\/completions, .*\/infill, .*\/tokenize/);
    assert.doesNotMatch(unknown[1], / \/completions|:|\*/);
    assert.equal(at((await served.get('/v1/models/org/other')).body, 'error.code'), 'model_not_found');
    const wrong = await served.get(COMPLETIONS);
    assert.deepEqual([refusal(wrong)[0], wrong.headers.get('allow')], [405, 'POST']);
    assert.equal(refusal(await served.post('/health', {}))[0], 405);
  });
});

/** Sends bytes, and resolves with the answer once it is complete or the connection is closed. */
function exchanged(address: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(bytes, 'latin1')));
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString();
      if (answer.endsWith('}')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}
