// Tests characters that span several tokens, at every token limit: no endpoint returns an incomplete character, and a
// stream adds up to the same text. A prompt can end within a character.
import assert from 'node:assert/strict';
import { at, eventsOf } from './answers';
import { ServedPair } from './servedPair';

/** Characters of four and three bytes, which span several tokens each. */
const ROW = '😀日😀日😀日';
const MESSAGES = [{ role: 'user', content: `Repeat: ${ROW}` }];
const PROMPT = `const row = "${ROW}`;

/** Path and body; field of the token limit; path of the text in an answer, and in an event. */
const ENDPOINTS = [
  ['/v1/completions', { prompt: PROMPT, logprobs: 3 }, 'max_tokens', 'choices.0.text', 'choices.0.text'],
  [
    '/v1/chat/completions',
    { messages: MESSAGES, logprobs: true, top_logprobs: 3 },
    'max_tokens',
    'choices.0.message.content',
    'choices.0.delta.content',
  ],
  ['/infill', { input_prefix: PROMPT, input_suffix: '";\n', n_probs: 3 }, 'n_predict', 'content', 'content'],
] as const;

describe('an output that ends within a character', function () {
  this.timeout(600_000);
  let served: ServedPair;
  let bias: readonly (readonly [number, number])[];
  before(async () => {
    served = await ServedPair.start();
    // Favours a token that is only the beginning of a character.
    const [first = 0] = served.engine.encodePrompt('😀');
    bias = [[first, 100]];
  });
  after(() => served.end());

  for (const [path, body, limit, answerPath, eventPath] of ENDPOINTS)
    it(`has no incomplete character at ${path}, with and without streaming`, async () => {
      for (const count of [1, 2, 3]) {
        const greedy = { ...body, [limit]: count, temperature: 0 };
        for (const fields of count === 1 ? [greedy, { ...greedy, logit_bias: bias }] : [greedy]) {
          const answer = (await served.post(path, fields)).body;
          const { events } = await eventsOf(await served.send(path, { ...fields, stream: true }));
          const pieces = events.map((event) => (at(event, eventPath) ?? '') as string).join('');
          assert.equal(pieces, at(answer, answerPath));
          assert.doesNotMatch(JSON.stringify([answer, events]), /\uFFFD|\\ufffd/i);
        }
      }
      const oneToken = { ...body, [limit]: 1, logit_bias: bias };
      assert.equal(at((await served.post(path, oneToken)).body, answerPath), '');
    });

  it('continues that character when its token ids are sent as the next prompt', async () => {
    const ids = served.engine.encodePrompt(`const row = "${ROW}${ROW}${ROW}`);
    const [first = 0, ...rest] = served.engine.encodePrompt('😀');
    const fields = { prompt: [...ids, first], max_tokens: rest.length };
    for (const [echo, expected] of [
      [false, '😀'],
      [true, `const row = "${ROW}${ROW}${ROW}😀`],
    ] as const)
      assert.equal(
        at((await served.post('/v1/completions', { ...fields, echo })).body, 'choices.0.text'),
        expected,
      );
    const stream = await served.send('/v1/completions', { ...fields, logprobs: 1, stream: true });
    let [text, tokens] = ['', ''];
    for (const event of (await eventsOf(stream)).events) {
      text += at(event, 'choices.0.text') as string;
      tokens += ((at(event, 'choices.0.logprobs.tokens') ?? []) as string[]).join('');
      assert.equal(tokens, text);
    }
    assert.equal(text, '😀');
  });

  it('reports the bytes of an incomplete character, as OpenAI does', async () => {
    const fields = { messages: MESSAGES, logprobs: true, top_logprobs: 0, max_tokens: 1, logit_bias: bias };
    const { body } = await served.post('/v1/chat/completions', fields);
    const token = at(body, 'choices.0.logprobs.content.0') as { token: string; bytes: number[] };
    assert.match(token.token, /^\\xf0/);
    assert.deepEqual(token.bytes, [...Buffer.from('😀')].slice(0, token.bytes.length));
  });
});
