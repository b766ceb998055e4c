// Compares both generations of DFlash with references over three rounds, and tests the effects of attention and mask
// token.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { probabilityOf } from '../../../../server/engine/sampling/distribution';
import { createSampler } from '../../../../server/engine/sampling/createSampler';
import { samplingOf } from '../../../../server/engine/request/sampling';
import * as mx from '../../../../server/models/mlx/ops';
import { loadDrafter, loadTarget } from '../../../support/loadModels';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { assertClose, rowsOf } from '../../../support/arrayValues';
import { testDevice } from '../../../support/testDevice';
import {
  commitTaps,
  draftLogits,
  draftRounds,
  type DraftRound,
  type RoundOptions,
} from '../../../support/draftRounds';
import { DFLASH, DFLASH2, QWEN3, QWEN3_5, readCheckpoint, readGolden } from '../../../support/fixtures';
import { withHead } from '../../../support/headRecorder';
import { seededIntegers } from '../../../support/seededRandom';
import { tinyDrafter, tinyTarget, writeCheckpoint } from '../../../support/tinyCheckpoint';

const MASK_ID = 250;

interface GoldenRow {
  readonly name: string;
  readonly directory: string;
  readonly targetDirectory?: string;
}

const secondGeneration = (name: string, targetDirectory = QWEN3): GoldenRow => ({
  name: `DFlash 2, ${name},`,
  directory: join(DFLASH2, name),
  targetDirectory,
});

/** The first row is the first generation of DFlash, the others are the second. */
const GOLDENS: readonly GoldenRow[] = [
  { name: 'DFlash', directory: DFLASH },
  ...['full', 'conv-only', 'selector-only', 'sliding', 'scaled'].map((name) => secondGeneration(name)),
  secondGeneration('hybrid', QWEN3_5),
];

for (const { name, directory, targetDirectory = QWEN3 } of GOLDENS)
  describe(`${name} against its golden`, () => {
    const golden = readGolden(directory);
    const ids = golden('input_ids');
    const starts = [0, 1, 2].map((round) => golden(`r${round}.start`)[0] ?? 0);
    let target: TargetModel;
    before(async () => (target = await loadTarget(targetDirectory, testDevice)));
    after(() => target.dispose());

    /** Runs the rounds with these fields added to the drafter's dflash_config. */
    async function rounds(
      dflashFields: Readonly<Record<string, unknown>> = {},
      options?: RoundOptions,
    ): Promise<DraftRound[]> {
      const { config, tensors } = readCheckpoint(directory);
      const dflash_config = { ...(config['dflash_config'] as object), ...dflashFields };
      const folder = writeCheckpoint({ config: { ...config, dflash_config }, tensors });
      const drafter = await loadDrafter(folder, target.config, testDevice);
      assert.equal(drafter.maxDraftTokens, 7);
      const draftedRounds = draftRounds(target, drafter, ids, starts, options);
      drafter.dispose();
      return draftedRounds;
    }

    function assertDrafts({ hidden, logits, tokens }: DraftRound, round: string, rows: number): void {
      const { vocabSize, hiddenSize } = target.config;
      // Row 0 belongs to the anchor and never reaches the head.
      const expectedHidden = rowsOf(golden(`${round}.hidden`), hiddenSize, 1, rows);
      assertClose(hidden, expectedHidden, 2e-4, `hidden states of ${round}`);
      const isDraftable = (_: number, i: number) => i % vocabSize !== MASK_ID;
      const expectedLogits = golden(`${round}.draft_logits`).filter(isDraftable);
      assertClose(logits.filter(isDraftable), expectedLogits, 1e-3, `draft logits of ${round}`);
      assert.deepEqual(tokens, golden(`${round}.draft_ids`), `draft ids of ${round}`);
    }

    it('drafts the hidden states, logits and tokens of three rounds on a growing context', async () => {
      for (const [i, round] of (await rounds()).entries()) assertDrafts(round, `r${i}`, 8);
    });

    if (directory === DFLASH) return;

    it('drafts like the reference in a narrower block if the config allows one', async () => {
      const [, , last] = await rounds({ min_block_size: 2 }, { count: 3 });
      assertDrafts(last ?? assert.fail(), 'short', 4);
    });

    if (name.includes('conv-only')) return;

    it('samples from the candidates of each row after the previous draft, and reports their distribution', async () => {
      const [temperature = NaN] = golden('drawn.temperature');
      const path = golden('drawn.ids');
      assertClose(
        path.flatMap((_, row) => pathOdds(path, row)),
        golden('drawn.probs'),
        1e-5,
        'odds of the reference',
      );
      const paths = new Set<string>();
      for (const seed of [1, 2, 3, 4, 5]) {
        const sampler = createSampler(samplingOf({ temperature, acceptance: 'rejection', seed }), MASK_ID);
        const [, , last] = await rounds({}, { sampler });
        const { tokens, distributions = [] } = last ?? assert.fail();
        assert.equal(distributions.length, tokens.length);
        for (const [row, distribution] of distributions.entries()) {
          const candidates = candidatesOf(row);
          assert.deepEqual(distribution.tokens.toSorted(), candidates.toSorted(), `candidates of row ${row}`);
          const odds = candidates.map((id) => probabilityOf(distribution, id));
          assertClose(odds, pathOdds(tokens, row), 1e-5, `odds of row ${row}`);
        }
        paths.add(tokens.join());
      }
      assert.ok(paths.size > 1);
    });

    const topK = golden('drawn.probs').length / 7;
    const candidatesOf = (row: number) => rowsOf(golden('r2.candidate_ids'), topK, row, row + 1);

    /** Returns the probabilities of a row's candidates after `drafts`, from the scores of the reference. */
    function pathOdds(drafts: readonly number[], row: number): number[] {
      const before = row === 0 ? 0 : candidatesOf(row - 1).indexOf(drafts[row - 1] ?? -1);
      const gains = rowsOf(golden('r2.edges'), topK, row * topK + before, row * topK + before + 1);
      const logits = rowsOf(golden('r2.candidate_logits'), topK, row, row + 1);
      const [temperature = NaN] = golden('drawn.temperature');
      const odds = logits.map((logit, i) => Math.exp((logit + (gains[i] ?? NaN)) / temperature));
      const total = odds.reduce((sum, value) => sum + value, 0);
      return odds.map((value) => value / total);
    }
  });

describe('a DFlash drafter', () => {
  let target: TargetModel;
  before(async () => (target = await loadTarget(writeCheckpoint(tinyTarget()), testDevice)));
  after(() => target.dispose());

  async function draft(
    config: Readonly<Record<string, unknown>>,
    count?: number,
    stateTarget = target,
  ): Promise<number[]> {
    const drafter = await loadDrafter(writeCheckpoint(tinyDrafter(config)), target.config, testDevice);
    const state = drafter.newState(stateTarget, 1);
    const taps = seededIntegers(1, 20 * 2 * target.config.hiddenSize, -64, 64).map((k) => k / 32);
    commitTaps(state, Array<number>(20).fill(1), taps);
    const logits = draftLogits(state, 4, count ?? drafter.maxDraftTokens);
    state.dispose();
    drafter.dispose();
    return logits;
  }

  it('never drafts the mask token, even if it has the largest logit', async () => {
    const { vocabSize } = target.config;
    const favour = Array.from({ length: vocabSize }, (_, id) => (id === 90 ? 1e9 : 0));
    const eager = withHead(target, (_, logits) => mx.add(logits, mx.array(favour, mx.float32)));
    const masks = (await draft({}, undefined, eager)).filter((_, i) => i % vocabSize === 90);
    assert.deepEqual(masks, Array(5).fill(-Infinity));
  });

  it('runs a full block for any number of drafts if it was trained on full blocks only', async () => {
    const { vocabSize } = target.config;
    const few = await draft({}, 2);
    assert.equal(few.length, 2 * vocabSize);
    assertClose(few, (await draft({})).slice(0, few.length), 1e-5, 'logits');
  });

  it('runs only the requested rows, down to the narrowest block that it was trained on', async () => {
    const narrow = { min_block_size: 4 };
    const three = await draft({ block_size: 4 });
    assertClose(await draft(narrow, 3), three, 1e-5, 'logits of the narrowest block');
    assertClose(await draft(narrow, 1), three.slice(0, three.length / 3), 1e-5, 'one draft');
    assertClose(await draft(narrow, 4), await draft({ block_size: 5 }), 1e-5, 'wider');
    assert.notDeepEqual((await draft(narrow)).slice(0, three.length), three);
  });
});
