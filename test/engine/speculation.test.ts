// Who drafts for which draft length, and why nobody does. On drafters that always propose the same.
import assert from 'node:assert/strict';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import type { DraftLength } from '../../server/engine/decode/decode';
import { NO_DRAFT, type Draft } from '../../server/engine/decode/draft';
import { samplingOf, type SamplingOptions } from '../../server/engine/request/sampling';
import { Speculation } from '../../server/engine/draftLength/draftLength';
import { scope } from '../../server/models/mlx/memory';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { OracleDrafter } from '../support/oracleDrafter';
import { roundStart } from '../support/roundStart';
import { ScriptedTarget } from '../support/scriptedTarget';

const GREEDY = samplingOf();
const BLOCK = 8;
// It repeats itself, so that it can be looked up.
const repeated = [1, 2, 3, 4, 5, 6, 7];
const script = { promptIds: [], output: [], tokens: [...repeated, ...repeated, ...repeated] };
const READ = 9;
const oracle = () => new OracleDrafter({ tokens: script.tokens, block: BLOCK, right: [BLOCK - 1] });

/** The draft that is verified after three plain rounds of 20 ms. */
async function draftOf(speculation: Speculation, draftLength: DraftLength, room = 15): Promise<Draft> {
  const { drafters, policy } = speculation.of(draftLength, GREEDY, 40);
  const target = new ScriptedTarget(script);
  const memory = DecodeMemory.empty(target, drafters, 1);
  const ids = script.tokens.slice(0, READ);
  scope(() => {
    memory.commit(
      ids,
      target.forward(tokenArray(ids, target.config.vocabSize), memory.caches, memory.taps).taps,
    );
    return undefined;
  });
  const start = roundStart(memory, script.tokens.slice(READ, READ + 1));
  for (let round = 0; round < 3; round++) {
    await policy.draft(start, 0);
    const nothing = { candidates: [], rows: 1, draft: NO_DRAFT, accepted: 0, tokens: [2], isLast: false };
    policy.observe({ ...nothing, draftMs: 0, verifyMs: 20 });
  }
  const { draft } = await policy.draft(start, room);
  memory.dispose();
  return draft;
}

describe('speculation', () => {
  it('is off for a text that may grow longer than what the drafter was made for, with the reason', () => {
    const drafter = Object.assign(oracle(), { maxPositions: 100 });
    const speculation = new Speculation(drafter);
    for (const draftLength of ['full', 'adaptive', 3] as const) {
      assert.equal(speculation.of(draftLength, GREEDY, 100).speculationOff, undefined);
      const { drafters, speculationOff } = speculation.of(draftLength, GREEDY, 101);
      assert.deepEqual(drafters, []);
      assert.equal(speculationOff, 'context_limit');
    }
  });

  it('learns apart for each way to accept drafts', () => {
    const speculation = new Speculation(oracle());
    const policyOf = (options: SamplingOptions) => speculation.of('adaptive', samplingOf(options), 40).policy;
    const policies = [{}, { temperature: 1 }, { temperature: 1, acceptance: 'rejection' as const }].map(
      policyOf,
    );
    assert.equal(new Set(policies).size, 3);
    assert.equal(policyOf({ acceptance: 'rejection' }), policies[0], 'greedy is greedy');
    assert.equal(policyOf({ temperature: 0.3 }), policies[1]);
  });

  it('learns in one profile, which another can go on with', async () => {
    const speculation = new Speculation(undefined);
    await draftOf(speculation, 'adaptive');
    const snapshot = speculation.profile.snapshot();
    assert.deepEqual(snapshot.verifyMs, [[1, 20]]);
    assert.deepEqual(new Speculation(undefined, snapshot).profile.snapshot(), snapshot);
  });
});
