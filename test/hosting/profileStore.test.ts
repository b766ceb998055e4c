// Tests that measurements of a pair are stored for the next process, and that a damaged file in the cache folder is
// ignored and replaced by new measurements.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PairProfile, type ProfileSnapshot } from '../../server/engine/draftLength/profile';
import type { PairFiles } from '../../server/engine/loadPair';
import { measuredSpeed, ProfileStore } from '../../server/hosting/profileStore';
import { temporaryFolder } from '../support/temporaryFolder';

function measuredProfile(): ProfileSnapshot {
  const profile = new PairProfile();
  for (let run = 0; run < 2; run++) {
    for (const rows of [1, 2, 4, 8]) profile.verify.record(rows, 10 + rows);
    profile.draft('dflash').record(4, 3.25);
  }
  profile.rates('dflash').record([0.97, 0.8, 0.3], 2);
  profile.rates('ngram').record([0.8], 0);
  profile.recordPrefill(256, 128);
  return profile.snapshot();
}

/** Creates the folder of a model with a config. */
function modelFolder(config: object): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

const PAIR = { targetDirectory: modelFolder({ layers: 2 }), drafterDirectory: modelFolder({ layers: 1 }) };

/** Creates a store that has written the only file of its folder. */
function storeWithFile(): { readonly store: ProfileStore; readonly file: string; readonly folder: string } {
  const folder = join(temporaryFolder(), 'not', 'yet');
  const store = new ProfileStore(PAIR, 'cpu', folder);
  store.write(measuredProfile());
  const [name = '', ...extraFiles] = readdirSync(folder);
  assert.deepEqual(extraFiles, [], 'the folder has only the profile');
  return { store, file: join(folder, name), folder };
}

describe('ProfileStore', () => {
  it('returns the written profile, also from a new store of the same folder', () => {
    const { store, folder } = storeWithFile();
    assert.deepEqual(store.read(), measuredProfile());
    const snapshot = new ProfileStore(PAIR, 'cpu', folder).read();
    assert.deepEqual(new PairProfile(snapshot).snapshot(), measuredProfile());
  });

  it('keeps profiles apart by strictness and by the bits of the drafter', () => {
    const { folder } = storeWithFile();
    for (const [i, change] of [{ strict: true }, { drafterBits: 4 }, { drafterBits: 8 }].entries()) {
      const changed = new ProfileStore({ ...PAIR, ...change }, 'cpu', folder);
      assert.equal(changed.read(), undefined);
      changed.write(measuredProfile());
      assert.equal(readdirSync(folder).length, 2 + i);
    }
    const byDefault = new ProfileStore({ ...PAIR, drafterBits: 'auto' }, 'cpu', folder);
    assert.deepEqual(byDefault.read(), measuredProfile());
  });

  it('reports the speed with drafts once enough tokens were decoded', () => {
    const { store, file } = storeWithFile();
    const profile = new PairProfile(measuredProfile());
    profile.recordRound(5, 50);
    store.write(profile.snapshot());
    assert.equal(store.speed().drafted, undefined, 'no speed with drafts after 5 tokens');
    assert.equal(store.speed().plain, undefined, 'no plain speed after 5 tokens');
    // Counts of short sessions add up.
    for (let session = 0; session < 50; session++) {
      const next = new PairProfile(store.read());
      for (let round = 0; round < 2; round++) next.recordRound(5, 50);
      store.write(next.snapshot());
    }
    assert.equal(store.speed().drafted?.toFixed(3), '100.000');
    assert.ok(store.speed().plain);
    utimesSync(file, new Date(0), new Date(0));
    assert.equal(store.speed().drafted?.toFixed(0), '100', 'the age of the file has no effect');
  });

  it('reports the measured speed of the settings that are closest to the default', () => {
    const environment = process.env;
    process.env = { ...environment, FLASHLINE_CACHE: temporaryFolder() };
    try {
      const rounds = (pair: PairFiles, device: string, roundMs: number): void => {
        const profile = new PairProfile();
        for (let round = 0; round < 100; round++) profile.recordRound(5, roundMs);
        // Passes of several rows, which are slower, can have been measured first.
        for (const rows of [4, 1])
          for (let run = 0; run < 2; run++) profile.verify.record(rows, rows * roundMs);
        new ProfileStore(pair, device).write(profile.snapshot());
      };
      const speeds = () => Object.values(measuredSpeed(PAIR)).map((speed) => speed && Math.round(speed));
      assert.deepEqual(speeds(), [undefined, undefined]);
      for (const [drafterBits, device, roundMs] of [
        [8, 'cpu', 100],
        [8, 'gpu', 50],
        ['stored', 'cpu', 25],
        ['auto', 'cpu', 20],
        ['auto', 'auto', 10],
      ] as const) {
        rounds({ ...PAIR, drafterBits }, device, roundMs);
        assert.deepEqual(speeds(), [1000 / roundMs, 5000 / roundMs]);
      }
    } finally {
      process.env = environment;
    }
  });

  it('identifies a pair by its files and device, not by its folder', () => {
    const { folder } = storeWithFile();
    const copy = temporaryFolder();
    cpSync(PAIR.targetDirectory, copy, { recursive: true });
    const copiedPair = new ProfileStore({ ...PAIR, targetDirectory: copy }, 'cpu', folder);
    assert.deepEqual(copiedPair.read(), measuredProfile());
    const differentPairs = [
      { ...PAIR, targetDirectory: modelFolder({ layers: 3 }) },
      { ...PAIR, drafterDirectory: modelFolder({ layers: 4 }) },
      { targetDirectory: PAIR.targetDirectory },
      { targetDirectory: PAIR.drafterDirectory, drafterDirectory: PAIR.targetDirectory },
      { targetDirectory: join(folder, 'absent') },
    ];
    for (const pair of differentPairs) assert.equal(new ProfileStore(pair, 'cpu', folder).read(), undefined);
    assert.equal(new ProfileStore(PAIR, 'gpu', folder).read(), undefined);
    new ProfileStore(PAIR, 'gpu', folder).write(measuredProfile());
    assert.equal(readdirSync(folder).length, 2);
    const missing = (name: string) =>
      new ProfileStore({ targetDirectory: join(folder, name) }, 'cpu', folder);
    missing('one').write(measuredProfile());
    assert.equal(missing('two').read(), undefined);
  });

  it('identifies a model by its index and the names and sizes of its files', () => {
    const { folder } = storeWithFile();
    const targetDirectory = temporaryFolder();
    cpSync(PAIR.targetDirectory, targetDirectory, { recursive: true });
    mkdirSync(join(targetDirectory, 'additional_chat_templates'));
    const store = () => new ProfileStore({ ...PAIR, targetDirectory }, 'cpu', folder);
    for (const [name, text] of [
      ['model.safetensors.index.json', '{"a":1}'],
      ['model.safetensors.index.json', '{"b":1}'],
      ['model.safetensors', 'a'],
      ['model.safetensors', 'ab'],
      ['tokenizer.json', '{}'],
      ['chat_template.jinja', 'x'],
      ['additional_chat_templates/tool_use.jinja', 'x'],
      ['additional_chat_templates/tool_use.jinja', 'xy'],
    ] as const) {
      writeFileSync(join(targetDirectory, name), text);
      assert.equal(store().read(), undefined, name);
      store().write(measuredProfile());
      writeFileSync(join(targetDirectory, 'README.md'), text);
      assert.deepEqual(store().read(), measuredProfile(), 'other files have no effect');
    }
  });

  const stored = measuredProfile();
  const { dflash = assert.fail() } = stored.rates;
  const withRates = (change: object) => ({ ...stored, rates: { dflash: { ...dflash, ...change } } });
  const refused: readonly (readonly [what: string, value: object | null])[] = [
    ['null', null],
    ['another form', { version: 2, profile: stored }],
    ['no rates', { ...stored, rates: undefined }],
    ['no times', { ...stored, verifyMs: undefined }],
    ['no speed', { ...stored, decoded: undefined }],
    ['a time below 0', { ...stored, verifyMs: [[1, -1]] }],
    ['a time of years', { ...stored, draftMs: { dflash: [[1, 1e308]] } }],
    ['drafts that take no time', { ...stored, draftMs: { dflash: [[1, 0]] } }],
    ['a negative number of trials', withRates({ byPosition: [[-1, 0]] })],
    ['more successes than trials', withRates({ byConfidence: [[2, 3]] })],
    ['tokens in no time', { ...stored, decoded: { tokens: 400, ms: 5e-324 } }],
  ];
  for (const [what, value] of refused)
    it(`ignores a stored profile with invalid content: ${what}`, () => {
      const { store, file } = storeWithFile();
      writeFileSync(file, JSON.stringify(value));
      assert.equal(store.read(), undefined);
    });

  it('ignores a profile that is damaged, cut off or far too large', () => {
    const { store, file } = storeWithFile();
    const text = readFileSync(file, 'utf8');
    for (const wrong of ['', '{', text.slice(0, -1), '\0\0', text + ' '.repeat(2e6)]) {
      writeFileSync(file, wrong);
      assert.equal(store.read(), undefined);
    }
    store.write(measuredProfile());
    assert.deepEqual(store.read(), measuredProfile(), 'a new profile replaces the damaged one');
  });

  it('does nothing in a folder that cannot be read or written', () => {
    const noFolder = join(temporaryFolder(), 'file');
    writeFileSync(noFolder, '');
    const { file, folder } = storeWithFile();
    for (const unusable of [noFolder, join(noFolder, 'below'), '\0']) {
      const store = new ProfileStore(PAIR, 'cpu', unusable);
      store.write(measuredProfile());
      assert.equal(store.read(), undefined);
    }
    new ProfileStore(PAIR, 'gpu', folder).write(measuredProfile());
    const gpuFile =
      readdirSync(folder)
        .map((name) => join(folder, name))
        .find((path) => path !== file) ?? '';
    // A folder has the name of the file to write.
    const blocked = temporaryFolder();
    mkdirSync(join(blocked, gpuFile.slice(folder.length + 1), 'something'), { recursive: true });
    const store = new ProfileStore(PAIR, 'gpu', blocked);
    store.write(measuredProfile());
    assert.equal(store.read(), undefined);
  });
});
