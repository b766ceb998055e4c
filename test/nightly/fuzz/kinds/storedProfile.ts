// What was measured about a pair, as an earlier process, another version or a full disk has left it.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PairProfile, type ProfileSnapshot } from '../../../../server/engine/pairProfile';
import { ProfileStore } from '../../../../server/hosting/profileStore';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { fuzzKind } from '../kind';
import { spoiltJson } from '../oddValues';

const COUNTS: [number, number][] = [
  [10, 8],
  [4, 1],
];
const PROFILE = {
  verifyMs: [
    [1, 20],
    [8, 28.5],
  ] as [number, number][],
  draftMs: { dflash: [[1, 8]] as [number, number][] },
  rates: { 'dflash match': { byPosition: COUNTS, byConfidence: COUNTS } },
  decoded: { tokens: 400, ms: 4000 },
  read: { tokens: 2000, ms: 1500 },
};

export const storedProfile = fuzzKind({
  name: 'stored-profile',
  inputs: spoiltJson(PROFILE),
  counts: { test: 400, million: 60_000 },
  open: () => {
    const [folder, pair] = [temporaryFolder(), { targetDirectory: 'media/model/target' }];
    const store = new ProfileStore(pair, 'cpu', folder);
    store.write(PROFILE);
    const file = join(folder, readdirSync(folder)[0] ?? '');
    return {
      attempt: (text) => {
        writeFileSync(file, text);
        const { decodeTokensPerSecond, draftedTokensPerSecond } = store.lastLoad();
        assertSpeed(decodeTokensPerSecond);
        assertSpeed(draftedTokensPerSecond);
        assertUsable(store.read());
      },
      sound: () => {
        store.write(PROFILE);
        assert.deepEqual(store.read(), PROFILE);
      },
    };
  },
});

function assertSpeed(perSecond: number | undefined): void {
  assert.ok(perSecond === undefined || (perSecond > 0 && Number.isFinite(perSecond)), String(perSecond));
}

/** Costs are positive times and rates are shares, whatever the file says, also after more was measured. */
function assertUsable(snapshot: ProfileSnapshot | undefined): void {
  const profile = new PairProfile(snapshot);
  for (const round of [0, 1]) {
    for (const name of ['dflash', ...Object.keys(snapshot?.draftMs ?? {})])
      for (const rows of [1, 5, 16]) assertPositive(profile.draft(name).at(rows));
    for (const rows of [1, 2, 8, 300]) assertPositive(profile.verify.at(rows));
    for (const name of ['dflash match', ...Object.keys(snapshot?.rates ?? {})])
      for (const at of [0, 1, 9]) {
        assertShare(profile.rates(name).at(at));
        assertShare(profile.rates(name).atConfidence(at / 9));
      }
    assert.ok((profile.prefillSpeed ?? 0) >= 0, String(profile.prefillSpeed));
    if (round > 0) return;
    profile.verify.record(4, 25);
    profile.recordRound(3, 30);
    profile.rates('dflash match').record([0.9, 0.4], 1);
  }
}

function assertPositive(ms: number): void {
  assert.ok(ms > 0 && Number.isFinite(ms), String(ms));
}

function assertShare(rate: number): void {
  assert.ok(rate >= 0 && rate <= 1, String(rate));
}
