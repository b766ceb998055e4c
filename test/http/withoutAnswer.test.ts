// Tests requests that a server cannot answer: without a model, with a model that lacks something, with one that was
// unloaded, and after a defect.
import assert from 'node:assert/strict';
import type { Decode, DecodeRequest } from '../../server/engine/decode/decode';
import type { HttpServer } from '../../server/http/httpServer';
import { createModel, type Model, type ServedEngine } from '../../server/hosting/model';
import type { StatusParams } from '../../server/protocol/messages';
import { ScriptedEngine } from '../lsp/scriptedEngine';
import { ToolEngine } from '../lsp/toolEngine';
import { fake } from '../support/fake';
import { overlaid } from '../support/overlaid';
import { at, eventsOf } from './answers';
import { ScriptedServer } from './scriptedServer';
import { serverOf } from './servedPair';

const BEFORE_ANY_SERVER = [globalThis.Request, globalThis.Response];
const COMPLETIONS = '/v1/completions';
const CHAT = '/v1/chat/completions';
const QUESTION = { role: 'user', content: 'q' };

describe('a server without a model', () => {
  let served: ScriptedServer;
  afterEach(() => served.server.stop(0));

  const startWith = async (model: Model | undefined, status: StatusParams): Promise<void> => {
    served = await ScriptedServer.start(undefined, {
      models: fake({ use: (work) => work(model), status }),
    });
  };

  it('says why it has none, also if the windows use a remote engine', async () => {
    const engine = fake<Model['engine']>({ remote: { host: 'there:9' }, hasChatTemplate: false });
    const remote = createModel('pair', { engine, target: 'x', drafter: undefined });
    for (const model of [undefined, remote]) {
      await startWith(model, { state: 'error', message: 'It is out of order. Repair it.' });
      for (const [path, body] of [
        [COMPLETIONS, { prompt: 'x' }],
        ['/tokenize', { content: 'x' }],
      ] as const) {
        const { status, body: answer } = await served.post(path, body);
        const [code, message] = [at(answer, 'error.code'), at(answer, 'error.message')];
        assert.deepEqual(
          [status, code, message],
          [503, 'model_not_available', 'It is out of order. Repair it.'],
        );
      }
      await served.server.stop(0);
    }
    await startWith(undefined, { state: 'asleep' });
    const { body } = await served.post(COMPLETIONS, { prompt: 'x' });
    assert.equal(at(body, 'error.message'), 'No model is loaded. Try again later.');
  });

  it('is healthy unless it is still loading one, or cannot load one', async () => {
    for (const [state, message, expected] of [
      ['ready', undefined, undefined],
      ['asleep', undefined, undefined],
      ['generating', undefined, undefined],
      ['starting', undefined, /^The model is still loading\. /],
      ['loading', undefined, /^The model is still loading\. /],
      ['error', 'No model folder.', /^No model folder\.$/],
    ] as const) {
      await startWith(undefined, fake({ state, ...(message !== undefined && { message }) }));
      for (const path of ['/health', '/v1/health']) {
        const { status, body } = await served.get(path);
        assert.equal(status, expected ? 503 : 200, state);
        if (expected) assert.match(String(at(body, 'error.message')), expected);
      }
      await served.server.stop(0);
    }
  });
});

/** An engine whose decodes end because its model is unloaded. */
class UnloadedEngine extends ScriptedEngine {
  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = super.decode(promptIds, options);
    return overlaid(decode, {
      get result() {
        return { ...decode.result, finishReason: 'superseded' as const };
      },
    });
  }

  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the engine does
  override readonly promptLogprobs: ServedEngine['promptLogprobs'] = () => Promise.reject('superseded');
}

describe('a request that cannot be answered', () => {
  let served: ScriptedServer;
  let lines: string[];
  beforeEach(() => (lines = []));
  afterEach(() => served.server.stop(0));

  const start = async (engine: ScriptedEngine): Promise<void> => {
    served = await ScriptedServer.start(engine, { log: (line) => void lines.push(line) });
  };
  const lastError = async (path: string, body: object): Promise<unknown> => {
    const { events, isDone } = await eventsOf(await served.send(path, { ...body, stream: true }));
    assert.equal(isDone, false);
    return at(events.at(-1), 'error.code');
  };

  it('says that the model was unloaded before the end, with and without a stream', async () => {
    await start(new UnloadedEngine([['one']]));
    for (const body of [{ prompt: 'x' }, { prompt: 'x', echo: true, logprobs: 1 }]) {
      assert.deepEqual(await served.refusal(COMPLETIONS, body), [503, 'model_not_available', null]);
      assert.equal(await lastError(COMPLETIONS, body), 'model_not_available');
    }
    // A request without output succeeds: the part of the prompt that was read stays in the cache.
    assert.equal((await served.post(COMPLETIONS, { prompt: 'x', max_tokens: 0 })).status, 200);
    assert.deepEqual(lines, []);
  });

  it('is logged with the message of an internal error, which the answer omits', async () => {
    await start(new ScriptedEngine([['one', new TypeError('hunter2 is no token')]]));
    const { status, body } = await served.post(COMPLETIONS, { prompt: 'x' });
    assert.deepEqual([status, at(body, 'error.code')], [500, 'internal_error']);
    assert.equal(await lastError(COMPLETIONS, { prompt: 'x' }), 'internal_error');
    assert.doesNotMatch(JSON.stringify(body), /hunter2/);
    assert.equal(lines.length, 2);
    for (const line of lines) assert.match(line, /a request.*hunter2/);
    await served.post(COMPLETIONS, { prompt: '' });
    assert.equal(lines.length, 2, 'a mistake of the client is not a defect');
  });

  it('names the feature that the model lacks', async () => {
    const engine = new ScriptedEngine();
    await start(engine);
    const hole = [COMPLETIONS, { prompt: 'x', suffix: 'y' }] as const;
    const chat = [CHAT, { messages: [QUESTION] }] as const;
    engine.tokenizer.specialTokenId = () => undefined;
    for (const [path, body, message] of [
      [...hole, /^The model scripted has no fill-in-the-middle tokens\. /],
      ['/infill', { input_prefix: 'x' }, /fill-in-the-middle/],
      [...chat, /^The model scripted has no chat template\. /],
    ] as const) {
      const { status, body: answer } = await served.post(path, body);
      assert.deepEqual([status, at(answer, 'error.code')], [501, 'not_supported'], path);
      assert.match(String(at(answer, 'error.message')), message);
    }
    Object.assign(engine, { tokenizer: undefined });
    const { status, body } = await served.post(COMPLETIONS, { prompt: 'x' });
    assert.equal(status, 501);
    assert.match(String(at(body, 'error.message')), /^The model scripted has no tokenizer\. /);
  });

  it('names the field that a chat format without a template does not support', async () => {
    const engine = new ScriptedEngine();
    engine.tokenizer.specialTokenId = (content) => (content.startsWith('<|im_') ? 7 : undefined);
    await start(engine);
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    for (const [fields, param] of [
      [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
      [{ messages: [QUESTION, { role: 'assistant', tool_calls: [call] }] }, 'messages'],
      [{ messages: [QUESTION, { role: 'tool', content: 'x' }] }, 'messages'],
      [{ reasoning_effort: 'high' }, 'reasoning_effort'],
      [{ add_generation_prompt: false }, 'add_generation_prompt'],
      [{ chat_template_kwargs: { mood: 'sad' } }, 'chat_template_kwargs.mood'],
      [{ chat_template_kwargs: { reasoning_effort: 'high' } }, 'chat_template_kwargs.reasoning_effort'],
      [
        { chat_template_kwargs: { add_generation_prompt: true } },
        'chat_template_kwargs.add_generation_prompt',
      ],
    ] as const)
      assert.deepEqual(
        await served.refusal(CHAT, { messages: [QUESTION], ...fields }),
        [400, 'unsupported_parameter', param],
        JSON.stringify(fields),
      );
    assert.equal((await served.post(CHAT, { messages: [QUESTION] })).status, 200);
  });

  it('reports a broken chat template, even if the model could chat without a template', async () => {
    const engine = new ToolEngine([['Hi.']]);
    engine.tokenizer.specialTokenId = () => 7;
    const chatProblem = new Error('The chat template is broken.');
    Object.assign(engine, { renderChat: () => undefined, chatProblem });
    await start(engine);
    const { status, body } = await served.post(CHAT, { messages: [QUESTION] });
    assert.deepEqual([status, at(body, 'error.message')], [501, 'The chat template is broken.']);
  });
});

describe('a server that starts', () => {
  it('reports why it cannot listen at its address', async () => {
    // An address for documentation, which no machine has.
    const started = serverOf(
      createModel('pair', { engine: new ScriptedEngine(), target: 'x', drafter: '' }),
      {
        host: '203.0.113.7',
      },
    );
    await assert.rejects(
      started,
      /^UserError: The server cannot listen at 203\.0\.113\.7:0 \(.*EADDRNOTAVAIL/,
    );
  });

  it('leaves the global Request and Response of the process unchanged', async () => {
    const server: HttpServer = await serverOf(
      createModel('pair', { engine: new ScriptedEngine(), target: 'x', drafter: '' }),
    );
    assert.deepEqual([globalThis.Request, globalThis.Response], BEFORE_ANY_SERVER);
    await server.stop(0);
  });
});
