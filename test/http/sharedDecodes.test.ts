// Tests which simultaneous requests share a decode, that the model counts the requests that wait for their output, and
// what a stopping server waits for.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Decode, DecodeRequest, DecodeResult } from '../../server/engine/decode/decode';
import { QueueTicket } from '../../server/engine/request/queueTicket';
import { SharedDecodes } from '../../server/http/sharedDecodes';
import { createModel } from '../../server/hosting/model';
import { until } from '../editor/waiting';
import { LONG, ScriptedEngine } from '../lsp/scriptedEngine';
import { fake } from '../support/fake';
import { overlaid } from '../support/overlaid';
import { ScriptedServer } from './scriptedServer';

const COMPLETIONS = '/v1/completions';

/** An engine whose first output waits until `finish` is called. */
class WaitingEngine extends ScriptedEngine {
  finish = (): void => undefined;
  readonly #finished = new Promise<void>((resolve) => (this.finish = resolve));

  override decode(promptIds: readonly number[], options: DecodeRequest): Decode {
    const decode = super.decode(promptIds, options);
    if (this.decodes.length > 1) return decode;
    const finished = this.#finished;
    const chunks = async function* () {
      await finished;
      yield* decode;
    };
    return overlaid(decode, { [Symbol.asyncIterator]: chunks });
  }
}

describe('simultaneous requests', () => {
  let served: ScriptedServer;
  afterEach(() => served.server.stop(0));

  /** Sends requests one after the other while all run; returns the number of decodes after each. */
  const decodeCounts = async (path: string, bodies: readonly object[], counts: readonly number[]) => {
    const seen: number[] = [];
    for (const [i, body] of bodies.entries()) {
      await served.send(path, { ...body, stream: true });
      await until('the request is decoded', () => served.engine.decodes.length >= (counts[i] ?? 0));
      seen.push(served.engine.decodes.length);
    }
    return seen;
  };

  it('share a decode only if their texts are certain to be equal', async () => {
    for (const [path, body, other, counts] of [
      [COMPLETIONS, {}, {}, [1, 1]],
      [COMPLETIONS, { temperature: 1, seed: 3 }, { temperature: 1, seed: 3 }, [1, 1]],
      [COMPLETIONS, { temperature: 1, seed: 3 }, { temperature: 1, seed: 4 }, [1, 2]],
      [COMPLETIONS, { temperature: 1 }, { temperature: 1 }, [1, 2]],
      [COMPLETIONS, { cache_prompt: false }, { cache_prompt: false }, [1, 2]],
      [COMPLETIONS, {}, { max_tokens: 9 }, [1, 2]],
      [COMPLETIONS, {}, { prompt: 'y' }, [1, 2]],
    ] as const) {
      served = await ScriptedServer.start(new ScriptedEngine([LONG]));
      const bodies = [body, other].map((fields) => ({ prompt: 'x', ...fields }));
      assert.deepEqual(await decodeCounts(path, bodies, counts), counts, JSON.stringify(bodies));
      await served.server.stop(0);
    }
  });

  it('share a newer decode after the abandoned decode of an equal request has ended', async () => {
    const engine = new WaitingEngine([LONG]);
    served = await ScriptedServer.start(engine);
    const body = { prompt: 'x', stream: true };
    const client = new AbortController();
    const first = served.send(COMPLETIONS, body, { signal: client.signal }).catch(() => undefined);
    await until('the first request is decoded', () => engine.decodes.length === 1);
    client.abort();
    await first;
    const [{ options } = assert.fail()] = engine.decodes;
    await until('the first decode is aborted', () => options.signal?.aborted);
    await served.send(COMPLETIONS, body);
    engine.finish();
    await until('the first decode has ended', () => engine.decodes[0]?.ended);
    await served.send(COMPLETIONS, body);
    assert.equal(engine.decodes.length, 2);
  });

  it('are counted by the model while they wait for their output', async () => {
    const engine = new ScriptedEngine([['one'], [new Error('out of order')], LONG]);
    let [begun, waiting] = [0, 0];
    const begin = () => {
      begun += 1;
      waiting += 1;
      return () => void (waiting -= 1);
    };
    const model = { ...createModel('pair', { engine, target: 'scripted', drafter: 'tiny' }), begin };
    served = await ScriptedServer.start(engine, { models: fake({ use: (work) => work(model) }) });
    for (const [status, count] of [
      [200, 1],
      [500, 2],
    ] as const) {
      assert.equal((await served.post(COMPLETIONS, { prompt: 'x' })).status, status);
      assert.deepEqual([begun, waiting], [count, 0]);
    }
    const response = await served.send(COMPLETIONS, { prompt: 'x', stream: true });
    assert.deepEqual([begun, waiting], [3, 1]);
    await response.body?.cancel();
    await until('the count is down again', () => waiting === 0);
  });
});

describe('shared decodes', () => {
  it('are not used for equal prompts with different partly typed words', () => {
    const engine = new ScriptedEngine([LONG]);
    const { signal } = new AbortController();
    const ticket = new QueueTicket('inline');
    const shared = new SharedDecodes();
    for (const word of ['ba', 'be', 'ba']) shared.decode(engine, [1], { maxTokens: 9, ticket, signal }, word);
    assert.equal(engine.decodes.length, 2);
  });

  it('end when their only reader needs no more text', async () => {
    const engine = new ScriptedEngine([LONG]);
    const { signal } = new AbortController();
    const request = { maxTokens: 9, ticket: new QueueTicket('inline'), signal };
    for await (const { text } of new SharedDecodes().decode(engine, [1], request, '')) if (text !== '') break;
    assert.equal(engine.decodes[0]?.ended, 'abandoned');
  });

  it('are not joined once they have failed, even while a slow reader has not read that', async () => {
    const engine = new ScriptedEngine([['one', new Error('out of order')], ['two']]);
    const { signal } = new AbortController();
    const shared = new SharedDecodes();
    const read = () => {
      const request = { maxTokens: 9, ticket: new QueueTicket('inline'), signal };
      return shared.decode(engine, [1], request, '')[Symbol.asyncIterator]();
    };
    const [slow, fast] = [read(), read()];
    for (const reader of [slow, fast]) assert.equal((await reader.next()).done, false);
    await assert.rejects(async () => await fast.next(), /out of order/);
    const next = read();
    const { value } = (await next.next()) as { readonly value?: { readonly text: string } };
    assert.deepEqual([value?.text, engine.decodes.length], ['two', 2]);
    for (const reader of [slow, next]) await reader.return?.();
  });

  it('return their final result, which the metrics count, to only one of two readers that end together', async () => {
    const engine = new ScriptedEngine([['one']]);
    const { signal } = new AbortController();
    const shared = new SharedDecodes();
    const read = async (): Promise<DecodeResult | undefined> => {
      const request = { maxTokens: 9, ticket: new QueueTicket('inline'), signal };
      const decode = shared.decode(engine, [1], request, '');
      const chunks = decode[Symbol.asyncIterator]();
      while (!(await chunks.next()).done);
      return decode.takeFinalResult();
    };
    const results = await Promise.all([read(), read()]);
    assert.equal(engine.decodes.length, 1);
    assert.equal(results.filter((result) => result !== undefined).length, 1);
  });
});

describe('a stopping server', () => {
  it('ends as soon as its requests are answered, though clients keep their connections', async () => {
    const engine = new WaitingEngine();
    const served = await ScriptedServer.start(engine);
    const answer = served.post(COMPLETIONS, { prompt: 'x' });
    await until('the request is decoded', () => engine.decodes.length === 1);
    const stopped = served.server.stop(3_600_000);
    engine.finish();
    assert.equal((await answer).status, 200);
    await stopped;
  });

  it('closes connections whose request is not complete', async () => {
    const served = await ScriptedServer.start();
    const { hostname, port } = new URL(served.server.address);
    const socket = connect(Number(port), hostname);
    const head = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n';
    socket.write(`POST ${COMPLETIONS} HTTP/1.1\r\n${head}{"prompt":`);
    // When this later request is answered, the server has read the headers of the first.
    await served.get('/health');
    const answer = text(socket).catch(() => '');
    await served.server.stop(0);
    assert.equal(await answer, '');
  });
});
