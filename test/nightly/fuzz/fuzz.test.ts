// Every kind of input that reaches Flashline from outside, tried with a fixed seed: nothing ends the process, nothing is
// left unanswered or unexplained, and what is right gives the same as before. `npm run fuzz` tries more of them.
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { fullSize } from '../../support/fullSize';
import { kinds } from './kinds';
import { runKind } from './runKind';
import { SubjectProcess } from './subjectProcess';

/** Rare defects are found by the many inputs of the night. */
const TIMES = fullSize ? 40 : 1 / 5;

describe('fuzzed inputs', function () {
  this.timeout(1_800_000);
  const subject = new SubjectProcess();
  after(() => subject.end());

  for (const kind of kinds)
    it(`cause no crash and no unexplained answer: ${kind.name}`, async () => {
      const runs = Math.ceil(kind.runs * TIMES);
      const { defect, inputs } = await runKind(kind, { seed: 1, runs }, subject);
      assert.equal(defect, undefined, inspect(defect, { depth: 9 }));
      assert.equal(inputs, runs);
    });
});
