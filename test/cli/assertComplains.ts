// What a program says to arguments that it cannot take: at once, on stderr alone, and with the exit code for them.
import assert from 'node:assert/strict';
import type { Outcome } from './flashline';

type Case = readonly [args: readonly string[], complaint: RegExp];

export async function assertComplains(
  run: (...args: readonly string[]) => Promise<Outcome>,
  cases: readonly Case[],
): Promise<void> {
  for (const [args, complaint] of cases) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
    assert.match(stderr, complaint);
  }
}
