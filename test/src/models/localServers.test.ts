// Tests the search for model servers of other programs on this machine, with answers recorded from those programs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { modelEntry } from '../../../server/http/modelEndpoints';
import type { LocalModel } from '../../../server/hosting/model';
import { localServers } from '../../../src/models/localServers';

// Answers recorded from llama-server (with the fields for Ollama's clients), Ollama and LM Studio.
const CODER = 'models/qwen2.5-coder-1.5b-q8_0.gguf';
const LLAMA = {
  data: [
    {
      aliases: [CODER],
      created: 1791322978,
      id: CODER,
      object: 'model',
      owned_by: 'llamacpp',
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      meta: { n_ctx: 32768, n_ctx_train: 32768, n_embd: 1536, n_vocab: 151936, vocab_type: 2 },
    },
  ],
  models: [{ capabilities: ['completion'], model: CODER, type: 'model' }],
  object: 'list',
};
const listOf = (owner: string, ...ids: readonly string[]) => ({
  object: 'list',
  data: ids.map((id) => ({ id, object: 'model', created: 1757891103, owned_by: owner })),
});
const OLLAMA = listOf(
  'library',
  'qwen2.5-coder:1.5b-base',
  'nomic-embed-text:latest',
  'bge-m3:latest',
  'all-minilm:l6-v2',
  'qwen3-coder:480b-cloud',
  'glm-4.6:cloud',
);
const LM_STUDIO = listOf('owner', 'qwen/qwen3-coder-30b', 'text-embedding-nomic-embed-text-v1.5');

describe('model servers on this machine', () => {
  const running: Server[] = [];
  const paths: string[] = [];
  afterEach(() => {
    for (const server of running.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    paths.length = 0;
  });

  async function serve(listener: RequestListener): Promise<number> {
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      listener(request, response);
    });
    running.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  const listing = (models: unknown): Promise<number> =>
    serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(models));
    });

  it('are found with their models, except embedding and cloud models', async () => {
    const ports = {
      'llama.cpp': await listing(LLAMA),
      Ollama: await listing(OLLAMA),
      'LM Studio': await listing(LM_STUDIO),
    };
    // A busy machine can take longer to answer than users wait for the picker.
    const found = await localServers(ports, 60_000);
    assert.deepEqual(Object.fromEntries(found.map(({ program, models }) => [program, models])), {
      'llama.cpp': [CODER],
      Ollama: ['qwen2.5-coder:1.5b-base'],
      'LM Studio': ['qwen/qwen3-coder-30b'],
    });
    assert.equal(found[0]?.url, `http://127.0.0.1:${ports['llama.cpp']}`);
    assert.deepEqual(new Set(paths), new Set(['/v1/models']));
  });

  it('are listed with at most eight models', async () => {
    const names = Array.from({ length: 9 }, (_, i) => `coder-${String(i)}`);
    const [server] = await localServers({ Ollama: await listing(listOf('library', ...names)) }, 60_000);
    assert.deepEqual(server?.models, names.slice(0, 8));
  });

  it('are found by a model listed after eight that cannot complete code', async () => {
    const embedders = Array.from({ length: 8 }, (_, i) => `embed-${String(i)}`);
    const port = await listing(listOf('library', ...embedders, 'coder'));
    const [server] = await localServers({ Ollama: port }, 60_000);
    assert.deepEqual(server?.models, ['coder']);
  });

  it('do not include Flashline itself', async () => {
    const config = { maxPositionEmbeddings: 1, vocabSize: 2 };
    // The names of embedding models, which are left out too, begin like that of the built-in model.
    const model = { info: { target: 'Qwen3-4B' }, engine: { config } } as unknown as LocalModel;
    const port = await listing({ object: 'list', data: [modelEntry(model, 0)] });
    assert.deepEqual(await localServers({ 'llama.cpp': port }, 60_000), []);
    assert.deepEqual(paths, ['/v1/models']);
  });

  it('are left out when nothing answers in time, or an answer is not a list of models', async () => {
    const elsewhere = await listing(OLLAMA);
    const closed = await serve(() => undefined);
    await once(running.pop()?.close() ?? assert.fail(), 'close');
    const ports = {
      closed,
      page: await serve((_, response) => response.end('<html></html>')),
      refusal: await serve((_, response) => response.writeHead(401).end(JSON.stringify(LLAMA))),
      redirect: await serve((_, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/v1/models` }).end(),
      ),
      silence: await serve(() => undefined),
      flood: await serve((_, response) => response.end(`{"data":[${'{"id":"a"},'.repeat(200_000)}{}]}`)),
      odd: await listing({ data: [null, 7, { id: 3 }, {}] }),
      // Ollama without a model.
      none: await listing({ object: 'list', data: null }),
      null: await listing(null),
    };
    assert.deepEqual(await localServers(ports), []);
  });
});
