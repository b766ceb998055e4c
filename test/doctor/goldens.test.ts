// What the doctor ships is what the fixtures say, small, and what this program computes on the CPU.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { networkPlan } from '../../bench/goldens/familyGoldens';
import { pairGoldens } from '../../bench/goldens/pairGoldens';
import { checkFamily } from '../../server/doctor/checkNetworks';
import { GOLDENS, readGoldens } from '../../server/doctor/goldens';
import { MODES } from '../../server/doctor/modes';
import { mediaPath } from '../../server/mediaPath';
import { temporaryFolder } from '../support/temporaryFolder';

const STALE = 'run "npm run goldens"';
const [expanded, packed] = MODES.cpu;

describe('the goldens of the doctor', () => {
  const { families, pair } = readGoldens();
  const golden = (name: string) => families.find((each) => each.name === name) ?? assert.fail(name);

  it('are the networks of all fixtures, wider, and outputs of the built-in pair', () => {
    const names = readdirSync('test/fixtures/targets').sort();
    assert.deepEqual(
      families.map(({ name }) => name),
      names,
      STALE,
    );
    for (const { name, config, tensors } of families)
      assert.deepEqual({ name, config, tensors }, networkPlan(name), STALE);
    assert.deepEqual(pair, pairGoldens(), STALE);
  });

  it('are small', () => {
    assert.ok(statSync(mediaPath(GOLDENS)).size < 200_000);
  });

  for (const { name } of families)
    it(`are computed on the CPU: ${name}`, async () => {
      const { plain, drafted } = await checkFamily(
        golden(name),
        expanded ?? assert.fail(),
        temporaryFolder(),
      );
      for (const { verdict, different, largestError = NaN } of [plain, drafted]) {
        assert.deepEqual([verdict, different], ['pass', 0]);
        assert.ok(largestError < 2e-3, String(largestError));
      }
    });

  it('are computed with packed weights, too, with experts and recurrent layers', async () => {
    const found = await checkFamily(golden('qwen3_next'), packed ?? assert.fail(), temporaryFolder());
    assert.deepEqual([found.plain.verdict, found.drafted.verdict], ['pass', 'pass']);
  });

  it('tell a network that says something else', async () => {
    const own = golden('llama');
    const text = own.text.with(50, (own.text[50] ?? 0) + 1);
    const found = await checkFamily({ ...own, text }, expanded ?? assert.fail(), temporaryFolder());
    assert.deepEqual([found.plain.verdict, found.drafted.verdict], ['fail', 'fail']);
  });
});
