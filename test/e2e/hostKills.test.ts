// The extension host is killed while somebody types in the window.
import assert from 'node:assert/strict';
import { killExtensionHosts } from '../nightly/faults/editorKills';
import { fullSize } from '../support/fullSize';

const KILLS = fullSize ? 9 : 1;

describe('an extension host that is killed', () => {
  it('leaves all that was typed, and its successor suggests again', async () => {
    const kills = await killExtensionHosts({ kills: KILLS, seed: 1 });
    for (const { problem } of kills) assert.ifError(problem);
    assert.equal(kills.length, KILLS);
  });
});
