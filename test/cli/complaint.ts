// Checks the error for a user's mistake: exit code 2 and one line with the expected value, the actual value and the
// remedy. No result, no stack trace, no signal.
import assert from 'node:assert/strict';
import type { Outcome } from './flashline';
import { inProcess } from './inProcess';

const COMPLAINT =
  /^flashline: (Expected [^\p{Cc}]+, got [^\p{Cc}]+; [a-z]|[^\p{Cc}]+ is not supported; |[^\p{Cc}]+[.)] [A-Z])[^\p{Cc}]+\n$/u;

/** A mistake in words, the arguments that make it, and words that the error must contain. */
export type BadInput = readonly [mistake: string, args: readonly string[], ...mentions: string[]];

/** Adds a test for each input, in the folder that `prepare` returns. `run` can start a process instead. */
export function itComplainsAbout(
  inputs: readonly BadInput[],
  prepare: () => string = () => process.cwd(),
  run: (args: readonly string[], options: { readonly cwd: string }) => Promise<Outcome> = inProcess,
): void {
  let cwd: string;
  before(() => void (cwd = prepare()));
  for (const [mistake, args, ...mentions] of inputs) {
    it(`complains about ${mistake}`, async () => {
      assert.ok(mentions.length > 0);
      assertComplaint(await run(args, { cwd }), mentions);
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
