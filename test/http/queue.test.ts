// Tests many clients at a time: each is answered or refused, editors come first, and nothing is left in memory. Delays
// are counted in decode steps, not in time.
import assert from 'node:assert/strict';
import { liveArrays } from '../../server/models/mlx/memory';
import { fullSize } from '../support/fullSize';
import { seededRandom } from '../support/seededRandom';
import { at } from './answers';
import { ServedPair } from './servedPair';

const PATH = '/v1/completions';
const CLIENTS = fullSize ? 50 : 14;
const PROMPTS = Array.from({ length: 8 }, (_, i) => `def function_${String(i)}(items, count):\n    return`);
const TOKENS = 12;
const LONG = { prompt: PROMPTS[0], max_tokens: 1900, stream: true };

/** Result for one client: the status, or `gone` if the client left. */
interface ClientResult {
  readonly outcome: number | 'gone';
  readonly prompt: string;
  readonly text?: unknown;
}

describe('many clients over HTTP', function () {
  this.timeout(600_000);
  let served: ServedPair;
  before(async () => {
    served = await ServedPair.start({ limits: { running: 4, waiting: 20 } });
  });
  after(() => served.end());

  /** Waits until no request runs or waits. */
  const idle = async (): Promise<void> => {
    for (;;) {
      const metrics = (await served.get('/metrics')).body as string;
      if (metrics.includes('running_requests 0\n') && metrics.includes('queue_length 0\n')) return;
    }
  };
  /** Counts the arrays in memory without requests and cached prompts. */
  const idleArrays = async (): Promise<number> => {
    await idle();
    served.engine.resizeCache({ bytes: 0 });
    const live = liveArrays();
    served.engine.resizeCache({ bytes: 256e6 });
    return live;
  };
  const infill = { input_prefix: 'const list = [1, 2', input_suffix: '];\n', n_predict: 6 };

  it('answers or refuses every request, and leaves no request or memory behind', async () => {
    const random = seededRandom(22);
    await served.post(PATH, { prompt: PROMPTS[0], max_tokens: TOKENS });
    const before = await idleArrays();
    const clients = Array.from({ length: CLIENTS }, (_, i): Promise<ClientResult> => {
      const prompt = PROMPTS[i % PROMPTS.length] ?? '';
      const leavesAfter = random() < 0.4 ? Math.floor(random() * 400) : undefined;
      const isEditor = random() < 0.2;
      const body = { prompt, max_tokens: TOKENS, stream: random() < 0.5 };
      return client(prompt, body, isEditor, leavesAfter);
    });
    const results = await Promise.all(clients);
    assert.equal(results.length, CLIENTS);
    for (const { outcome } of results) assert.ok([200, 429, 'gone'].includes(outcome), String(outcome));
    assert.ok(results.some(({ outcome }) => outcome === 200));
    assert.equal(await idleArrays(), before);
    for (const { prompt, text } of results.filter(({ outcome }) => outcome === 200)) {
      const alone = await served.post(PATH, { prompt, max_tokens: TOKENS });
      assert.equal(text, at(alone.body, 'choices.0.text'), prompt);
    }
  });

  async function client(
    prompt: string,
    body: object,
    isEditor: boolean,
    leavesAfter?: number,
  ): Promise<ClientResult> {
    const headers = isEditor ? { 'x-flashline-priority': 'editor' } : {};
    const controller = new AbortController();
    const timer = leavesAfter === undefined ? undefined : setTimeout(() => controller.abort(), leavesAfter);
    try {
      const response = await served.send(PATH, body, { headers, signal: controller.signal });
      const text = await response.text();
      if (response.status !== 200) return { outcome: response.status, prompt };
      return { outcome: 200, prompt, text: textOf(text) };
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return { outcome: 'gone', prompt };
    } finally {
      clearTimeout(timer);
    }
  }

  it('delays a request of an editor by one step of other requests at most', async () => {
    const controller = new AbortController();
    const chats = Array.from({ length: 4 }, () => served.send(PATH, LONG, { signal: controller.signal }));
    await Promise.all(chats);
    const from = served.steps.length;
    for (let i = 0; i < 6; i++) {
      const streamed = i % 2 === 0;
      const path = i < 4 ? '/infill' : PATH;
      const body = i < 4 ? infill : { prompt: PROMPTS[i], max_tokens: 6 };
      const headers = { 'x-flashline-priority': 'editor' };
      await (await served.send(path, { ...body, stream: streamed }, { headers })).text();
    }
    controller.abort();
    await Promise.allSettled(chats.map(async (chat) => (await chat).text()));
    const steps = served.steps.slice(from);
    const starts = steps.filter(({ kind, isStart }) => kind === 'inline' && isStart);
    assert.equal(starts.length, 6);
    for (const { decode } of starts) {
      const positions = steps.flatMap((step, i) => (step.decode === decode ? [i] : []));
      const between = steps.slice(positions[0], positions.at(-1)).filter(({ kind }) => kind !== 'inline');
      assert.ok(between.length <= 1, `${String(between.length)} steps of other requests`);
    }
    assert.ok(steps.some(({ kind }) => kind === 'generate'));
    await idle();
  });

  it('decodes equal requests once, also when the first client disconnects', async () => {
    const from = served.decodes.length;
    const body = { input_prefix: `${PROMPTS[1] ?? ''} [`, input_suffix: ']\n', n_predict: 24, n_indent: 4 };
    const [gone, ...answers] = await Promise.all(
      [0, 1, 2, 3].map(async (i): Promise<unknown> => {
        if (i > 0) return (await served.post('/infill', body)).body;
        const controller = new AbortController();
        const { signal } = controller;
        const first = await served.send('/infill', { ...body, stream: true }, { signal });
        controller.abort();
        await first.text().catch(() => undefined);
        return undefined;
      }),
    );
    assert.equal(gone, undefined);
    const prompts = new Set(served.decodes.slice(from).map(({ promptIds }) => promptIds.join()));
    assert.equal(served.decodes.length - from, prompts.size, 'each prompt is decoded once');
    const alone = await served.post('/infill', body);
    for (const answer of answers) assert.equal(at(answer, 'content'), at(alone.body, 'content'));
    const drawn = { ...body, temperature: 1 };
    const before = served.decodes.length;
    await Promise.all([served.post('/infill', drawn), served.post('/infill', drawn)]);
    assert.ok(served.decodes.length >= before + 2, 'requests with a temperature share no decode');
  });

  async function outputTokens(): Promise<number> {
    const { body } = await served.get('/metrics');
    return Number(/\nflashline_output_tokens_total (\d+)/.exec(body as string)?.[1]);
  }

  it('counts all tokens of equal requests whose first client disconnects', async () => {
    await idle();
    const [from, before] = [served.decodes.length, await outputTokens()];
    const body = { prompt: PROMPTS[2], max_tokens: 24 };
    const controller = new AbortController();
    const leaving = async (): Promise<void> => {
      const response = await served.send(PATH, { ...body, stream: true }, { signal: controller.signal });
      controller.abort();
      await response.text().catch(() => undefined);
    };
    const [, answer] = await Promise.all([leaving(), served.post(PATH, body)]);
    await idle();
    assert.equal(served.decodes.length - from, 1, 'the requests share a decode');
    assert.equal((await outputTokens()) - before, Number(at(answer.body, 'usage.completion_tokens')));
  });

  it('counts the tokens of equal requests once', async () => {
    const [from, before] = [served.decodes.length, await outputTokens()];
    const body = { prompt: PROMPTS[3], max_tokens: 24 };
    const [answer] = await Promise.all([0, 1, 2].map(() => served.post(PATH, body)));
    await idle();
    const decodes = served.decodes.length - from;
    assert.ok(decodes < 3, 'some requests share a decode');
    assert.equal(
      (await outputTokens()) - before,
      decodes * Number(at(answer?.body, 'usage.completion_tokens')),
    );
  });

  it('decodes an editor’s request apart from an equal one of lower priority', async () => {
    const body = { prompt: PROMPTS[0] ?? '', max_tokens: 24 };
    const from = served.decodes.length;
    const editor = { 'x-flashline-priority': 'editor' };
    const answers = await Promise.all([
      served.post('/v1/completions', body),
      served.post('/v1/completions', body, editor),
    ]);
    const kinds = new Set(served.decodes.slice(from).map(({ request }) => request.kind));
    assert.deepEqual([...kinds].sort(), ['generate', 'inline']);
    assert.equal(at(answers[0].body, 'choices.0.text'), at(answers[1].body, 'choices.0.text'));
  });

  it('answers the request of a new keystroke before equal requests of the previous keystroke', async () => {
    const prefix = `${'const value = compute(value);\n'.repeat(20)}${PROMPTS[2] ?? ''}`;
    const infillAfter = (prompt: string) =>
      served.post('/infill', { input_prefix: prefix, prompt, n_predict: 40, stop: ['\u0000'] });
    await infillAfter(' x');
    const from = served.steps.length;
    const equal = [0, 1, 2, 3].map(() => infillAfter(' xy = '));
    while (served.steps.slice(from).filter(({ isStart }) => !isStart).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 1));
    const start = served.steps.length;
    const newest = await infillAfter(' xyz = ');
    assert.ok(
      (at(newest.body, 'timings.prompt_n') as number) <= 8,
      JSON.stringify(at(newest.body, 'timings')),
    );
    const steps = served.steps.slice(start);
    const { decode } = steps.findLast(({ isStart }) => isStart) ?? assert.fail();
    const positions = steps.flatMap((step, i) => (step.decode === decode ? [i] : []));
    const between = steps.slice(positions[0], positions.at(-1)).filter((step) => step.decode !== decode);
    // The step that was running, and another one if that ended before the newest request had queued.
    assert.ok(between.length <= 2, `${String(between.length)} steps of older requests`);
    await Promise.all(equal);
  });
});

describe('limits of the HTTP queue', function () {
  this.timeout(600_000);

  it('refuse a request when the queue is full, with the time to wait', async () => {
    const served = await ServedPair.start({ limits: { running: 1, waiting: 1 } });
    const controller = new AbortController();
    const running = await served.send(PATH, LONG, { signal: controller.signal });
    const waiting = served.post(PATH, { prompt: 'x = ', max_tokens: 1 });
    for (;;) if (((await served.get('/metrics')).body as string).includes('queue_length 1\n')) break;
    const refused = await served.post(PATH, { prompt: 'x = ', max_tokens: 1 });
    assert.deepEqual([refused.status, at(refused.body, 'error.code')], [429, 'queue_full']);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    // Invalid bodies are refused immediately.
    for (const wrong of [{ temperature: -1 }, { grammar: 'x' }, { prompt: [1], suffix: 'x' }])
      assert.equal((await served.post(PATH, wrong)).status, 400, JSON.stringify(wrong));
    assert.equal((await served.post('/infill', { input_prefix: 'x = ', n_predict: 1 })).status, 200);
    controller.abort();
    await running.text().catch(() => undefined);
    assert.equal((await waiting).status, 200);
    await served.end();
  });

  it('end requests after the time limit, running or waiting, with and without streaming', async () => {
    const served = await ServedPair.start({ limits: { running: 1, waiting: 4 }, timeoutMs: 500 });
    const runs = served.post(PATH, { ...LONG, stream: false });
    const waits = served.post(PATH, { ...LONG, stream: false });
    for (const { status, body } of [await runs, await waits])
      assert.deepEqual([status, at(body, 'error.code')], [504, 'timeout']);
    const streamed = await (await served.send(PATH, LONG)).text();
    assert.match(streamed, /data: \{"error":\{"message":"Timed out after 0\.5 s\. .*\}\n\n$/);
    await served.end();
  });

  it('end running streams with an error when the server is stopped', async () => {
    const served = await ServedPair.start();
    const long = await served.send(PATH, LONG);
    const cut = served.stopServer(100);
    assert.match(await long.text(), /"code":"server_stopping"\}\}\n\n$/);
    await cut;
    await served.end();
  });
});

/** Returns the text of an answer, streamed or not. */
function textOf(answer: string): unknown {
  if (!answer.startsWith('data: ')) return at(JSON.parse(answer), 'choices.0.text');
  const events = answer.split('\n\n').filter((event) => event.startsWith('data: {'));
  return events.map((event) => at(JSON.parse(event.slice(6)), 'choices.0.text')).join('');
}
