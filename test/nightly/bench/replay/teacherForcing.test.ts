// Texts that are read and not written: what the target would have given is no deviation, whatever the rows of a pass,
// and anything else is one, at its place. On scripted targets, where nothing is a matter of rounding, and tables.
import assert from 'node:assert/strict';
import { greedySampler } from '../../../../server/engine/sampling/greedySampler';
import { samplerOf } from '../../../../server/engine/sampling/samplerOf';
import { samplingOf } from '../../../../server/engine/request/sampling';
import { TeacherForcing, type Deviation, type WrittenText } from '../../../../bench/replay/teacherForcing';
import { liveArrays } from '../../../../server/models/mlx/memory';
import type { TargetModel } from '../../../../server/models/decoder/target';
import { checkedDecode } from '../../../support/checkedDecode';
import { logitTable } from '../../../support/logitTable';
import { RecordingTarget } from '../../../support/recordingTarget';
import { SAMPLINGS } from '../../../support/samplings';
import { astray, newScript, ScriptedTarget } from '../../../support/scriptedTarget';
import { seededIntegers } from '../../../support/seededRandom';
import { tableDrafter, TableTarget } from '../../../support/tableTarget';

async function deviationsOf(target: TargetModel, text: Omit<WrittenText, 'sampler'>): Promise<Deviation[]> {
  const before = liveArrays();
  const reading = new TeacherForcing(target, 'cpu');
  const found = await reading.deviations({ sampler: greedySampler, ...text });
  reading.dispose();
  assert.equal(liveArrays(), before);
  return found;
}

describe('a text that is read and not written', () => {
  it('deviates nowhere where the target has written it, however long prompt and output are', async () => {
    for (const promptTokens of [1, 5, 192, 193, 255, 256, 257, 600])
      for (const outputTokens of [1, 2, 63, 64, 65, 300]) {
        const { promptIds, output } = newScript(promptTokens, outputTokens);
        const target = new ScriptedTarget({ promptIds, output, tokens: [...promptIds, ...output] });
        assert.deepEqual(await deviationsOf(target, { promptIds, tokenIds: output }), []);
      }
  });

  it('deviates at the first token, inside and at the last, by how much less it is liked', async () => {
    const { promptIds, output, tokens } = newScript(250, 80);
    const target = new ScriptedTarget({ promptIds, output, tokens });
    for (const at of [0, 1, 5, 6, 63, 64, 79]) {
      // After a wrong token this target leaves its script, so its own words follow.
      const tokenIds = output.map((token, i) => (i < at ? token : astray(token)));
      assert.deepEqual(await deviationsOf(target, { promptIds, tokenIds }), [{ at, gap: 10 }]);
    }
  });

  it('deviates from the token on that is missing, or there twice', async () => {
    const { promptIds, output, tokens } = newScript(20, 30);
    const target = new ScriptedTarget({ promptIds, output, tokens });
    for (const at of [0, 7, 29]) {
      const missing = [...output.slice(0, at), ...output.slice(at + 1)];
      const twice = [...output.slice(0, at), ...output.slice(at, at + 1), ...output.slice(at)];
      const [early] = at < 29 ? await deviationsOf(target, { promptIds, tokenIds: missing }) : [{ at }];
      const [late] = await deviationsOf(target, { promptIds, tokenIds: twice });
      assert.deepEqual([early?.at, late?.at], [at, at + 1]);
    }
  });

  it('reads what it shares with the text before it only once, and says the same', async () => {
    const table = logitTable(3, 9);
    const target = new RecordingTarget(new TableTarget(table));
    const reading = new TeacherForcing(target, 'cpu');
    const texts = [300, 280, 300, 40, 41, 300].map((length, i) => ({
      promptIds: [...seededIntegers(1, length - 10, 0, 8), ...seededIntegers(2 + i, 10, 0, 8)],
      tokenIds: seededIntegers(20 + i, 12, 0, 8),
      sampler: greedySampler,
    }));
    let rows = 0;
    for (const text of texts) {
      const before = target.passes.length;
      const found = await reading.deviations(text);
      rows += target.passes.slice(before).reduce((sum, { tokens }) => sum + tokens.length, 0);
      assert.deepEqual(found, await deviationsOf(new TableTarget(table), text));
      assert.notDeepEqual(found, []);
    }
    reading.dispose();
    // The first and what comes after its first 30 tokens; of the others their ends of 10 and 11 tokens.
    assert.ok(rows < 2 * 311 + 300 + 4 * 30, String(rows));
  });

  for (const [name, sampling] of Object.entries(SAMPLINGS))
    it(`is drawn as it was by its seed with ${name}, drafts or not, and otherwise by another`, async () => {
      const target = new TableTarget(logitTable(7, 5));
      const drafter = tableDrafter(logitTable(8, 5), 4);
      const promptIds = [2, 4, 1];
      const [sampler, other] = [11, 12].map((seed) => samplerOf(samplingOf({ ...sampling, seed })));
      assert.ok(sampler && other);
      const { tokenIds } = await checkedDecode({ target, drafter }, { promptIds, maxTokens: 80, sampler });
      const reading = new TeacherForcing(target, 'cpu');
      assert.deepEqual(await reading.deviations({ promptIds, tokenIds, sampler }), []);
      assert.notDeepEqual(await reading.deviations({ promptIds, tokenIds, sampler: other }), []);
      reading.dispose();
    });
});
