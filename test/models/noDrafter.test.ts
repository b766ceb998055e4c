// The drafter that never drafts asks for nothing and keeps only a count.
// That it keeps the contract too is tested with the others.
import assert from 'node:assert/strict';
import { liveArrays } from '../../server/models/memory';
import { noDrafter } from '../../server/models/noDrafter';
import { loadTarget } from '../../server/models/registry';
import { cpu } from '../support/cpu';
import { QWEN3 } from '../support/fixtures';

describe('noDrafter', () => {
  it('wants no taps, drafts nothing and owns nothing', async () => {
    const target = await loadTarget(QWEN3, cpu);
    const before = liveArrays();
    assert.equal(noDrafter.maxDraftTokens, 0);
    assert.deepEqual(noDrafter.taps, []);
    const state = noDrafter.newState(target, 100);
    state.commit([1, 2, 3], undefined);
    assert.equal(state.offset, 3);
    assert.deepEqual(state.propose(1, 0), { tokens: [], confidence: [] });
    assert.deepEqual(state.arrays(), []);
    state.dispose();
    noDrafter.dispose();
    assert.equal(liveArrays(), before);
    target.dispose();
  });
});
