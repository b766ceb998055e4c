// What the doctor ships is what the fixtures say, and what this program computes on the CPU.
import assert from 'node:assert/strict';
import { pairGoldens } from '../../bench/goldens/pairGoldens';
import { checkPair } from '../../server/doctor/checkPair';
import { readGoldens } from '../../server/doctor/goldens';
import { MODES } from '../../server/doctor/modes';

const [expanded = assert.fail(), packed = assert.fail()] = MODES.cpu;

describe('the goldens of the doctor', () => {
  const goldens = readGoldens();
  const [short = assert.fail()] = goldens;

  it('are outputs of the built-in pair', () => {
    assert.deepEqual(goldens, pairGoldens(), 'run "npm run goldens"');
  });

  for (const mode of [expanded, packed])
    it(`are computed on the CPU, with ${mode.weights} weights`, async () => {
      const { plain, drafted } = await checkPair(goldens.slice(0, 1), mode);
      for (const { verdict, compared, different } of [plain, drafted])
        assert.deepEqual([verdict, compared, different], ['pass', short.outputIds.length, 0]);
    });

  it('tell a pair that says something else', async () => {
    const promptIds = short.promptIds.map((id) => id + 1);
    const found = await checkPair([{ ...short, promptIds }], expanded);
    assert.deepEqual([found.plain.verdict, found.drafted.verdict], ['fail', 'fail']);
  });
});
