// Tests drafts for rewritten windows: they are looked up in the prompt, are longer than for other outputs, and leave
// the output unchanged.
import assert from 'node:assert/strict';
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { Speculation } from '../../server/engine/draftLength/speculation';
import { samplingOf } from '../../server/engine/request/sampling';
import { ngramDrafter } from '../../server/models/drafters/ngramDrafter';
import { checkedDecode } from '../support/checkedDecode';
import { roundStart } from '../support/roundStart';
import { ScriptedTarget } from '../support/scriptedTarget';
import { seededIntegers } from '../support/seededRandom';

const WINDOW = seededIntegers(4, 120, 1, 63);
/** A copy of the window in which some tokens differ. */
const OUTPUT = WINDOW.map((token, i) => (i % 45 === 44 ? 1 + (token % 63) : token));

function policyOf(isEdit: boolean) {
  return new Speculation(undefined).plan('adaptive', samplingOf(), 400, isEdit).policy;
}

describe('speculation (rewritten windows)', () => {
  it('drafts up to 31 tokens of a rewritten window, and up to 15 of other outputs', async () => {
    const tokens = [...WINDOW, ...OUTPUT];
    const target = new ScriptedTarget({ promptIds: WINDOW, output: OUTPUT, tokens });
    const drafted = async (isEdit: boolean): Promise<readonly number[]> => {
      const memory = DecodeMemory.empty(target, [ngramDrafter()], 1);
      memory.commit([...WINDOW, ...WINDOW.slice(0, 20)], undefined);
      const { draft } = await policyOf(isEdit).draft(roundStart(memory, [WINDOW[20] ?? 0], 5), 200);
      memory.dispose();
      return draft.tokens;
    };
    const [edits, usual] = [await drafted(true), await drafted(false)];
    assert.deepEqual(usual, WINDOW.slice(21, 36));
    assert.ok(edits.length > usual.length && edits.length <= 31);
    assert.deepEqual(edits, WINDOW.slice(21, 21 + edits.length));
  });

  it('yields the same rewritten window as without drafts', async () => {
    const tokens = [...WINDOW, ...OUTPUT];
    const target = new ScriptedTarget({ promptIds: WINDOW, output: OUTPUT, tokens });
    const request = { promptIds: WINDOW, maxTokens: OUTPUT.length, policy: policyOf(true) };
    const { tokenIds, stats } = await checkedDecode({ target, drafter: ngramDrafter() }, request);
    assert.deepEqual(tokenIds, OUTPUT);
    assert.ok(stats.acceptedTokens > 0);
  });
});
