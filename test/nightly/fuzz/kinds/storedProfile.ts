// Stored measurements of a pair, as an earlier process, another version or a full disk has left them.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PairProfile, type ProfileSnapshot } from '../../../../server/engine/draftLength/profile';
import { ProfileStore } from '../../../../server/hosting/profileStore';
import { temporaryFolder } from '../../../support/temporaryFolder';
import { fuzzKind } from '../kind';
import { spoiltJson } from '../oddValues';

const PROFILE = {
  verifyMs: [[1, 20] as const, [8, 28.5] as const],
  draftMs: { dflash: [[1, 8] as const] },
  rates: { 'dflash match': { byPosition: [[10, 8] as const], byConfidence: [[4, 1] as const] } },
  decoded: { tokens: 400, ms: 4000 },
  read: { tokens: 2000, ms: 1500 },
};

export const storedProfile = fuzzKind({
  name: 'stored-profile',
  inputs: spoiltJson(PROFILE),
  runs: 200,
  open: () => {
    const folder = temporaryFolder();
    const store = new ProfileStore({ targetDirectory: 'media/model/target' }, 'cpu', folder);
    store.write(PROFILE);
    const file = join(folder, readdirSync(folder)[0] ?? '');
    return {
      attempt: (text) => {
        writeFileSync(file, text);
        const { plain, drafted } = store.speed();
        for (const speed of [plain, drafted]) assertPositive(speed ?? 1);
        assertUsable(store.read());
      },
      checkValid: () => {
        store.write(PROFILE);
        assert.deepEqual(store.read(), PROFILE);
      },
    };
  },
});

/**
 * Asserts that costs are positive and rates are shares, whatever the file contains, also after further measurements.
 */
function assertUsable(snapshot: ProfileSnapshot | undefined): void {
  const profile = new PairProfile(snapshot);
  for (const round of [0, 1]) {
    for (const name of ['dflash', ...Object.keys(snapshot?.draftMs ?? {})])
      for (const rows of [1, 5, 16]) assertPositive(profile.draft(name).at(rows));
    for (const rows of [1, 2, 8, 300]) assertPositive(profile.verify.at(rows));
    for (const name of ['dflash match', ...Object.keys(snapshot?.rates ?? {})])
      for (const at of [0, 1, 9]) {
        const rates = profile.rates(name);
        for (const rate of [rates.at(at), rates.atConfidence(at / 9)])
          assert.ok(rate >= 0 && rate <= 1, String(rate));
      }
    assert.ok((profile.prefillSpeed ?? 0) >= 0, String(profile.prefillSpeed));
    if (round > 0) return;
    profile.verify.record(4, 25);
    profile.recordRound(3, 30);
    profile.rates('dflash match').record([0.9, 0.4], 1);
  }
}

function assertPositive(value: number): void {
  assert.ok(value > 0 && Number.isFinite(value), String(value));
}
