// What a person sees of a mistake: exit code 2 and one line that says what was expected, what was there and what
// to do about it. No result, no stack trace, no signal.
import assert from 'node:assert/strict';
import type { Outcome } from './flashline';
import { inProcess } from './inProcess';

const COMPLAINT =
  /^flashline: (Expected [^\p{Cc}]+, got [^\p{Cc}]+; [a-z]|[^\p{Cc}]+ is not supported; |No model folder at [^\p{Cc}]+\. Choose )[^\p{Cc}]+\n$/u;

/** `mentions` are the words by which a person finds the mistake. */
export type BadInput = readonly [what: string, args: readonly string[], ...mentions: string[]];

/** Has one test for each, in the folder that `prepare` returns; `run` may start a process instead. */
export function itComplainsAbout(
  inputs: readonly BadInput[],
  prepare: () => string = () => process.cwd(),
  run: (args: readonly string[], options: { readonly cwd: string }) => Promise<Outcome> = inProcess,
): void {
  let cwd: string;
  before(() => void (cwd = prepare()));
  for (const [what, args, ...mentions] of inputs) {
    it(`complains about ${what}`, async () => {
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
