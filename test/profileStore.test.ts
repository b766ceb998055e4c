// What was measured of a pair, from one process to the next. Whatever lies in the cache folder, the worst that may
// happen is that it is measured again.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PairProfile, type ProfileSnapshot } from '../server/engine/pairProfile';
import { ProfileStore } from '../server/profileStore';
import { temporaryFolder } from './support/temporaryFolder';

const DAY_MS = 24 * 3600 * 1000;

function measured(): ProfileSnapshot {
  const profile = new PairProfile(8);
  profile.costs.calibrate(new Map([1, 2, 4, 8].map((rows) => [rows, 10 + rows])));
  profile.costs.recordDraft('dflash', 1, 3.25);
  profile.ratesOf('dflash').record([6, 4, 1], 2);
  profile.ratesOf('ngram').record([4], 0);
  return profile.snapshot();
}

/** A folder with a model of such a configuration. */
function model(config: object): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

const PAIR = { targetDirectory: model({ layers: 2 }), drafterDirectory: model({ layers: 1 }) };

/** A store that has written, with its only file. */
function written(): { readonly store: ProfileStore; readonly file: string; readonly folder: string } {
  const folder = join(temporaryFolder(), 'not', 'yet');
  const store = new ProfileStore(PAIR, 'cpu', folder);
  store.write(measured(), 'fim');
  const [name = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, [], 'nothing unfinished is left');
  return { store, file: join(folder, name), folder };
}

describe('the store of profiles', () => {
  it('gives back what was written, to another process too', () => {
    const { store, folder } = written();
    assert.deepEqual(store.read(), measured());
    const found = new ProfileStore(PAIR, 'cpu', folder).read();
    assert.deepEqual(new PairProfile(8, found).snapshot(), measured());
  });

  it('has nothing at first, and the newest afterwards', () => {
    const store = new ProfileStore(PAIR, 'cpu', temporaryFolder());
    assert.equal(store.read(), undefined);
    store.write(new PairProfile(8).snapshot(), 'fim');
    store.write(measured(), 'fim');
    assert.deepEqual(store.read(), measured());
  });

  it('tells how fast the last load decoded plainly, and how it was asked', () => {
    const { store, file, folder } = written();
    // 11 ms for one row.
    assert.deepEqual(store.lastLoad(), { infill: 'fim', decodeTokensPerSecond: 1000 / 11 });
    store.write(new PairProfile(8).snapshot(), 'chat');
    const unmeasured = { infill: 'chat', decodeTokensPerSecond: undefined };
    assert.deepEqual(new ProfileStore(PAIR, 'cpu', folder).lastLoad(), unmeasured);
    for (const infill of [undefined, 'psm', 3]) {
      writeFileSync(file, JSON.stringify({ ...measured(), infill }));
      assert.equal(store.lastLoad()?.infill, undefined);
      assert.deepEqual(store.read(), measured(), 'which the next load does not need');
    }
    assert.equal(new ProfileStore(PAIR, 'gpu', folder).lastLoad(), undefined);
  });

  it('knows pairs by their configurations, and devices, wherever they lie', () => {
    const { folder } = written();
    const copy = temporaryFolder();
    cpSync(PAIR.targetDirectory, copy, { recursive: true });
    assert.deepEqual(new ProfileStore({ ...PAIR, targetDirectory: copy }, 'cpu', folder).read(), measured());
    const others = [
      { ...PAIR, targetDirectory: model({ layers: 3 }) },
      { ...PAIR, drafterDirectory: model({ layers: 4 }) },
      { targetDirectory: PAIR.targetDirectory },
      { targetDirectory: PAIR.drafterDirectory, drafterDirectory: PAIR.targetDirectory },
      { targetDirectory: join(folder, 'absent') },
    ];
    for (const pair of others) assert.equal(new ProfileStore(pair, 'cpu', folder).read(), undefined);
    assert.equal(new ProfileStore(PAIR, 'gpu', folder).read(), undefined);
    new ProfileStore(PAIR, 'gpu', folder).write(measured(), 'fim');
    assert.equal(readdirSync(folder).length, 2);
  });

  it('takes nothing that is two weeks old', () => {
    const { store, file } = written();
    const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
    utimesSync(file, daysAgo(13), daysAgo(13));
    assert.deepEqual(store.read(), measured());
    utimesSync(file, daysAgo(15), daysAgo(15));
    assert.equal(store.read(), undefined);
  });

  const { costs, rates } = measured();
  const { dflash = assert.fail() } = rates;
  const refused: readonly (readonly [what: string, value: unknown])[] = [
    ['nothing', null],
    ['a list', [measured()]],
    ['another form', { version: 2, profile: measured() }],
    ['no rates', { costs }],
    ['rates that are a list', { costs, rates: [] }],
    ['no times', { rates, costs: { ...costs, verifyMs: [] } }],
    ['a time below 0', { rates, costs: { ...costs, verifyMs: [1, -1] } }],
    ['a time of 0', { rates, costs: { ...costs, verifyMs: [0, 1] } }],
    ['a time that is no number', { rates, costs: { ...costs, verifyMs: [1, 'two'] } }],
    ['times that got lost', { rates, costs: { ...costs, verifyMs: [1, NaN] } }],
    ['drafts that are a list', { rates, costs: { ...costs, draftMs: [1] } }],
    ['a calibration that is no yes or no', { rates, costs: { ...costs, calibrated: 1 } }],
  ];
  for (const [what, value] of refused)
    it(`does not take ${what}`, () => {
      const { store, file } = written();
      writeFileSync(file, JSON.stringify(value));
      assert.equal(store.read(), undefined);
    });

  it('leaves out the drafters of which it knows nothing that can be', () => {
    const { store, file } = written();
    for (const pooled of [[-1, 0], [1, 2], [1], [1, 0, 0], ['1', 0], [1, null], 7]) {
      const wrong = { ...dflash, pooled };
      writeFileSync(file, JSON.stringify({ costs, rates: { ...rates, dflash: wrong } }));
      assert.deepEqual(store.read(), { costs, rates: { ngram: rates['ngram'] } }, String(pooled));
    }
    const byLevel = [
      [1, 1],
      [2, 3],
    ];
    writeFileSync(file, JSON.stringify({ costs, rates: { ...rates, dflash: { ...dflash, byLevel } } }));
    assert.deepEqual(store.read(), { costs, rates: { ngram: rates['ngram'] } });
    writeFileSync(file, JSON.stringify({ rates, costs: { ...costs, draftMs: { dflash: -3, other: 4 } } }));
    assert.deepEqual(store.read(), { rates, costs: { ...costs, draftMs: { other: 4 } } });
  });

  it('takes no file that is broken, cut off or far too large', () => {
    const { store, file } = written();
    const text = readFileSync(file, 'utf8');
    for (const wrong of ['', '{', text.slice(0, -1), '\0\0', text + ' '.repeat(2e6)]) {
      writeFileSync(file, wrong);
      assert.equal(store.read(), undefined);
    }
    store.write(measured(), 'fim');
    assert.deepEqual(store.read(), measured(), 'and writes a good one over it');
  });

  it('fails nobody where it can neither read nor write', () => {
    const noFolder = join(temporaryFolder(), 'file');
    writeFileSync(noFolder, '');
    const { file, folder } = written();
    for (const place of [noFolder, join(noFolder, 'below'), '\0']) {
      const store = new ProfileStore(PAIR, 'cpu', place);
      store.write(measured(), 'fim');
      assert.equal(store.read(), undefined);
    }
    const taken = new ProfileStore(PAIR, 'gpu', folder);
    taken.write(measured(), 'fim');
    const other =
      readdirSync(folder)
        .map((name) => join(folder, name))
        .find((path) => path !== file) ?? '';
    const blocked = temporaryFolder();
    mkdirSync(join(blocked, other.slice(folder.length + 1), 'something'), { recursive: true });
    const store = new ProfileStore(PAIR, 'gpu', blocked);
    store.write(measured(), 'fim');
    assert.equal(store.read(), undefined);
  });
});
