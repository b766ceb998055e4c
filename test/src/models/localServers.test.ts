// Servers of other programs that run on this machine, with the answers that those programs give.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { modelEntry } from '../../../server/http/modelFields';
import type { LoadedModel } from '../../../server/lsp/loadedModel';
import { localServers } from '../../../src/models/localServers';

// From the documentation of the programs: tools/server/README.md of llama.cpp, docs/openai.md of Ollama, and LM Studio's
// page of its OpenAI endpoints.
const LLAMA = {
  object: 'list',
  data: [
    {
      id: '../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf',
      object: 'model',
      created: 1735142223,
      owned_by: 'llamacpp',
      meta: { vocab_type: 2, n_vocab: 128256, n_ctx_train: 131072, n_embd: 4096, n_params: 8030261312 },
    },
  ],
};
const OLLAMA = {
  object: 'list',
  data: [
    { id: 'qwen2.5-coder:1.5b-base', object: 'model', created: 1700000000, owned_by: 'library' },
    { id: 'nomic-embed-text:latest', object: 'model', created: 1700000000, owned_by: 'library' },
  ],
};
const LM_STUDIO = {
  data: [{ id: 'qwen2.5-coder-7b-instruct', object: 'model', owned_by: 'organization_owner' }],
  object: 'list',
};

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

  it('are found with their models, apart from those that only embed', async () => {
    const ports = {
      'llama.cpp': await listing(LLAMA),
      Ollama: await listing(OLLAMA),
      'LM Studio': await listing(LM_STUDIO),
    };
    const found = await localServers(ports);
    assert.deepEqual(
      found.map(({ program, models }) => [program, ...models]),
      [
        ['llama.cpp', '../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf'],
        ['Ollama', 'qwen2.5-coder:1.5b-base'],
        ['LM Studio', 'qwen2.5-coder-7b-instruct'],
      ],
    );
    assert.equal(found[0]?.url, `http://127.0.0.1:${ports['llama.cpp']}`);
    assert.deepEqual(new Set(paths), new Set(['/v1/models']));
  });

  it('are not Flashline itself', async () => {
    const config = { maxPositionEmbeddings: 1, vocabSize: 2 };
    const own = modelEntry({ info: { target: 'embedded' }, engine: { config } } as unknown as LoadedModel, 0);
    assert.deepEqual(await localServers({ 'llama.cpp': await listing({ object: 'list', data: [own] }) }), []);
  });

  it('are left out where nothing listens, or what does is something else', async () => {
    const elsewhere = await listing(OLLAMA);
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port: free } = closed.address() as AddressInfo;
    await once(closed.close(), 'close');
    const ports = {
      nobody: free,
      page: await serve((_, response) => response.end('<html></html>')),
      refusal: await serve((_, response) => response.writeHead(401).end(JSON.stringify(LLAMA))),
      redirect: await serve((_, response) =>
        response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/v1/models` }).end(),
      ),
      silence: await serve(() => undefined),
      flood: await serve((_, response) => response.end(`{"data":[${'{"id":"a"},'.repeat(200_000)}{}]}`)),
      odd: await listing({ data: [null, 7, { id: 3 }, {}] }),
      null: await listing(null),
    };
    assert.deepEqual(await localServers(ports), []);
  });
});
