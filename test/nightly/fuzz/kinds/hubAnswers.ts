// Answers of a Hub or a mirror: about a repository, its listing, and its files. A failed download gives a reason and
// leaves nothing that looks like a model; with valid answers, all files arrive.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { download } from '../../../../server/hub/download';
import { planDownload } from '../../../../server/hub/downloadPlan';
import { downloadedModel } from '../../../../server/hub/downloadedModels';
import { Hub } from '../../../../server/hub/hub';
import type { Fetch } from '../../../../server/machine/outboundHttp';
import { COMMIT, infoOf, treeOf } from '../../../support/hub/hubServer';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { valueUnlessRefused } from '../assertExplained';
import { fuzzKind } from '../kind';
import { mixed, spoiltJson, type Json } from '../oddValues';

const NAME = 'made-up/model';
const ENDPOINT = 'https://hub.example';
const CONFIG = { model_type: 'qwen3', hidden_size: 8, vocab_size: 16, num_hidden_layers: 2 };
const INDEX = { metadata: {}, weight_map: { a: 'model-00001-of-00001.safetensors' } };
const FILES: Readonly<Record<string, string>> = {
  'config.json': JSON.stringify(CONFIG),
  'model.safetensors.index.json': JSON.stringify(INDEX),
  'model-00001-of-00001.safetensors': 'weights',
  'tokenizer.json': '{}',
};
const INFO = infoOf(NAME, COMMIT, { files: {} }) as Json;

interface Answers {
  readonly info: string;
  readonly tree: string;
  readonly files: Readonly<Record<string, string>>;
  /** Status and headers of all answers from the index `at` on. */
  readonly odd?: { readonly at: number; readonly status: number; readonly headers: Record<string, string> };
}

function listed(files: Readonly<Record<string, string>>): Json {
  const bytes = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const);
  return treeOf({ files: Object.fromEntries(bytes) }, '') as Json;
}

/** Returns answers with a correct listing of the files, so that they are read. */
const answersWith = (files: Readonly<Record<string, string>>): Answers => ({
  info: JSON.stringify(INFO),
  tree: JSON.stringify(listed(files)),
  files,
});
const validAnswers = answersWith(FILES);

const HEADERS: readonly Record<string, string>[] = [
  {},
  { link: `<${ENDPOINT}/api/models/${NAME}/tree/${COMMIT}?page=2>; rel="next"` },
  { link: '<x>; rel="next"' },
  ...['1', 'soon', '99999999999'].map((time) => ({ 'retry-after': time })),
  { 'x-error-code': 'GatedRepo' },
  { 'x-error-code': 'RepoNotFound', 'x-error-message': 'TypeError: x' },
  { 'content-length': '3' },
  { 'content-range': 'bytes 5-4/2' },
  { 'content-type': 'text/html' },
];
const odd = fc.record({
  at: fc.nat(6),
  status: fc.constantFrom(200, 201, 204, 206, 302, 400, 401, 403, 404, 416, 429, 500, 503),
  headers: fc.constantFrom(...HEADERS),
});

const spoiltFiles = fc.record({
  'config.json': spoiltJson(CONFIG),
  'model.safetensors.index.json': spoiltJson(INDEX),
});

const inputs = mixed<Answers>(
  [3, spoiltJson(listed(FILES)).map((tree) => ({ ...validAnswers, tree }))],
  [2, spoiltJson(INFO).map((info) => ({ ...validAnswers, info }))],
  [3, spoiltFiles.map((files) => answersWith({ ...FILES, ...files }))],
  [
    1,
    fc
      .constantFrom(...Object.keys(FILES))
      .map((name) => ({ ...validAnswers, files: { ...FILES, [name]: 'other' } })),
  ],
  [2, odd.map((answer) => ({ ...validAnswers, odd: answer }))],
);

function fetchOf({ info, tree, files, odd: oddAnswer }: Answers): Fetch {
  let index = -1;
  return (address) => {
    index += 1;
    const { pathname } = new URL(address);
    const name = /\/resolve\/[^/]+\/(.+)$/.exec(pathname)?.[1];
    const about = pathname.includes('/tree/') ? tree : info;
    const text = name === undefined ? about : (files[decodeURIComponent(name)] ?? '');
    const { status = 200, headers: oddHeaders = {} } =
      oddAnswer !== undefined && index >= oddAnswer.at ? oddAnswer : {};
    const body = status === 204 ? null : text;
    const json = { 'content-type': 'application/json' };
    const response = new Response(body, { status, headers: { ...json, ...oddHeaders } });
    Object.defineProperty(response, 'url', { value: address });
    return Promise.resolve(response);
  };
}

export const hubAnswers = fuzzKind({
  name: 'hub',
  inputs,
  runs: 75,
  open: () => {
    const cache = join(temporaryFolder(), 'cache');
    const { signal } = new AbortController();
    const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const hubOptions = { endpoint: ENDPOINT, env: { HF_TOKEN_PATH: '/nowhere' }, wait };
    const pull = async (answers: Answers): Promise<void> => {
      rmSync(cache, { recursive: true, force: true });
      const hub = new Hub({ ...hubOptions, fetch: fetchOf(answers) });
      await download(hub, await planDownload(hub, cache, [NAME], { signal }), { signal });
    };
    return {
      attempt: async (answers) => {
        const isDone = await valueUnlessRefused(() => pull(answers).then(() => true));
        const found = downloadedModel(cache, NAME);
        assert.ok(isDone === true || found === undefined, 'a failed download left a model');
      },
      checkValid: async () => {
        await pull(validAnswers);
        assert.equal(downloadedModel(cache, NAME)?.files.length, Object.keys(FILES).length);
      },
    };
  },
});
