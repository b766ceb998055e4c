// DFlash 2 changes no text, on an attention target and on a hybrid that has to take rows back: greedy ones token by
// token, drawn ones by their seed. How often texts come where drafts are drawn too is counted on tables of logits
// (sampledDecoding.test.ts), and that they are drawn from what they say in dflash.test.ts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { fixedLength } from '../../../server/engine/draftLength/draftLength';
import { samplerOf } from '../../../server/engine/sampling/samplerOf';
import { samplingOf, type SamplingOptions } from '../../../server/engine/request/sampling';
import type { Drafter } from '../../../server/models/drafters/drafter';
import { loadDrafter, loadTarget } from '../../../server/models/families/registry';
import type { TargetModel } from '../../../server/models/decoder/target';
import { checkedDecode, newSession, type Wish } from '../../support/checkedDecode';
import { cpu } from '../../support/cpu';
import { DFLASH2, QWEN3, QWEN3_5, readGolden } from '../../support/fixtures';
import { assertSameText, plainText } from '../../support/plainText';

for (const [variant, targetDirectory] of [
  ['full', QWEN3],
  ['hybrid', QWEN3_5],
] as const)
  describe(`texts with DFlash 2, ${variant}`, () => {
    let target: TargetModel;
    let drafter: Drafter;
    before(async () => {
      target = await loadTarget(targetDirectory, cpu);
      drafter = await loadDrafter(join(DFLASH2, variant), target.config, cpu);
    });
    after(() => {
      drafter.dispose();
      target.dispose();
    });

    it('are the most probable ones for every draft length', async () => {
      const text = await plainText(target, 30, 30);
      for (const draftLength of [1, 2, 4, 7]) {
        const { tokenIds, stats } = await checkedDecode({ target, drafter }, { ...text.wish, draftLength });
        assertSameText(tokenIds, text);
        assert.ok(stats.draftedTokens > 0);
      }
    });

    const promptIds = readGolden(join(DFLASH2, variant))('input_ids').slice(0, 12);

    async function drawn(options: SamplingOptions, wish: Partial<Wish> = {}): Promise<readonly number[]> {
      const sampler = samplerOf(samplingOf(options), drafter.maskTokenId);
      const session = newSession({ target, drafter }, { promptIds, maxTokens: 8, ...wish, sampler });
      return (await session.finish()).tokenIds;
    }

    it('are those of their seed, where drafts stay that equal what the target draws', async () => {
      for (const seed of [1, 2, 3, 4]) {
        const options = { temperature: 1, acceptance: 'match', seed } as const;
        const plain = await drawn(options, { policy: fixedLength(0) });
        for (const draftLength of [1, 3, 7]) assert.deepEqual(await drawn(options, { draftLength }), plain);
      }
    });
  });
