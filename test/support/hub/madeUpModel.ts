// A repository that looks like a model but has random bytes, downloads of it, and checks of the cache after them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { download, type DownloadOptions } from '../../../server/hub/download';
import { planDownload } from '../../../server/hub/downloadPlan';
import { downloadedModel } from '../../../server/hub/downloadedModels';
import { Hub, type HubOptions } from '../../../server/hub/hub';
import { RepositoryCache } from '../../../server/hub/repositoryCache';
import { UserError } from '../../../server/rules/userError';
import { seededRandom } from '../seededRandom';
import { COMMIT, gitChecksum, sha256, type HubServer, type ServedRepository } from './hubServer';

export const MODEL = 'made-up/model';
export const TOKEN = 'hf_aTokenThatNobodyMaySee';
export const SHARDS = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
export const SHARD_BYTES = 300_000;

/** Files that a download must bring. */
const NEEDED = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'additional_chat_templates/tool_use.jinja',
  'model.safetensors.index.json',
  ...SHARDS,
];
/** Files that no model needs. */
const UNNEEDED = [
  'README.md',
  'consolidated.safetensors',
  'pytorch_model.bin',
  'original/params.json',
  'additional_chat_templates/rag.jinja',
];

export function madeUpModel(seed = 1): ServedRepository {
  const random = seededRandom(seed);
  const bytes = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const weights = Object.fromEntries(SHARDS.map((shard, i) => [`layers.${String(i)}.weight`, shard]));
  return {
    files: {
      ...Object.fromEntries(UNNEEDED.map((name) => [name, bytes(1000)])),
      'config.json': json({ model_type: 'qwen3', hidden_size: 8, vocab_size: 16, num_hidden_layers: 2 }),
      'generation_config.json': json({}),
      'tokenizer.json': bytes(20_000),
      'tokenizer_config.json': json({ seed }),
      'additional_chat_templates/tool_use.jinja': bytes(500),
      'model.safetensors.index.json': json({ metadata: {}, weight_map: weights }),
      ...Object.fromEntries(SHARDS.map((shard) => [shard, bytes(SHARD_BYTES)])),
    },
  };
}

/** Creates a connection that ignores this machine's environment and does not wait before it retries. */
export function connectionTo(server: HubServer, options: HubOptions = {}): Hub {
  return new Hub({ endpoint: server.url, env: { HF_TOKEN_PATH: '/nowhere' }, wait: noWait, ...options });
}

function noWait(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Downloads MODEL; returns the folders of the downloaded models. */
export async function pull(
  connection: Hub,
  cache: string,
  options: Partial<DownloadOptions> = {},
): Promise<string[]> {
  const { signal = new AbortController().signal } = options;
  const plan = await planDownload(connection, cache, [MODEL], { signal, isUpdate: true });
  return await download(connection, plan, { ...options, signal });
}

/** Returns the message of an attempt that must fail. */
export async function failure(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => assert.fail('the attempt succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof UserError, String(error));
  assert.ok(!error.message.includes(TOKEN), error.message);
  return error.message;
}

/** Asserts that the model is complete and found without a network, with the right bytes and no leftovers. */
export function assertWhole(cache: string, { files }: ServedRepository, commit = COMMIT): void {
  const repository = new RepositoryCache(cache, MODEL);
  const found = downloadedModel(cache, MODEL);
  assert.equal(found?.directory, repository.snapshot(commit));
  const listed = found.files.map(({ name }) => name);
  for (const names of [namesUnder(found.directory), listed])
    assert.deepEqual(names.sort(), [...NEEDED].sort());
  for (const name of NEEDED) assert.deepEqual(readFileSync(join(found.directory, name)), files[name]);
  assertValid(cache);
  assert.deepEqual(repository.partials(), []);
  assert.deepEqual(readdirSync(repository.locks), []);
}

/** Asserts that no model is found, and that every blob under its final name is complete. */
export function assertUnfinished(cache: string): void {
  assert.equal(downloadedModel(cache, MODEL), undefined);
  assertValid(cache);
}

/** Lists the paths of all files in a folder and its subfolders. */
function namesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'));
}

function assertValid(cache: string): void {
  const repository = new RepositoryCache(cache, MODEL);
  for (const blob of readdirSync(repository.blobs).filter((name) => !name.endsWith('.incomplete'))) {
    const bytes = readFileSync(repository.blob(blob));
    assert.equal(blob, blob.length === 64 ? sha256(bytes) : gitChecksum(bytes));
  }
  for (const commit of repository.commits())
    for (const name of namesUnder(repository.snapshot(commit)))
      assert.equal(basename(realpathSync(join(repository.snapshot(commit), name))).length >= 40, true);
}
