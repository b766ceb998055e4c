// Tests requests about models as an editor sends them, against a local hub that serves the embedded pair under the
// names of a known one. No answer and no line of the log can contain the token.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { CancellationTokenSource, ProgressType } from 'vscode-languageserver/node';
import type { ModelSource } from '../../server/hub/catalogue';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import type {
  CatalogueEntry,
  DownloadOutcome,
  DownloadProgress,
  ModelCatalogue,
  RemoveResult,
} from '../../server/protocol/modelCatalogue';
import { loadable } from '../../server/models/loadable';
import { Method } from '../../server/protocol/messages';
import { embeddedBytes, embeddedDrafter, embeddedTarget } from '../support/embeddedFacts';
import { EMBEDDED_PAIR } from '../support/embeddedPair';
import { HubServer, refuse } from '../support/hub/hubServer';
import { ProxyServer } from '../support/hub/proxyServer';
import { servedFolder } from '../support/hub/slowPair';
import { TOKEN } from '../support/hub/madeUpModel';
import { temporaryFolder } from '../support/temporaryFolder';
import type { EditorClient } from './editorClient';
import { loading, ScriptedEngine } from './scriptedEngine';
import { serverInMemory } from './serverInMemory';

const [VARIANT = assert.fail()] = variantsOf(pairById('qwen3-4b') ?? assert.fail());
const PAIR = [VARIANT.target, VARIANT.drafter];
const { targetDirectory: TARGET, drafterDirectory: DRAFTER } = EMBEDDED_PAIR;

describe('requests about models', () => {
  let hub: HubServer;
  let source: ModelSource;
  let client: EditorClient;
  before(async () => {
    const target = servedFolder(TARGET);
    const drafter = servedFolder(DRAFTER);
    hub = await HubServer.start({ [VARIANT.target]: target, [VARIANT.drafter]: drafter });
  });
  beforeEach(async () => {
    hub.intercept = () => false;
    hub.requests.length = 0;
    const withoutToken = { env: { HF_TOKEN_PATH: '/nowhere' }, measured: () => ({}) };
    source = { ...withoutToken, cache: temporaryFolder(), loadable: () => Promise.resolve(loadable) };
    client = serverInMemory(loading(new ScriptedEngine()), { modelSource: source });
    await client.start({ hub: { endpoint: hub.url, proxy: '' } });
  });
  afterEach(() => {
    assert.ok(!client.logs.join().includes(TOKEN), 'the log has the token');
    client.connection.dispose();
  });

  async function request<T>(method: string, params: object): Promise<T> {
    const answer = await client.connection.sendRequest<T>(method, params);
    assert.ok(!JSON.stringify(answer).includes(TOKEN), 'the answer has the token');
    return answer;
  }
  const catalogue = (params: object = {}): Promise<ModelCatalogue> => request(Method.models, params);

  async function pairEntry(): Promise<CatalogueEntry> {
    const { entries } = await catalogue({ repositories: null });
    return entries.find(({ target }) => target === VARIANT.target) ?? assert.fail();
  }

  async function download(
    params: object = {},
    onProgress: (progress: DownloadProgress) => void = () => undefined,
  ): Promise<DownloadOutcome> {
    const listener = client.connection.onProgress(new ProgressType<DownloadProgress>(), 'd', onProgress);
    const allParams = { repositories: PAIR, token: TOKEN, partialResultToken: 'd', ...params };
    return await request<DownloadOutcome>(Method.download, allParams).finally(() => listener.dispose());
  }

  it('list the embedded pair in use and the known pairs with their requirements, without a network', async () => {
    const { entries, machine, folder, endpoint } = await catalogue();
    const [embedded] = entries;
    assert.deepEqual([embedded?.kind, embedded?.isInUse, embedded?.isDownloaded], ['embedded', true, true]);
    assert.ok(embedded?.memoryBytes && embedded.speed && !embedded.speed.isMeasured);
    assert.deepEqual([folder, endpoint], [source.cache, hub.url]);
    const pairs = entries.filter(({ kind }) => kind === 'pair');
    assert.ok(pairs.length > 20);
    for (const { name, memoryBytes = 0, problem, speed, downloadBytes = 0, license } of pairs) {
      assert.equal(memoryBytes > machine.usableBytes, (problem ?? '').includes('of memory for'), name);
      assert.ok(speed && speed.tokensPerSecond > 0 && downloadBytes > 2e8 && license, name);
    }
    assert.ok(entries.filter(({ isRecommended }) => isRecommended).length <= 1);
    assert.deepEqual(hub.requests, []);
  });

  it('download a pair with progress, which is listed as in use once the settings name it', async () => {
    const progress: DownloadProgress[] = [];
    const outcome = await download({}, (report) => void progress.push(report));
    assert.equal(outcome.finished, 'done');
    const last = progress.at(-1) ?? assert.fail();
    assert.ok(last.bytes === embeddedBytes && last.arrivedBytes === last.bytes);
    assert.ok(progress.every(({ arrivedBytes }, i) => arrivedBytes >= (progress[i - 1]?.arrivedBytes ?? 0)));
    const entry = await pairEntry();
    assert.deepEqual([entry.isDownloaded, entry.isInUse], [true, false]);
    assert.equal(entry.arrivedBytes, last.bytes);
    await client.settings({ target: VARIANT.target, drafter: VARIANT.drafter });
    const { entries } = await catalogue();
    assert.deepEqual(
      entries.filter(({ isInUse }) => isInUse).map(({ target }) => target),
      [VARIANT.target],
    );
    assert.ok(client.logs.some((line) => line.includes(`${PAIR.join(' and ')} done`)));
    assert.equal(hub.requests[0]?.authorization, `Bearer ${TOKEN}`);
  });

  it('distinguish refused, missing and other failures, and continue when a token is given', async () => {
    const failure = async (params: object = {}): Promise<string> => {
      const outcome = await download(params);
      return outcome.finished === 'failed' ? outcome.reason : outcome.finished;
    };
    hub.intercept = (request, response) => {
      const hasToken = request.headers.authorization === `Bearer ${TOKEN}`;
      if (!hasToken) refuse(response, 401, 'GatedRepo');
      return !hasToken;
    };
    assert.equal(await failure({ token: undefined }), 'refused');
    assert.equal(await failure({ token: 'hf_another' }), 'refused');
    assert.equal(await failure({ repositories: [VARIANT.drafter] }), 'done');
    assert.equal(await failure({ repositories: ['made-up/nothing'] }), 'missing');
    assert.equal(await failure({ token: 'two words' }), 'other');
    await client.settings({ hub: { endpoint: 'nowhere', proxy: '' } });
    assert.equal(await failure(), 'other');
    assert.equal((await catalogue()).endpoint, '');
  });

  it('refuse a drafter of another target unless forced', async () => {
    const mismatched = { ...embeddedDrafter.config.object, hidden_size: 64, num_target_layers: 3 };
    const files = {
      ...servedFolder(DRAFTER).files,
      'config.json': Buffer.from(JSON.stringify(mismatched)),
    };
    const drafterHub = await HubServer.start({
      [VARIANT.target]: servedFolder(TARGET),
      'made-up/drafter': { files },
    });
    await client.settings({ hub: { endpoint: drafterHub.url, proxy: '' } });
    const repositories = [VARIANT.target, 'made-up/drafter'];
    const refusal = await download({ repositories });
    assert.ok(refusal.finished === 'failed' && refusal.reason === 'problem', JSON.stringify(refusal));
    const expected = `hidden_size ${String(embeddedTarget.hiddenSize)} in the drafter's config`;
    assert.ok(refusal.message.includes(expected), refusal.message);
    assert.equal((await download({ repositories, force: true })).finished, 'done');
  });

  it('look up a repository by name, with licence, size and problems', async () => {
    const { lookedUp } = await catalogue({ repositories: PAIR });
    assert.ok(lookedUp && 'entry' in lookedUp);
    const { entry } = lookedUp;
    assert.deepEqual(
      [entry.target, entry.drafter, entry.license, entry.bits],
      [VARIANT.target, VARIANT.drafter, 'apache-2.0', embeddedTarget.bits],
    );
    assert.ok(entry.downloadBytes === embeddedBytes && entry.arrivedBytes < 1e5 && !entry.problem);
    const missing = await catalogue({ repositories: ['made-up/nothing'] });
    assert.ok(missing.lookedUp && 'failure' in missing.lookedUp);
    assert.equal(missing.lookedUp.failure.reason, 'missing');
    for (const repositories of [
      ['../x'],
      [],
      'a/b',
      ['a--b/c'],
      ['a/b--c'],
      ['a/b..c'],
      ['a/b', 'c/d', 'e/f'],
    ])
      await assert.rejects(catalogue({ repositories }), /Name one or two repositories/);
    await assert.rejects(
      request(Method.download, { token: TOKEN }),
      (error: Error) => !error.message.includes(TOKEN),
    );
  });

  it('look up and download with the token of the request, through the proxy of the settings', async () => {
    const proxy = await ProxyServer.start();
    await client.settings({ hub: { endpoint: hub.url, proxy: `http://${proxy.host}` } });
    const { lookedUp } = await catalogue({ repositories: [VARIANT.drafter], token: TOKEN });
    assert.ok(lookedUp && 'entry' in lookedUp);
    const lookUps = hub.requests.length;
    assert.equal((await download({ repositories: [VARIANT.drafter] })).finished, 'done');
    assert.ok(lookUps > 0 && hub.requests.length > lookUps);
    assert.equal(proxy.reached.length, hub.requests.length);
    for (const { authorization } of hub.requests) assert.equal(authorization, `Bearer ${TOKEN}`);
  });

  it('end a cancelled look-up without a result', async () => {
    const user = new CancellationTokenSource();
    hub.intercept = () => {
      user.cancel();
      return true;
    };
    const params = { repositories: PAIR };
    const answer = await client.connection.sendRequest<ModelCatalogue>(Method.models, params, user.token);
    assert.deepEqual([answer.lookedUp, hub.requests.length > 0], [undefined, true]);
    assert.doesNotMatch(client.logs.join(), /failed/);
  });

  it('remove a model and unfinished downloads, but nothing that another model needs', async () => {
    assert.equal((await download()).finished, 'done');
    const [, eightBits = assert.fail()] = variantsOf(VARIANT.pair);
    const unfinished = new RepositoryCache(source.cache, eightBits.target);
    mkdirSync(unfinished.blobs, { recursive: true });
    writeFileSync(unfinished.partial('a'.repeat(64)), 'half');
    const { repositories } = eightBits;
    assert.deepEqual(await request<RemoveResult>(Method.removeModel, { repositories }), {
      bytes: 'half'.length,
    });
    assert.ok(!existsSync(unfinished.folder));
    const { bytes } = await request<RemoveResult>(Method.removeModel, { repositories: PAIR });
    assert.equal(bytes, embeddedBytes);
    for (const name of PAIR) assert.ok(!existsSync(new RepositoryCache(source.cache, name).folder));
    assert.equal((await pairEntry()).arrivedBytes, 0);
  });

  it('name a missing pair of the settings, and the reason', async () => {
    await client.settings({ target: VARIANT.target, drafter: VARIANT.drafter });
    const { entries } = await catalogue();
    const [first] = entries;
    assert.deepEqual([first?.kind, first?.isInUse, first?.isDownloaded], ['folder', true, false]);
    assert.match(first?.problem ?? '', /no complete download/);
  });
});
