// Tests that the extension host can be killed during typing, a suggestion or generated code. Takes minutes, so it runs
// nightly.
import assert from 'node:assert/strict';
import { killExtensionHosts } from '../nightly/faults/editorKills';
import { fullSize } from '../support/fullSize';

const KILLS = 9;

describe('a killed extension host', () => {
  before(function () {
    if (!fullSize) this.skip();
  });

  it('loses no typed text, and its successor suggests again', async () => {
    const kills = await killExtensionHosts({ kills: KILLS, seed: 1 });
    for (const { problem } of kills) assert.ifError(problem);
    assert.equal(kills.length, KILLS);
  });
});
