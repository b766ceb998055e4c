// What a person sees of a mistake: exit code 2 and one line that says what was expected, what was there and what
// to do about it. No result, no stack trace, no signal.
import assert from 'node:assert/strict';
import { flashlines, type Outcome } from './flashline';

/** A mistake must be found before the work is done. */
const LIMIT_MS = 20_000;

const COMPLAINT = /^flashline: Expected [^\p{Cc}]+, got [^\p{Cc}]+; [a-z][^\p{Cc}]+\n$/u;

/** `mentions` are the words by which a person finds the mistake. */
export type BadInput = readonly [what: string, args: readonly string[], ...mentions: string[]];

/** Runs all of them in the folder that `prepare` returns, and has one test for each. */
export function itComplainsAbout(
  inputs: readonly BadInput[],
  prepare: () => string = () => process.cwd(),
): void {
  let outcomes: Outcome[] = [];
  before(async () => {
    const runs = inputs.map(([, args]) => args);
    outcomes = await flashlines(runs, { cwd: prepare(), limitMs: LIMIT_MS });
  });
  for (const [i, [what, , ...mentions]] of inputs.entries()) {
    it(`complains about ${what}`, () => {
      assert.ok(mentions.length > 0);
      assertComplaint(outcomes[i], mentions);
    });
  }
}

export function assertComplaint(outcome: Outcome | undefined, mentions: readonly string[]): void {
  assert.ok(outcome);
  const { stdout, stderr, ...ended } = outcome;
  assert.match(stderr, COMPLAINT);
  for (const mention of mentions) {
    assert.ok(stderr.includes(mention), `Expected the complaint to mention ${mention}, got ${stderr}`);
  }
  assert.equal(stdout, '');
  assert.deepEqual(ended, { code: 2, signal: null });
}
