// Tests `flashline models` as a user runs it, against a local hub that serves the embedded pair under the names of a
// known pair.
import assert from 'node:assert/strict';
import fs, {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import { basename, dirname, join } from 'node:path';
import { mock } from 'node:test';
import { pairById, variantsOf } from '../../../server/hub/knownPairs';
import { RepositoryCache } from '../../../server/hub/repositoryCache';
import { formatSize } from '../../../server/rules/formatNumber';
import { until } from '../../editor/waiting';
import { embeddedBytes, embeddedDrafter, embeddedTarget } from '../../support/embeddedFacts';
import { EMBEDDED_PAIR } from '../../support/embeddedPair';
import { downloaded } from '../../support/hub/downloaded';
import { HubServer, refuse, sendBytes, type ServedRepository } from '../../support/hub/hubServer';
import { servedFolder } from '../../support/hub/slowPair';
import { TOKEN } from '../../support/hub/madeUpModel';
import { temporaryFolder } from '../../support/temporaryFolder';
import { tinyTarget, writeCheckpoint } from '../../support/tinyCheckpoint';
import { assertComplaint, itComplainsAbout } from '../complaint';
import { flashline, type Outcome, type RunOptions } from '../flashline';
import { inProcess } from '../inProcess';
import { outputOf, printedLine } from '../printed';

const ID = 'qwen3-4b';
const [VARIANT = assert.fail()] = variantsOf(pairById(ID) ?? assert.fail());
const EMBEDDED = {
  [VARIANT.target]: EMBEDDED_PAIR.targetDirectory,
  [VARIANT.drafter]: EMBEDDED_PAIR.drafterDirectory,
};
const NO_SERVER = 'http://127.0.0.1:1';

describe('flashline models', () => {
  let server: HubServer;
  let home: string;
  before(async () => {
    const repositories = Object.entries(EMBEDDED).map(
      ([name, folder]) => [name, servedFolder(folder)] as const,
    );
    server = await HubServer.start(Object.fromEntries(repositories));
  });
  beforeEach(() => {
    server.intercept = () => false;
    server.requests.length = 0;
    home = temporaryFolder();
  });

  /** Runs `flashline models`, and asserts that its output never contains the token. */
  async function run(
    args: readonly string[],
    options: RunOptions & { endpoint?: string } = {},
  ): Promise<Outcome> {
    const { PATH } = process.env;
    const env = { PATH, HF_HOME: home, HF_TOKEN: TOKEN, HF_ENDPOINT: options.endpoint ?? server.url };
    const outcome = await flashline(args, { env, ...options });
    assert.doesNotMatch(outcome.stdout + outcome.stderr, new RegExp(TOKEN));
    return outcome;
  }
  const models = (...args: string[]): Promise<Outcome> => run(['models', ...args]);
  const offline = (...args: string[]): Promise<Outcome> => run(args, { endpoint: NO_SERVER });
  const cacheOf = (name: string): RepositoryCache => new RepositoryCache(join(home, 'hub'), name);

  it('pulls a pair by its name, which then works without a network', async () => {
    const pulled = await models('pull', ID, '--force');
    assert.equal(pulled.code, 0, pulled.stderr);
    const lines = pulled.stdout.trim().split('\n');
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', new RegExp(`^${VARIANT.target} downloaded: ${home}`));
    const size = formatSize(embeddedBytes);
    assert.match(
      pulled.stderr,
      new RegExp(`: licence apache-2.0\n[^]*${size} to download into .*\n[^]*100 %, ${size} of ${size}\n$`),
    );

    const again = await offline('models', 'pull', ID, '--json');
    assert.equal(again.stderr, '');
    const { finished, repositories } = JSON.parse(again.stdout) as {
      finished: string;
      repositories: object[];
    };
    assert.deepEqual([finished, repositories.length], ['done', 2]);

    const commit = server.commit;
    server.commit = 'beef'.repeat(10);
    const kept = await models('pull', VARIANT.drafter);
    assert.match(kept.stdout, new RegExp(` already downloaded: .*/snapshots/${commit}\n$`));
    const updated = await models('pull', VARIANT.drafter, '--update');
    assert.match(updated.stdout, new RegExp(` downloaded: .*/snapshots/${server.commit}\n$`));
    server.commit = commit;
    assert.match(
      (await offline('models', 'remove', VARIANT.drafter)).stdout,
      /: 0\.0 MB freed; other revisions left: 1\n$/,
    );

    const options = '--max-tokens 6 --device cpu --json'.split(' ');
    const decode = ['generate', '--prompt', 'def add(a, b):', ...options];
    const [named, embedded] = [await offline(...decode, '--target', ID), await offline(...decode)].map(
      ({ stdout }) => printedLine(stdout),
    );
    assert.deepEqual(named?.tokenIds, embedded?.tokenIds);
    assert.equal(named?.stats['speculationOff'], null);
    const plain = await offline(...decode, '--target', VARIANT.target);
    assert.equal(printedLine(plain.stdout).stats['speculationOff'], 'no_drafter');
  });

  it('names HF_TOKEN in the error for a repository that is missing or private', async () => {
    const missing = await models('pull', 'nobody/nothing');
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /or provide a token if it is private: HF_TOKEN\.\n$/);
  });

  it('lists, shows, verifies and removes downloaded models without a network', async () => {
    await models('pull', ID, '--force');
    const list = await offline('models', '--json');
    const { pairs } = JSON.parse(list.stdout) as {
      pairs: { id: string; variants: { bits: number; downloaded: boolean }[] }[];
    };
    const downloadedPairs = pairs.flatMap(({ id, variants }) =>
      variants.filter((variant) => variant.downloaded).map(({ bits }) => `${id} ${String(bits)}`),
    );
    assert.deepEqual(downloadedPairs, [`${ID} 4`]);
    assert.match((await offline('models')).stdout, /qwen3-4b +chat .* downloaded \(4 bit\)\n/);
    assert.match((await offline('models')).stdout, /qwen3-coder-30b-a3b +FIM /);
    const info = await offline('models', 'info', ID);
    assert.match(
      info.stdout,
      /target +Qwen\/Qwen3-4B \(licence Apache-2.0\)\n[^]*4 +mlx.* DFlash .* downloaded\n +8 /,
    );
    const alone = JSON.parse((await offline('models', 'info', 'qwen2.5-coder-7b', '--json')).stdout) as {
      variants: { bits: number; drafter: string }[];
    };
    assert.deepEqual(
      alone.variants.map(({ bits, drafter }) => `${String(bits)} ${drafter}`),
      ['4 none', '8 none', '16 none'],
    );
    const files = await offline('models', 'info', VARIANT.drafter, '--json');
    assert.equal(
      (JSON.parse(files.stdout) as { files: object[] }).files.length,
      embeddedDrafter.files.length,
    );

    const intact = await offline('models', 'verify', ID);
    assert.equal(intact.code, 0);
    const count = embeddedTarget.files.length + embeddedDrafter.files.length;
    assert.equal(intact.stdout.match(/^ {2}intact/gm)?.length, count);
    const drafterCache = cacheOf(VARIANT.drafter);
    const weights = realpathSync(join(drafterCache.snapshot(server.commit), embeddedDrafter.weights));
    writeFileSync(weights, Buffer.alloc(readFileSync(weights).length));
    const damaged = await offline('models', 'verify', ID);
    assert.equal(damaged.code, 1);
    assert.match(
      damaged.stdout,
      new RegExp(
        `damaged  ${embeddedDrafter.weights} [^]*flashline models pull qwen3-4b downloads them again\\.\n$`,
      ),
    );
    server.requests.length = 0;
    assert.equal((await models('pull', ID, '--force')).code, 0);
    assert.equal(server.requests.filter(({ path }) => path.includes('/resolve/')).length, 1);

    const copy = join(cacheOf(VARIANT.drafter).snapshot(server.commit), 'config.json');
    const text = readFileSync(copy, 'utf8');
    rmSync(copy);
    writeFileSync(copy, `${text}\n`);
    const copied = await offline('models', 'verify', VARIANT.drafter);
    assert.match(
      copied.stdout,
      /unknown {2}config.json [^]*\nunknown: a copied file for which the cache has no checksum/,
    );

    const removed = await offline('models', 'remove', ID);
    const [target, drafter] = [embeddedTarget, embeddedDrafter].map(({ bytes }) => formatSize(bytes));
    assert.match(removed.stdout, new RegExp(`4bit: ${target} freed\n.*b16: ${drafter} freed\n$`));
    for (const name of Object.keys(EMBEDDED)) assert.equal(existsSync(cacheOf(name).folder), false);
    assert.equal((await offline('models', 'remove', ID)).code, 2);
    assert.match(
      (await offline('generate', '--prompt', 'x', '--target', ID)).stderr,
      /flashline models pull qwen3-4b/,
    );
  });

  it('lists models beside circular links, and replaces such a link or reports it', async () => {
    const circle = (path: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(basename(path), path);
    };
    const config = join(cacheOf(VARIANT.target).snapshot(server.commit), 'config.json');
    for (const path of [config, cacheOf(VARIANT.drafter).snapshot(server.commit)]) circle(path);
    assert.match((await offline('models')).stdout, /qwen3-4b +chat /);
    for (const action of ['info', 'verify'])
      for (const name of [VARIANT.target, VARIANT.drafter])
        assertComplaint(await offline('models', action, name), ['no complete download']);
    assert.equal((await models('pull', VARIANT.target, '--force')).code, 0);
    assert.equal((await offline('models', 'verify', VARIANT.target)).code, 0);
    const { code, stderr } = await models('pull', VARIANT.drafter, '--force');
    assert.equal(code, 2);
    assert.match(
      stderr,
      new RegExp(
        `Downloads in .*/snapshots/${server.commit} cannot be read or written \\(a link that leads to itself\\)\\.`,
      ),
    );
  });

  it('keeps downloaded bytes at Ctrl+C, prints how to resume, and resumes', async () => {
    const shard = readFileSync(join(EMBEDDED_PAIR.drafterDirectory, embeddedDrafter.weights));
    let stop: () => void = () => assert.fail();
    let isInterrupted = false;
    const cache = cacheOf(VARIANT.drafter);
    const hasBytes = (): boolean => cache.partials().some((name) => statSync(cache.blob(name)).size > 0);
    server.intercept = (request, response) => {
      if (request.url?.endsWith(`DFlash-b16/resolve/${server.commit}/${embeddedDrafter.weights}`) !== true)
        return false;
      sendBytes(request, response, shard, (to, part) => to.write(part.subarray(0, 1_000_000)));
      // Only once: the header is requested first, and a second Ctrl+C would end the process immediately.
      if (!isInterrupted) void until('the download has kept bytes', hasBytes).then(stop);
      isInterrupted = true;
      return true;
    };
    const onStart: RunOptions['onStart'] = (child) => {
      stop = () => child.kill('SIGINT');
    };
    const { code, stderr } = await run(['models', 'pull', VARIANT.drafter], { onStart });
    assert.equal(code, 130);
    assert.match(
      stderr,
      new RegExp(`Cancelled\\..* flashline models pull ${VARIANT.drafter} resumes there\\.\n$`),
    );
    assert.equal(cacheOf(VARIANT.drafter).partials().length, 1);
    server.intercept = () => false;
    server.requests.length = 0;
    assert.equal((await models('pull', VARIANT.drafter)).code, 0);
    assert.match(
      server.requests.find(({ path }) => path.endsWith('safetensors'))?.range ?? '',
      /^bytes=[1-9]\d*-[1-9]\d*$/,
    );
  });

  it('prints the files verified so far at Ctrl+C, and ends with 130 even if one is damaged', async () => {
    assert.equal((await models('pull', VARIANT.drafter, '--force')).code, 0);
    const snapshot = cacheOf(VARIANT.drafter).snapshot(server.commit);
    const config = join(snapshot, 'config.json');
    writeFileSync(realpathSync(config), `${readFileSync(config, 'utf8')}\n`);
    // Takes no room on the disk, and longer to verify than the interrupt takes to arrive.
    truncateSync(realpathSync(join(snapshot, embeddedDrafter.weights)), 2 ** 37);
    const onStart: RunOptions['onStart'] = (child) => {
      // A damaged file is removed.
      void until('the config was verified', () => !existsSync(config)).then(() => child.kill('SIGINT'));
    };
    const { code, stdout } = await run(['models', 'verify', VARIANT.drafter], { onStart });
    assert.equal(code, 130);
    assert.match(stdout, /\n {2}damaged {2}config\.json /);
    assert.match(stdout, /\nCancelled: the other files were not verified\.\n$/);
    assert.ok(!stdout.includes(embeddedDrafter.weights));
  });

  it('refuses unsupported and gated models in one line, before it requests weights', async () => {
    const [, , largest = assert.fail()] = variantsOf(pairById('qwen3-coder-30b-a3b') ?? assert.fail());
    const config = { model_type: 'mamba', architectures: ['MambaForCausalLM'] };
    const files = {
      'config.json': Buffer.from(JSON.stringify(config)),
      'model.safetensors': Buffer.from('weights'),
    };
    const mambaServer = await HubServer.start({ 'made-up/mamba': { files } });
    const refused = await run(['models', 'pull', 'made-up/mamba'], { endpoint: mambaServer.url });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /^flashline: Mamba is not supported; Qwen3.5 is\.[^\n]*\n$/m);
    mambaServer.answer('', (response) => refuse(response, 403, 'GatedRepo'));
    const gated = await run(['models', 'pull', largest.target], { endpoint: mambaServer.url });
    assert.equal(gated.code, 2);
    assert.match(gated.stderr, /^flashline: \S+ is gated \(.*403.*\)\. Accept its licence[^\n]*\n$/);
    assert.ok(!mambaServer.requests.some(({ path }) => path.endsWith('safetensors')));
    mambaServer.intercept = () => false;
    const forced = await run(['models', 'pull', 'made-up/mamba', '--force'], { endpoint: mambaServer.url });
    assert.equal(forced.code, 0);
    assert.match(forced.stderr, /\nIgnored because of --force: Mamba is not supported; /);
    assert.ok(mambaServer.requests.some(({ path }) => path.endsWith('safetensors')));
  });

  it('refuses weights that cannot load as soon as it has their headers', async () => {
    const { config, tensors } = tinyTarget();
    const withoutTokenizer = servedFolder(writeCheckpoint({ config, tensors })).files;
    const complete = { ...withoutTokenizer, 'tokenizer.json': Buffer.from('{}') };
    const weights = withoutTokenizer['model.safetensors'] ?? assert.fail();
    const weightsWith = (from: string, to: string) =>
      Buffer.from(weights.toString('latin1').replace(from, to), 'latin1');
    const json = (fields: object) => Buffer.from(JSON.stringify({ ...config, ...fields }));
    const files = (changed: object): ServedRepository => ({ files: { ...complete, ...changed } });
    const refused: Record<string, readonly [repository: ServedRepository, complaint: RegExp]> = {
      // Same length as the text that it replaces.
      type: [
        files({ 'model.safetensors': weightsWith('"dtype":"F32"', '"dtype":"F8 "') }),
        /weights of made-up\/type, got .*F8/,
      ],
      header: [
        files({ 'model.safetensors': Buffer.concat([Buffer.alloc(8, 255), weights]) }),
        /header that fits the file/,
      ],
      layers: [
        files({ 'config.json': json({ num_hidden_layers: 4 }) }),
        /4 layers in the weights of made-up\/layers, .* got no layer 3; choose another repository/,
      ],
      rows: [
        files({ 'config.json': json({ vocab_size: 100 }) }),
        /embed_tokens.weight \[100, 128\] .* got \[96, 128\]/,
      ],
    };
    const weightsServer = await HubServer.start({
      ...Object.fromEntries(Object.entries(refused).map(([name, [served]]) => [`made-up/${name}`, served])),
      'made-up/right': files({}),
      'made-up/no-tokenizer': { files: withoutTokenizer },
    });
    for (const [name, [, complaint]] of Object.entries(refused)) {
      const { code, stderr } = await run(['models', 'pull', `made-up/${name}`], {
        endpoint: weightsServer.url,
      });
      assert.match(stderr, complaint, name);
      assert.equal(code, 2);
      const requests = weightsServer.requests.filter(
        ({ path }) => path.includes(`/${name}/`) && path.endsWith('safetensors'),
      );
      assert.ok(requests.length > 0 && requests.every(({ range }) => range?.startsWith('bytes=0-')), name);
      assert.deepEqual(cacheOf(`made-up/${name}`).partials(), []);
    }
    assert.equal((await run(['models', 'pull', 'made-up/right'], { endpoint: weightsServer.url })).code, 0);
    const { stderr } = await run(['models', 'pull', 'made-up/no-tokenizer'], { endpoint: weightsServer.url });
    assert.match(
      stderr,
      /Expected tokenizer\.json in made-up\/no-tokenizer, got no such file; choose another/,
    );
    assert.ok(!weightsServer.requests.some(({ path }) => /no-tokenizer.*safetensors/.test(path)));
  });

  describe('in the process of the tests', () => {
    let cache: string;
    beforeEach(() => (cache = temporaryFolder()));
    afterEach(() => {
      mock.restoreAll();
    });
    const here = async (...args: string[]): Promise<string> =>
      outputOf(await inProcess(['models', ...args, '--cache-dir', cache]));

    it('recommends a pair for the machine, and lists other downloaded models', async () => {
      const { platform, arch } = process;
      mock.method(os, 'totalmem', () => 24e9);
      mock.method(os, 'cpus', () => [{ model: 'Apple M4 Pro' }]);
      mock.method(fs, 'statfsSync', () => ({ bavail: 500e6, bsize: 1000 }));
      downloaded(cache, 'made-up/other');
      Object.defineProperty(process, 'platform', { value: 'darwin' });
      Object.defineProperty(process, 'arch', { value: 'arm64' });
      try {
        const list = await here();
        assert.match(list, /\n +\* +qwen2\.5-coder-14b +FIM +8\.3 GB +\S+ GB +-\n/);
        assert.equal(list.match(/\n +\* /g)?.length, 1);
        assert.match(list, /\n +qwen3-coder-next +FIM +\d.* needs more memory\n/);
        const advice =
          '* best for this machine, at 4 bits: flashline models pull qwen2.5-coder-14b\n\n' +
          'Other downloaded models\n  made-up/other  0.0 MB\n';
        assert.ok(list.endsWith(`\n\n${advice}`), list);
        const { recommended, others } = JSON.parse(await here('list', '--json')) as {
          recommended: string;
          others: { name: string }[];
        };
        assert.deepEqual(
          [recommended, others.map(({ name }) => name)],
          ['qwen2.5-coder-14b', ['made-up/other']],
        );
        const info = await here('info', 'qwen2.5-coder-14b');
        assert.match(info, /\n +prompt +FIM \(trained to fill in the middle\)\n/);
        assert.match(info, /\n +drafter +none published: drafts by look-up\n/);
        assert.match(info, /\n +4 .* moderate \(about 22 tok\/s\) +recommended\n/);
        assert.match(info, /\n +16 .* slow \(about \d\.\d tok\/s\) +needs more memory\n/);
        assert.match(
          await here('info', 'qwen3-4b'),
          /\n +4 .* DFlash .*tok\/s, drafts not expected to pay\) +-\n +8 .*tok\/s\) +-\n/,
        );
      } finally {
        Object.defineProperty(process, 'platform', { value: platform });
        Object.defineProperty(process, 'arch', { value: arch });
      }
    });

    it('recommends the built-in pair where it is the only one that is fast', async () => {
      mock.method(os, 'totalmem', () => 8e9);
      const list = await here();
      if (process.platform !== 'darwin')
        assert.ok(
          list.endsWith(
            '\n\nThe built-in pair is the best choice on this machine: it is the fastest, and needs no download.\n',
          ),
        );
      assert.match(list, /\n +qwen3-14b +chat .* needs more memory\n/);
    });

    it('shows the chosen variants of a pair, with the folders of the downloaded ones', async () => {
      const [, eight = assert.fail(), , , eightSpark = assert.fail()] = variantsOf(VARIANT.pair);
      const folder = downloaded(cache, eight.target);
      const value = JSON.parse(await here('info', ID, '--bits', '8', '--drafter', 'DSpark', '--json')) as {
        variants: object[];
        drafters: object[];
      };
      assert.deepEqual(value.drafters, [
        { kind: 'DSpark', repository: eightSpark.drafter, blockSize: 7, license: null },
      ]);
      const [variant, ...more] = value.variants as Record<string, unknown>[];
      assert.deepEqual(more, []);
      const {
        bits,
        target,
        drafterKind,
        downloaded: isDownloaded,
        begun,
        targetDirectory,
        drafterDirectory,
      } = variant ?? {};
      assert.deepEqual(
        { bits, target, drafterKind, isDownloaded, begun, targetDirectory, drafterDirectory },
        {
          bits: 8,
          target: eight.target,
          drafterKind: 'DSpark',
          isDownloaded: false,
          begun: false,
          targetDirectory: folder,
          drafterDirectory: null,
        },
      );
      const text = await here('info', ID);
      assert.match(
        text,
        /\(DFlash, blocks of 16, licence MIT\)\n.*\(DSpark, blocks of 7, licence not stated\)\n/,
      );
      assert.match(text, /\n\n--drafter chooses one\. Otherwise the fastest [^\n]*\n$/);
      assert.doesNotMatch(await here('info', 'qwen3-14b'), /--drafter/);
      assert.match(
        await here('info', eight.target),
        new RegExp(`^${eight.target} at c{40}\\n  ${folder}\\n\\n +config\\.json +0\\.0 MB\\n`),
      );
    });
  });

  itComplainsAbout([
    [
      'an unknown drafter',
      ['models', 'info', ID, '--drafter', 'x'],
      '--drafter of qwen3-4b to be dflash or dspark',
      '"x"',
    ],
    [
      'a drafter where none is published',
      ['models', 'pull', 'qwen2.5-coder-7b', '--drafter', 'x'],
      'no --drafter, as none',
      '"x"',
    ],
    [
      'a removal of nothing, with the options of the name',
      ['models', 'remove', ID, '--bits', '8', '--drafter', 'dspark', '--cache-dir', '/nowhere'],
      'no files of qwen3-4b --bits 8 --drafter dspark.',
    ],
    [
      'files to verify that are not downloaded',
      ['models', 'verify', ID, '--bits', '8', '--cache-dir', '/nowhere'],
      'flashline models pull qwen3-4b --bits 8',
    ],
    ['an unknown action', ['models', 'fetch'], '"fetch"', 'pull'],
    ['no name', ['models', 'pull'], 'a pair', 'nothing', 'qwen3-4b'],
    ['an invalid name', ['models', 'info', '../x'], '"../x"', 'repository'],
    ['two names', ['models', 'pull', 'qwen3-4b', 'qwen3-8b'], '"qwen3-8b"'],
    ['a name after list', ['models', 'list', 'qwen3-4b'], '"qwen3-4b"'],
    ['an unpublished number of bits', ['models', 'pull', 'qwen3-4b', '--bits', '3'], '--bits', '"3"'],
    ['bits of another pair', ['models', 'pull', 'zeta-2.1', '--bits', '4'], '--bits of zeta-2.1 to be 16'],
    ['--bits with a repository', ['models', 'pull', 'a/b', '--bits', '4'], '--bits', 'a/b'],
    ['--drafter with a repository', ['models', 'pull', 'a/b', '--drafter', 'dspark'], '--drafter', 'a/b'],
    ['an invalid endpoint', ['models', 'pull', 'a/b', '--endpoint', 'x'], 'HF_ENDPOINT', '"x"'],
    ['an empty --cache-dir', ['models', '--cache-dir', ''], '--cache-dir'],
    ['a token among the options', ['models', 'pull', 'a/b', '--token', 'x'], '--token'],
  ]);
});
