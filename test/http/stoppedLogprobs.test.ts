// Tests log-probabilities of outputs that a stop string ends: at each endpoint, with and without streaming, their
// tokens add up to the text. The openai package reads OpenAI's two endpoints.
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { AlignedLogprobs } from '../../server/http/alignedLogprobs';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { overlaid } from '../support/overlaid';
import { at, eventsOf } from './answers';
import { ServedPair } from './servedPair';

const MODEL = 'embedded';
const CODE = 'def add(a, b):\n    return';
const CHAT = 'class Stack:\n    def push(self, item):\n        self.items';
const NAMES = 'const names = ["日本", "語", "日本", "語", "日本", "';
/** Function that continues the code, with the tokens "def", " add", "2", "(a", ",", " b" and "):\n". */
const NEXT = 'def add2(a, b):';

interface Logprobs {
  readonly text: string;
  /** Text or bytes of each token. */
  readonly tokens: readonly (string | readonly number[])[];
  readonly offsets?: readonly number[] | undefined;
}

/** Requests a text from one endpoint; resolves with the complete answer, and the events of a stream. */
type Ask = (prompt: string, stop: readonly string[]) => Promise<readonly [Logprobs, readonly Logprobs[]]>;

describe('log-probabilities with stop strings', function () {
  this.timeout(600_000);
  let served: ServedPair;
  let openai: OpenAI;
  before(async () => {
    served = await ServedPair.start();
    openai = new OpenAI({ apiKey: 'none', baseURL: `${served.address}/v1`, maxRetries: 0 });
  });
  after(() => served.end());

  const complete: Ask = async (prompt, stop) => {
    const fields = { model: MODEL, prompt, stop: [...stop], max_tokens: 16, logprobs: 2 };
    const read = ({ text, logprobs }: OpenAI.CompletionChoice): Logprobs => {
      const {
        tokens = [],
        text_offset: offsets = [],
        top_logprobs = [],
        token_logprobs = [],
      } = logprobs ?? {};
      for (const [i, top] of top_logprobs.entries()) assert.equal(top[tokens[i] ?? ''], token_logprobs[i]);
      return { text, tokens, offsets };
    };
    const completion = await openai.completions.create(fields);
    const events: Logprobs[] = [];
    for await (const { choices } of await openai.completions.create({ ...fields, stream: true }))
      events.push(...choices.map(read));
    return [read(completion.choices[0] ?? assert.fail()), events];
  };

  const chat: Ask = async (content, stop) => {
    const messages = [{ role: 'user', content } as const];
    const fields = { model: MODEL, messages, stop: [...stop], max_tokens: 12, logprobs: true };
    const bytesOf = (logprobs: OpenAI.ChatCompletion.Choice.Logprobs | null | undefined) =>
      (logprobs?.content ?? []).map(({ token, bytes }) => {
        if (!token.includes('\\x')) assert.deepEqual(bytes, [...Buffer.from(token)]);
        return bytes ?? [];
      });
    const { message, logprobs } = (await openai.chat.completions.create(fields)).choices[0] ?? assert.fail();
    const events: Logprobs[] = [];
    for await (const { choices } of await openai.chat.completions.create({ ...fields, stream: true }))
      for (const { delta, logprobs: given } of choices)
        events.push({ text: delta.content ?? '', tokens: bytesOf(given) });
    return [{ text: message.content ?? '', tokens: bytesOf(logprobs) }, events];
  };

  const llama: Ask = async (prompt, stop) => {
    const fields = { prompt, stop, n_predict: 16, temperature: 0, n_probs: 2 };
    const read = (body: unknown): Logprobs => ({
      text: at(body, 'content') as string,
      tokens: ((at(body, 'completion_probabilities') ?? []) as object[]).map(
        (entry) => at(entry, 'bytes') as number[],
      ),
    });
    const { events } = await eventsOf(await served.send('/completion', { ...fields, stream: true }));
    return [read((await served.post('/completion', fields)).body), events.map(read)];
  };

  const joined = (tokens: Logprobs['tokens']): string =>
    Buffer.concat(
      tokens.map((token) => (typeof token === 'string' ? Buffer.from(token) : Buffer.from(token))),
    ).toString();

  /** Asserts that the tokens add up to the text, and that no event of a stream has tokens before their text. */
  const addsUp = async (ask: Ask, prompt: string, stop: readonly string[]): Promise<Logprobs> => {
    const [answer, events] = await ask(prompt, stop);
    const label = JSON.stringify(stop);
    assert.equal(joined(answer.tokens), answer.text, label);
    let [text, tokens]: [string, Logprobs['tokens']] = ['', []];
    for (const event of events) {
      text += event.text;
      tokens = [...tokens, ...event.tokens];
      assert.ok(text.startsWith(joined(tokens)), `${joined(tokens)} is sent before its text with ${label}`);
    }
    assert.equal(text, answer.text, label);
    assert.deepEqual(tokens, answer.tokens, label);
    const starts = answer.tokens.map((_, i) => Array.from(joined(answer.tokens.slice(0, i))).length);
    if (answer.offsets) {
      assert.deepEqual(answer.offsets, starts, label);
      assert.deepEqual(
        events.flatMap(({ offsets = [] }) => offsets),
        starts,
        label,
      );
    }
    return answer;
  };

  const ENDPOINTS = [
    ['/v1/completions', complete, CODE],
    ['/v1/chat/completions', chat, CHAT],
    ['/completion', llama, CODE],
  ] as const;

  for (const [path, ask, prompt] of ENDPOINTS) {
    it(`add up to the text at ${path} wherever the stop string is in the text`, async () => {
      const { text } = await addsUp(ask, prompt, []);
      assert.ok(text.length > 30);
      for (let start = 1; start < text.length - 4; start += 5) {
        const stop = text.slice(start, start + 1 + (start % 4));
        const stopped = await addsUp(ask, prompt, [stop]);
        assert.equal(stopped.text, text.slice(0, text.indexOf(stop)));
      }
    });

    it(`are empty at ${path} when the first token begins with the stop string`, async () => {
      const { text } = await addsUp(ask, prompt, []);
      const stopped = await addsUp(ask, prompt, [text.slice(0, 1)]);
      assert.deepEqual([stopped.text, stopped.tokens], ['', []]);
    });

    it(`add up to the text at ${path} when characters of several tokens surround the stop string`, async () => {
      const { text } = await addsUp(ask, NAMES, []);
      for (const stop of [['日本'], ['本'], ['日', '本'], ['", "'], ['日本人', '本", x']])
        await addsUp(ask, NAMES, stop);
      if (ask !== chat) assert.match(text, /^日本", "日本/);
    });
  }

  it('end before a stop string of several tokens, also when it begins within a token', async () => {
    const several = await addsUp(complete, CODE, ['unlikely', 'd2(a, c', NEXT]);
    assert.deepEqual([several.text, several.tokens.at(-1)], [' a + b\n\n\n', '\n\n\n']);
    const within = await addsUp(complete, CODE, ['dd2(', 'add2(a, c']);
    assert.deepEqual(within.tokens.slice(-2), ['def', ' a']);
    const text = await addsUp(complete, CODE, ['add3', '2(a, c']);
    assert.ok(text.text.includes(NEXT));
  });

  it('are held back in a stream while the text could become a stop string', async () => {
    const [, events] = await complete(CODE, [`${NEXT}!`]);
    const sent = events.find(({ text }) => text.includes(NEXT)) ?? assert.fail('it is sent in parts');
    assert.ok(sent.tokens.join('').includes(NEXT), sent.tokens.join('|'));
  });

  it('wait for the whole text of a special token that the output spells out', () => {
    const [letter, special] = [97, 0x10000];
    const tokenizer = new ScriptedEngine().tokenizer;
    const bytes = (id: number, { skipSpecialTokens = false } = {}): Uint8Array =>
      Buffer.from(id < special ? String.fromCharCode(id) : skipSpecialTokens ? '' : '<think>');
    const aligned = new AlignedLogprobs(overlaid(tokenizer, { bytes }), [], [], [special]);
    const logprobs = [letter, special].map((token) => ({ token, logprob: -1, top: [] }));
    const taken = (): number[] => aligned.take(0).map(({ token }) => token);
    aligned.push({ tokens: [letter, special], text: 'a<th', logprobs });
    assert.deepEqual(taken(), [letter]);
    aligned.push({ tokens: [], text: 'ink>' });
    assert.deepEqual(taken(), [special]);
  });

  it('include the stop token that ends an output', async () => {
    const end = served.engine.encodePrompt(' +')[0] ?? assert.fail();
    const fields = {
      prompt: CODE,
      max_tokens: 16,
      logprobs: 1,
      stop: ['b\n', ' + c'],
      stop_token_ids: [end],
    };
    const { body } = await served.post('/v1/completions', fields);
    assert.equal(at(body, 'choices.0.text'), ' a');
    assert.deepEqual(at(body, 'choices.0.logprobs.tokens'), [' a', ' +']);
  });
});
