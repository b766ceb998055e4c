// The copy of a drafter without its selector: the same drafter otherwise, which loads and drafts without one.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasSelector, withoutSelector } from '../../../bench/drafters/withoutSelector';
import { loadDrafter, loadTarget } from '../../../server/models/registry';
import { cpu } from '../../support/cpu';
import { commitTaps, draftLogits } from '../../support/draftRounds';
import { readCheckpoint } from '../../support/fixtures';
import { assertRefused } from '../../support/refusal';
import { temporaryFolder } from '../../support/temporaryFolder';
import { tinyDrafter, tinyTarget, withSelector, writeCheckpoint } from '../../support/tinyCheckpoint';

describe('withoutSelector', () => {
  const bare = tinyDrafter();
  const selecting = writeCheckpoint(withSelector(bare, 4), 2);

  it('leaves out the selector and nothing else', () => {
    assert.ok(hasSelector(selecting));
    const copy = withoutSelector(selecting);
    assert.ok(!hasSelector(copy));
    const { config, tensors } = readCheckpoint(copy);
    assert.deepEqual(config, bare.config);
    assert.deepEqual(Object.keys(tensors).toSorted(), Object.keys(bare.tensors).toSorted());
    for (const [name, tensor] of Object.entries(bare.tensors)) assert.deepEqual(tensors[name], tensor, name);
    rmSync(copy, { recursive: true });
  });

  it('gives a drafter of the same logits', async () => {
    const target = await loadTarget(writeCheckpoint(tinyTarget()), cpu);
    const copy = withoutSelector(selecting);
    const logits = [];
    for (const folder of [copy, writeCheckpoint(bare)]) {
      const drafter = await loadDrafter(folder, target.config, cpu);
      const state = drafter.newState(target, 1);
      commitTaps(state, [7], Array<number>(2 * 128).fill(0.25));
      logits.push(draftLogits(state, 9, drafter.maxDraftTokens));
      state.dispose();
      drafter.dispose();
    }
    target.dispose();
    rmSync(copy, { recursive: true });
    assert.deepEqual(logits[0], logits[1]);
  });

  it('is for drafters that have one', async () => {
    assert.ok(!hasSelector(writeCheckpoint(bare)));
    const nowhere = join(temporaryFolder(), 'none');
    await assertRefused(() => hasSelector(nowhere), `a model directory at ${nowhere}`);
  });
});
