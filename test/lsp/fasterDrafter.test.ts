// Tests that the server selects the drafter of a known pair that was faster on this machine, once both were measured,
// from the files of earlier processes.
import assert from 'node:assert/strict';
import { pairById, variantsOf } from '../../server/hub/knownPairs';
import { pairIdentity } from '../../server/programs/pairLoader';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import { PairProfile } from '../../server/engine/draftLength/profile';
import { ProfileStore } from '../../server/hosting/profileStore';
import { downloaded } from '../support/hub/downloaded';
import { temporaryFolder } from '../support/temporaryFolder';

const ID = 'qwen3-4b';

describe('the drafter of a known pair', () => {
  const environment = { ...process.env };
  afterEach(() => (process.env = environment));

  it('is the one that decoded faster on this machine, once both were used', () => {
    const cache = temporaryFolder();
    process.env = { ...environment, HF_HUB_CACHE: cache, FLASHLINE_CACHE: temporaryFolder() };
    const variants = variantsOf(pairById(ID) ?? assert.fail()).filter(({ bits }) => bits === 4);
    const [dflash = assert.fail(), dspark = assert.fail()] = variants.map(
      ({ target, drafter, knownDrafter }) => ({
        targetDirectory: downloaded(cache, target),
        drafterDirectory: downloaded(cache, drafter, `${knownDrafter?.kind ?? ''}DraftModel`),
      }),
    );
    const storeSpeed = (pair: typeof dflash, roundMs: number): void => {
      const profile = new PairProfile();
      for (let round = 0; round < 100; round++) profile.recordRound(5, roundMs);
      new ProfileStore(pair, 'auto').write(profile.snapshot());
    };
    /** Returns for each drafter whether it is chosen, if the settings name `drafter`. */
    const isChosen = (drafter = ''): boolean[] => {
      const identity = pairIdentity({ ...DEFAULT_SETTINGS, target: ID, drafter });
      return [dflash, dspark].map(({ drafterDirectory }) => identity.includes(drafterDirectory));
    };
    assert.deepEqual(isChosen(), [true, false]);
    storeSpeed(dspark, 20);
    assert.deepEqual(isChosen(), [true, false], 'the default drafter was not measured yet');
    storeSpeed(dflash, 30);
    assert.deepEqual(isChosen(), [false, true]);
    assert.deepEqual(isChosen('dflash'), [true, false]);
  });
});
