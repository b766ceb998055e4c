// Tests that drafters without tables, in the form of speculators, and with reduced vocabularies change neither greedy
// texts nor the frequency of sampled ones.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PromptCache } from '../../../server/engine/promptCache';
import { createSampler } from '../../../server/engine/sampling/createSampler';
import { samplingOf } from '../../../server/engine/request/sampling';
import { loadDrafter, loadTarget } from '../../support/loadModels';
import type { TargetModel } from '../../../server/models/decoder/target';
import { checkedDecode, newSession } from '../../support/checkedDecode';
import { chiSquareOf } from '../../support/chiSquare';
import { testDevice } from '../../support/testDevice';
import { DFLASH, DSPARK, QWEN3, readCheckpoint } from '../../support/fixtures';
import { fullSize } from '../../support/fullSize';
import { plainTexts } from '../../support/plainChain';
import { assertSameText, plainText } from '../../support/plainText';
import { inSpeculatorsForm, withReducedVocabulary } from '../../support/speculatorsForm';
import { withConfig, withTensors, writeCheckpoint, type Checkpoint } from '../../support/tinyCheckpoint';
import { runWhole } from '../../support/tokenRun';

const DRAWS = fullSize ? 4000 : 300;
const LENGTH = 2;
/** Few tokens, so that each text of two is drawn often, and so high a temperature that random drafts are accepted. */
const CHAIN = { temperature: 10, topK: 8 } as const;

const dflash = readCheckpoint(DFLASH);
const dspark = readCheckpoint(join(DSPARK, 'vanilla'));
const { tensors } = readCheckpoint(QWEN3);
const evens = Array.from({ length: 128 }, (_, i) => 2 * i);

const FORMS: Readonly<Record<string, Checkpoint>> = {
  'DSpark without tables': withTensors(withConfig(dspark, { markov_head_type: undefined }), {
    'embed_tokens.weight': undefined,
    'lm_head.weight': undefined,
  }),
  'DFlash of speculators': inSpeculatorsForm(dflash, 'dflash'),
  'DFlash of speculators with a reduced vocabulary': withReducedVocabulary(dflash, 'dflash', evens, tensors),
  'DFlash of speculators that drafts from the anchor': inSpeculatorsForm(dflash, 'dflash', {
    sample_from_anchor: true,
  }),
  'DSpark of speculators': inSpeculatorsForm(dspark, 'dspark'),
  'DSpark of speculators with a reduced vocabulary': withReducedVocabulary(dspark, 'dspark', evens, tensors),
  'DSpark of speculators that does not draft from the anchor': inSpeculatorsForm(dspark, 'dspark', {
    sample_from_anchor: false,
  }),
};

for (const [name, written] of Object.entries(FORMS))
  describe(`decoding with ${name}`, () => {
    let target: TargetModel;
    before(async () => (target = await loadTarget(QWEN3, testDevice)));
    after(() => target.dispose());
    const load = async () => await loadDrafter(writeCheckpoint(written), target.config, testDevice);

    it('yields the greedy text of plain decoding', async () => {
      const text = await plainText(target, 20, 24);
      const drafter = await load();
      for (const draftLength of [1, drafter.maxDraftTokens]) {
        const { tokenIds, stats } = await checkedDecode(
          { target, drafter },
          { ...text.request, draftLength },
        );
        assertSameText(tokenIds, text);
        assert.ok(stats.draftedTokens > 0);
      }
      drafter.dispose();
    });

    // Each form takes 12 s, so only nightly runs test all; others test one with a reduced vocabulary.
    if (!fullSize && name !== 'DFlash of speculators with a reduced vocabulary') return;

    it('draws texts as often as plain sampling does', async () => {
      const drafter = await load();
      const { vocabSize } = target.config;
      const promptIds = [7, 3, 200];
      const promptCache = new PromptCache(target, { bytes: 0 });
      let accepted = 0;
      const texts: number[] = [];
      for (let seed = 0; seed < DRAWS; seed++) {
        const sampling = samplingOf({ ...CHAIN, acceptance: 'rejection', seed });
        const request = {
          promptIds,
          maxTokens: LENGTH + 1,
          sampler: createSampler(sampling),
          draftLength: 2,
        };
        const { tokenIds, stats } = await newSession({ target, drafter }, request, promptCache).finish();
        accepted += stats.acceptedTokens;
        texts.push(tokenIds.slice(0, LENGTH).reduce((code, token) => code * vocabSize + token, 0));
      }
      drafter.dispose();
      const logitsAfter = (ids: readonly number[]) => runWhole(target, ids).logits.slice(-vocabSize);
      const expected = plainTexts(logitsAfter, promptIds, LENGTH, samplingOf(CHAIN));
      const p = chiSquareOf(texts, expected);
      assert.ok(p > 0.01, `p = ${String(p)}`);
      assert.ok(accepted > 0);
    });
  });
