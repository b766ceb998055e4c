// Tries every kind of outside input with a fixed seed: no crash, no missing or unexplained answer, and known results
// for valid inputs. `npm run fuzz` tries more.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { fullSize } from '../../support/fullSize';
import { kinds } from './kinds';
import { runKind } from './runKind';
import { SubjectProcess } from './subjectProcess';

/** Factor of the number of inputs: many nightly, which find rare defects, and few otherwise. */
const RUNS_FACTOR = fullSize ? 40 : 1 / 5;

describe('fuzzed inputs', function () {
  this.timeout(1_800_000);
  const subject = new SubjectProcess();
  after(() => subject.end());

  for (const kind of kinds)
    it(`cause no crash and no unexplained answer: ${kind.name}`, async () => {
      const runs = Math.ceil(kind.runs * RUNS_FACTOR);
      const { defect, inputs } = await runKind(kind, { seed: 1, runs }, subject);
      assert.equal(defect, undefined, inspect(defect, { depth: 9 }));
      assert.equal(inputs, runs);
    });
});
