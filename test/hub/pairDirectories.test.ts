// Tests which downloaded models a name selects when a target has several drafters, and the entries and removals that
// follow.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { catalogue } from '../../server/hub/catalogue';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { pairDirectories, type PairSearch } from '../../server/hub/pairDirectories';
import { RepositoryCache } from '../../server/hub/repositoryCache';
import { removable } from '../../server/hub/removeModel';
import { loadable } from '../../server/models/loadable';
import type { UserError } from '../../server/rules/userError';
import type { CatalogueEntry } from '../../server/protocol/modelCatalogue';
import { downloaded } from '../support/hub/downloaded';
import { temporaryFolder } from '../support/temporaryFolder';

const ID = 'qwen3-4b';
const [FOUR = assert.fail(), EIGHT = assert.fail(), , SPARK = assert.fail()] = variantsOf(
  pairById(ID) ?? assert.fail(),
);

type Chosen = Pick<CatalogueEntry, 'target' | 'drafter'>;

/** Returns the catalogue of models that load here. */
async function entriesWith(search: Partial<PairSearch>, chosen?: Chosen): Promise<readonly CatalogueEntry[]> {
  const { cache = assert.fail(), measured = () => ({}) } = search;
  const { entries } = await catalogue({ cache, measured, loadable: () => Promise.resolve(loadable) }, chosen);
  return entries;
}

function command(expected: string) {
  return (error: UserError) => error.command === expected;
}

describe('drafters of one target', () => {
  let cache: string;
  let target: string;
  let dflash: string;
  let dspark: string;
  beforeEach(() => {
    cache = temporaryFolder();
    target = downloaded(cache, FOUR.target);
    dflash = downloaded(cache, FOUR.drafter, 'DFlashDraftModel');
    dspark = downloaded(cache, SPARK.drafter, 'Qwen3DSparkModel');
  });

  /** Creates a search with measured speeds, by the folder of the drafter. */
  const searchWith = (speeds: Readonly<Record<string, number>>): PairSearch => ({
    cache,
    measured: ({ drafterDirectory = '' }) => ({ draftedTokensPerSecond: speeds[drafterDirectory] }),
  });
  const drafterWith = (speeds: Readonly<Record<string, number>>, drafter?: string) =>
    pairDirectories(ID, drafter, searchWith(speeds)).drafterDirectory;

  it('are used in the order of the known pair until all have run here, and then the fastest is', () => {
    assert.deepEqual(pairDirectories(ID, '', { cache }), {
      targetDirectory: target,
      drafterDirectory: dflash,
    });
    assert.equal(drafterWith({ [dspark]: 90 }), dflash);
    assert.equal(drafterWith({ [dflash]: 50 }), dflash);
    assert.equal(drafterWith({ [dflash]: 50, [dspark]: 51 }), dspark);
    assert.equal(drafterWith({ [dflash]: 51, [dspark]: 50 }), dflash);
  });

  it('are selected by kind or repository, whatever was measured', () => {
    const speeds = { [dflash]: 50, [dspark]: 90 };
    for (const name of ['dflash', 'DFlash', FOUR.drafter]) assert.equal(drafterWith(speeds, name), dflash);
    for (const name of ['dspark', SPARK.drafter]) assert.equal(drafterWith({}, name), dspark);
    assert.equal(drafterWith(speeds, 'none'), undefined);
    assert.equal(pairDirectories(ID, 'dspark', searchWith({})).targetDirectory, target);
    assert.equal(pairDirectories(FOUR.target, SPARK.drafter, searchWith({})).drafterDirectory, dspark);
  });

  it('need no tokenizer, even for an unsupported algorithm, which loading reports', () => {
    for (const architecture of ['LlamaForCausalLMEagle3', 'LlamaForCausalLM']) {
      const name = `some/${architecture}`;
      const directory = downloaded(cache, name, architecture);
      assert.equal(pairDirectories(FOUR.target, name, { cache }).drafterDirectory, directory);
      const incomplete = { message: /tokenizer\.json is missing/ };
      assert.throws(() => pairDirectories(name, '', { cache }), incomplete, 'as a target');
    }
  });

  it('are selected by the name of their pair, given as the drafter', () => {
    assert.equal(pairDirectories('', ID, { cache }).drafterDirectory, dflash);
    assert.equal(pairDirectories('', FOUR.target, { cache }).drafterDirectory, target);
  });

  it('can be folders in the home folder', () => {
    assert.deepEqual(pairDirectories('~/target', '~/drafter', { cache }), {
      targetDirectory: join(homedir(), 'target'),
      drafterDirectory: join(homedir(), 'drafter'),
    });
  });

  it('are not selected by the name of a folder that exists', () => {
    const before = process.cwd();
    process.chdir(temporaryFolder());
    try {
      mkdirSync('dspark');
      assert.deepEqual(pairDirectories(ID, 'dspark', { cache }), {
        targetDirectory: target,
        drafterDirectory: resolve('dspark'),
      });
      mkdirSync(ID);
      for (const [drafter, drafterDirectory] of [
        ['', undefined],
        ['dspark', resolve('dspark')],
        ['dflash', resolve('dflash')],
      ] as const)
        assert.deepEqual(pairDirectories(ID, drafter, { cache }), {
          targetDirectory: resolve(ID),
          drafterDirectory,
        });
    } finally {
      process.chdir(before);
    }
  });

  it('are found only when they are downloaded', () => {
    cache = temporaryFolder();
    const alone = downloaded(cache, FOUR.target);
    assert.throws(() => pairDirectories(ID, '', { cache }), command('flashline models pull qwen3-4b'));
    const drafterDirectory = resolve('/made-up/drafter');
    for (const [drafter, expected] of [
      ['none', undefined],
      [drafterDirectory, drafterDirectory],
    ] as const)
      assert.deepEqual(pairDirectories(ID, drafter, { cache }), {
        targetDirectory: alone,
        drafterDirectory: expected,
      });
    assert.throws(
      () => pairDirectories(ID, 'dspark', { cache }),
      command('flashline models pull qwen3-4b --drafter dspark'),
    );
    const only = downloaded(cache, SPARK.drafter, 'Qwen3DSparkModel');
    assert.equal(pairDirectories(ID, '', { cache }).drafterDirectory, only);
    assert.throws(
      () => pairDirectories(ID, 'dflash', { cache }),
      command('flashline models pull qwen3-4b --drafter dflash'),
    );
  });

  it('use the downloaded target with the fewest bits', () => {
    const eight = downloaded(cache, EIGHT.target);
    assert.equal(pairDirectories(ID, 'dspark', { cache }).targetDirectory, target);
    cache = temporaryFolder();
    assert.notEqual(downloaded(cache, EIGHT.target), eight);
    downloaded(cache, SPARK.drafter, 'Qwen3DSparkModel');
    assert.match(pairDirectories(ID, '', { cache }).targetDirectory, /Qwen3-4B-8bit/);
  });

  it('are removed with the target, except files that another downloaded pair needs', () => {
    assert.deepEqual(removable(SPARK.repositories, cache), [SPARK.drafter]);
    assert.deepEqual(removable(FOUR.repositories, cache), [FOUR.drafter]);
    assert.deepEqual(removable([FOUR.target], cache), [FOUR.target], 'a target named alone is removed');
    const all = [FOUR.target, FOUR.drafter, SPARK.drafter];
    assert.deepEqual(removable(all, cache), all);
    downloaded(cache, EIGHT.target);
    assert.deepEqual(removable(all, cache), [FOUR.target]);
    cache = temporaryFolder();
    assert.deepEqual(removable(FOUR.repositories, cache), FOUR.repositories);
  });

  describe('in the catalogue', () => {
    const entriesAt = async (bits: number, chosen?: Chosen): Promise<CatalogueEntry[]> => {
      const entries = await entriesWith(searchWith({ [dflash]: 50, [dspark]: 90 }), chosen);
      return entries.filter((entry) => entry.name === FOUR.pair.name && entry.bits === bits);
    };

    it('have an entry each, with kind, licence and measured speed', async () => {
      const entries = await entriesAt(4);
      assert.deepEqual(
        entries.map((entry) => [entry.drafterKind, entry.license, entry.draftedTokensPerSecond]),
        [
          ['DFlash', 'Apache-2.0, MIT', 50],
          ['DSpark', 'Apache-2.0, none stated for the drafter', 90],
        ],
      );
      assert.ok(entries.every(({ isDownloaded }) => isDownloaded));
      assert.ok((await entriesAt(8)).every((entry) => entry.draftedTokensPerSecond === undefined));
    });

    it('are in use one at a time, by default the faster one', async () => {
      const inUse = async (drafter: string) =>
        (await entriesAt(4, { target: ID, drafter })).flatMap((entry) =>
          entry.isInUse ? entry.drafterKind : [],
        );
      assert.deepEqual(await inUse(''), ['DSpark']);
      assert.deepEqual(await inUse('dflash'), ['DFlash']);
    });

    it('are listed although another model has a config with wrong types', async () => {
      const odd = { model_type: 'qwen3', architectures: 'x', quantization: { bits: '4' } };
      writeFileSync(join(downloaded(cache, 'made-up/odd'), 'config.json'), JSON.stringify(odd));
      assert.equal((await entriesAt(4)).length, 2);
    });

    it('are listed as unfinished beside a lone target: the drafters with files, or else the default one', async () => {
      cache = temporaryFolder();
      downloaded(cache, FOUR.target);
      const unfinished = async () =>
        (await entriesAt(4)).filter(({ isBegun }) => isBegun).map((entry) => entry.drafterKind);
      assert.deepEqual(await unfinished(), ['DFlash']);
      const { blobs } = new RepositoryCache(cache, SPARK.drafter);
      mkdirSync(blobs, { recursive: true });
      writeFileSync(`${blobs}/${'b'.repeat(40)}`, 'its config');
      assert.deepEqual(await unfinished(), ['DSpark']);
      downloaded(cache, FOUR.drafter, 'DFlashDraftModel');
      downloaded(cache, SPARK.drafter, 'Qwen3DSparkModel');
      assert.deepEqual(await unfinished(), []);
    });
  });
});

describe('a known target without a drafter', () => {
  const [WITHOUT_DRAFTER = assert.fail()] = variantsOf(pairById('qwen2.5-coder-7b') ?? assert.fail());

  it('is used, listed and removed alone', async () => {
    const cache = temporaryFolder();
    assert.throws(
      () => pairDirectories('qwen2.5-coder-7b', '', { cache }),
      command('flashline models pull qwen2.5-coder-7b'),
    );
    const target = downloaded(cache, WITHOUT_DRAFTER.target);
    for (const [name, drafter] of [
      ['qwen2.5-coder-7b', ''],
      [WITHOUT_DRAFTER.target, 'none'],
    ] as const)
      assert.deepEqual(pairDirectories(name, drafter, { cache }), {
        targetDirectory: target,
        drafterDirectory: undefined,
      });
    const entries = await entriesWith({ cache }, { target: WITHOUT_DRAFTER.target, drafter: 'none' });
    const named = entries.filter((entry) => entry.target === WITHOUT_DRAFTER.target);
    assert.deepEqual(
      named.map(({ kind, drafter, isInUse, infill, license }) => [kind, drafter, isInUse, infill, license]),
      [['pair', 'none', true, 'fim', 'Apache-2.0']],
    );
    assert.deepEqual(removable(WITHOUT_DRAFTER.repositories, cache), [WITHOUT_DRAFTER.target]);
  });
});
