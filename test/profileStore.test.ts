// What was measured and tried out of a pair, from one process to the next. Whatever lies in the cache folder, the worst
// that may happen is that it is done again.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Infill } from '../server/completion/decoder';
import { PROBE_VERSION } from '../server/completion/infillProbe';
import { PairProfile, type ProfileSnapshot } from '../server/engine/pairProfile';
import { modelFingerprint } from '../server/modelFingerprint';
import { ProfileStore } from '../server/profileStore';
import { temporaryFolder } from './support/temporaryFolder';

const DAY_MS = 24 * 3600 * 1000;
const FOUND: Infill = { infill: 'fim', layout: 'spm' };

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
  store.write(measured(), FOUND);
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
    store.write(new PairProfile(8).snapshot(), FOUND);
    store.write(measured(), FOUND);
    assert.deepEqual(store.read(), measured());
  });

  it('tells how fast the last load decoded plainly, and how it was asked', () => {
    const { store, folder } = written();
    // 11 ms for one row.
    assert.deepEqual(store.lastLoad(), { infill: 'fim', decodeTokensPerSecond: 1000 / 11 });
    store.write(new PairProfile(8).snapshot(), { infill: 'chat', layout: 'psm' });
    const unmeasured = { infill: 'chat', decodeTokensPerSecond: undefined };
    assert.deepEqual(new ProfileStore(PAIR, 'cpu', folder).lastLoad(), unmeasured);
    const nothing = { infill: undefined, decodeTokensPerSecond: undefined };
    assert.deepEqual(new ProfileStore(PAIR, 'gpu', folder).lastLoad(), nothing);
  });

  it('gives back what was tried out, however old or of whatever use the measurements are', () => {
    const { store, file, folder } = written();
    assert.deepEqual(new ProfileStore(PAIR, 'cpu', folder).probed(), FOUND);
    utimesSync(file, new Date(0), new Date(0));
    assert.deepEqual(store.probed(), FOUND);
    writeFileSync(file, JSON.stringify({ probe: { version: PROBE_VERSION, ...FOUND } }));
    assert.deepEqual([store.probed(), store.read()], [FOUND, undefined]);
    assert.equal(new ProfileStore(PAIR, 'gpu', folder).probed(), undefined);
  });

  it('takes nothing for tried out that is damaged or of another version of the probe', () => {
    const { store, file } = written();
    const good = { version: PROBE_VERSION, ...FOUND };
    const bad: readonly unknown[] = [
      undefined,
      null,
      'fim',
      [good],
      FOUND,
      { ...good, version: PROBE_VERSION + 1 },
      { ...good, version: String(PROBE_VERSION) },
      { ...good, infill: 'psm' },
      { ...good, infill: 3 },
      { ...good, layout: 'fim' },
      { ...good, layout: null },
      { ...good, layout: ['psm'] },
    ];
    for (const probe of bad) {
      writeFileSync(file, JSON.stringify({ ...measured(), probe }));
      assert.equal(store.probed(), undefined, JSON.stringify(probe));
      assert.deepEqual(store.read(), measured(), 'which the measurements do not need');
    }
    for (const text of ['', '{', '[]', '7', '\0\0']) {
      writeFileSync(file, text);
      assert.equal(store.probed(), undefined);
    }
  });

  it('knows what is shipped of a target, with any drafter and on any device, until something else is found', () => {
    const folder = temporaryFolder();
    const shipped = join(folder, 'shipped.json');
    const write = (change: object): void => {
      const fingerprint = modelFingerprint(PAIR.targetDirectory);
      writeFileSync(shipped, JSON.stringify({ version: PROBE_VERSION, fingerprint, ...FOUND, ...change }));
    };
    const pairs = [PAIR, { targetDirectory: PAIR.targetDirectory }];
    const stores = ['cpu', 'gpu'].flatMap((device) =>
      pairs.map((pair) => new ProfileStore(pair, device, folder, shipped)),
    );
    write({});
    for (const store of stores) assert.deepEqual(store.probed(), FOUND);
    const other = { targetDirectory: PAIR.drafterDirectory, drafterDirectory: PAIR.targetDirectory };
    assert.equal(new ProfileStore(other, 'cpu', folder, shipped).probed(), undefined);
    for (const change of [{ fingerprint: 'other' }, { version: 0 }, { layout: 3 }]) {
      write(change);
      assert.equal(stores[0]?.probed(), undefined);
    }
    write({});
    stores[0]?.write(measured(), { infill: 'prefix', layout: 'psm' });
    assert.deepEqual(stores[0]?.probed(), { infill: 'prefix', layout: 'psm' });
    writeFileSync(shipped, '{');
    assert.equal(stores[1]?.probed(), undefined);
  });

  it('knows pairs by their files, and devices, wherever they lie', () => {
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
    new ProfileStore(PAIR, 'gpu', folder).write(measured(), FOUND);
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
    store.write(measured(), FOUND);
    assert.deepEqual(store.read(), measured(), 'and writes a good one over it');
  });

  it('fails nobody where it can neither read nor write', () => {
    const noFolder = join(temporaryFolder(), 'file');
    writeFileSync(noFolder, '');
    const { file, folder } = written();
    for (const place of [noFolder, join(noFolder, 'below'), '\0']) {
      const store = new ProfileStore(PAIR, 'cpu', place);
      store.write(measured(), FOUND);
      assert.equal(store.read(), undefined);
    }
    const taken = new ProfileStore(PAIR, 'gpu', folder);
    taken.write(measured(), FOUND);
    const other =
      readdirSync(folder)
        .map((name) => join(folder, name))
        .find((path) => path !== file) ?? '';
    const blocked = temporaryFolder();
    mkdirSync(join(blocked, other.slice(folder.length + 1), 'something'), { recursive: true });
    const store = new ProfileStore(PAIR, 'gpu', blocked);
    store.write(measured(), FOUND);
    assert.equal(store.read(), undefined);
  });
});
