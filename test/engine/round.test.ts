// After each round both memories hold what a fresh pass over the committed tokens would have put there.
// On the tiny Qwen3 and DFlash fixtures, with drafts that are right as often as the test wants.
import assert from 'node:assert/strict';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { draftWith } from '../../server/engine/decode/draft';
import { commit, verify } from '../../server/engine/decode/round';
import type { Drafter, DraftState } from '../../server/models/drafters/drafter';
import type { LayerCache } from '../../server/models/decoder/layerCache';
import { liveArrays, scope } from '../../server/models/mlx/memory';
import * as mx from '../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../server/models/families/registry';
import type { TargetModel } from '../../server/models/decoder/target';
import { tokenArray } from '../../server/models/mlx/tokenArray';
import { assertClose, valuesOf } from '../support/arrayValues';
import { checkedDecode, type Witness } from '../support/checkedDecode';
import { cpu } from '../support/cpu';
import { DFLASH, QWEN3, readGolden } from '../support/fixtures';
import { OracleDrafter } from '../support/oracleDrafter';
import { roundStart } from '../support/roundStart';

const TOLERANCE = 1e-4;
const BLOCK = 8;

describe('round', () => {
  const golden = readGolden(QWEN3);
  const promptIds = golden('input_ids');
  const tokens = [...promptIds, ...golden('greedy_ids')];
  const wish = { promptIds, maxTokens: tokens.length - promptIds.length };
  let target: TargetModel;
  let dflash: Drafter;

  before(async () => {
    target = await loadTarget(QWEN3, cpu);
    dflash = await loadDrafter(DFLASH, target.config, cpu);
  });

  after(() => {
    dflash.dispose();
    target.dispose();
  });

  /** The memory of a decode that was shown `committed` in one pass and never had to forget anything. */
  function withFreshState<T>(committed: readonly number[], use: (memory: DecodeMemory) => T): T {
    const memory = DecodeMemory.empty(target, [dflash], 1);
    try {
      scope(() => {
        const ids = tokenArray(committed, target.config.vocabSize);
        memory.commit(committed, target.forward(ids, memory.caches, memory.taps).taps);
        return undefined;
      });
      return use(memory);
    } finally {
      memory.dispose();
    }
  }

  /** The committed rows of all keys and values, copied: a drafter may hold some of them back until it is asked. */
  function rowsOf(parts: readonly (LayerCache | DraftState)[], rows: number): number[] {
    const copies = parts.map((part) => part.fork(rows, rows));
    const arrays = copies.flatMap((copy) => copy.arrays());
    assert.equal(arrays.length, 2 * (4 + 2), 'keys and values of four target and two drafter layers');
    const values = arrays.flatMap((array) => scope(() => valuesOf(mx.slice(array, 2, 0, rows))));
    for (const copy of copies) copy.dispose();
    return values;
  }

  function requireFreshCaches({ target: { caches }, drafter, committed }: Witness): void {
    assert.ok(drafter.state);
    const rows = committed.length - 1;
    const actual = rowsOf([...caches, drafter.state], rows);
    const expected = withFreshState(committed.slice(0, -1), (memory) => rowsOf(partsOf(memory), rows));
    assertClose(actual, expected, TOLERANCE, `keys and values of ${String(rows)} rows`);
  }

  for (const [name, right] of Object.entries({
    'no draft': [0],
    'some drafts': [2, 0, 5, 1],
    'all drafts': [BLOCK - 1],
  }))
    it(`leaves the caches as a fresh pass would when it accepted ${name}`, async () => {
      const drafter = new OracleDrafter({ tokens, block: BLOCK, right }, dflash);
      const { tokenIds } = await checkedDecode({ target, drafter }, wish, requireFreshCaches);
      assert.deepEqual(tokenIds, golden('greedy_ids'));
    });

  it('leaves the caches as a fresh pass would with the drafts of the drafter itself', async () => {
    const { tokenIds, stats } = await checkedDecode({ target, drafter: dflash }, wish, requireFreshCaches);
    assert.deepEqual(tokenIds, golden('greedy_ids'));
    assert.ok(stats.draftedTokens > 0);
  });

  it('keeps the anchor and as many drafts as it is told, fewer than were accepted too', async () => {
    const drafter = new OracleDrafter({ tokens, block: BLOCK, right: [BLOCK - 1] }, dflash);
    for (let kept = 1; kept <= BLOCK; kept++) {
      const committed = promptIds.slice(0, -1);
      const before = liveArrays();
      const memory = DecodeMemory.empty(target, [drafter], 1);
      scope(() => {
        const ids = tokenArray(committed, target.config.vocabSize);
        memory.commit(committed, target.forward(ids, memory.caches, memory.taps).taps);
        return undefined;
      });
      const anchor = promptIds.at(-1) ?? 0;
      const start = roundStart(memory, [anchor]);
      const draft = await draftWith(start, 0, BLOCK - 1);
      assert.deepEqual(draft.tokens, tokens.slice(promptIds.length, promptIds.length + BLOCK - 1));
      const verified = await verify(start, draft);
      const { tokenAt } = verified.targetRows.read();
      const said = Array.from({ length: BLOCK }, (_, row) => tokenAt(row));
      assert.deepEqual(said, tokens.slice(promptIds.length, promptIds.length + BLOCK));
      commit(start, verified, kept);
      const rows = promptIds.length - 1 + kept;
      assert.equal(memory.length, rows);
      const expected = withFreshState(tokens.slice(0, rows), (fresh) => rowsOf(partsOf(fresh), rows));
      assertClose(rowsOf(partsOf(memory), rows), expected, TOLERANCE);
      memory.dispose();
      assert.equal(liveArrays(), before);
    }
  });
});

function partsOf({ caches, drafts }: DecodeMemory) {
  return [...caches, ...drafts];
}
