import assert from 'node:assert/strict';
import { judge, type Judgement } from '../../../bench/typing/pauses';

/** A suggestion, the rest of the cursor's line in the editor, and what will be typed. */
const JUDGED: readonly (readonly [shown: string, after: string, rest: string, judgement: Judgement])[] = [
  ['', ')', 'x)', 'none'],
  ['urn total;', '', 'urn total;\n}', 'wanted'],
  ['urn total', '', 'urn total;\n}', 'wanted'],
  ['urn total', '', 'urn total.value;', 'beginsRight'],
  ['urn sum;', '', 'urn total;', 'beginsRight'],
  ['urned;', '', 'urn total;', 'wrong'],
  // Behind what the editor has closed, the line can go on.
  ['version, base', ')', 'version, base) < 0) return;', 'wanted'],
  ['version', ')', 'version, base) < 0) return;', 'beginsRight'],
  ['perature', '))', 'perature) => show(temperature));', 'wanted'],
  ['0, seconds: 0 ', '}))', "0, seconds: 0 }), '0s');", 'wanted'],
  [';', "' };", ";', '<': '&lt;' };", 'wanted'],
  ['room.id', '))', 'room.id && each.slot);', 'beginsRight'],
];

describe('a suggestion at a pause', () => {
  for (const [shown, after, rest, judgement] of JUDGED)
    it(`is judged as ${judgement}: ${JSON.stringify(shown)} before ${JSON.stringify(after)}, of ${JSON.stringify(rest)}`, () => {
      assert.equal(judge(shown, after, rest), judgement);
    });
});
