// Parses the JSON that the program prints for a decode. Its keys are part of the interface: scripts read them.
import assert from 'node:assert/strict';
import type { Outcome } from './flashline';

export interface Printed {
  readonly tokenIds: readonly number[];
  readonly text: string | null;
  readonly acceptanceLengths: readonly number[];
  readonly finishReason: string;
  readonly logprobs?: readonly {
    readonly token: number;
    readonly logprob: number;
    readonly top: readonly { readonly token: number; readonly logprob: number }[];
  }[];
  readonly stats: Readonly<Record<string, unknown>>;
}

/** Keys in the order in which they are printed. */
export const RESULT_KEYS = ['tokenIds', 'text', 'acceptanceLengths', 'finishReason', 'stats'];

export const STATS_KEYS = [
  ...'promptTokens reusedTokens emittedTokens rounds roundTokens draftedTokens acceptedTokens'.split(' '),
  ...'acceptedByPosition draftedByPosition wholeRounds mismatchesByPosition sources timeToFirstTokenMs queuedMs prefillMs draftMs'.split(
    ' ',
  ),
  ...'verifyMs buildMs decodeMs peakMemoryBytes finishReason speculationOff seed tokensPerRound'.split(' '),
  ...'acceptanceRate decodeTokensPerSecond endToEndTokensPerSecond'.split(' '),
];

/** Returns the stdout of a run that succeeded and wrote nothing to stderr. */
export function outputOf(outcome: Outcome | undefined): string {
  assert.ok(outcome);
  const { stdout, ...rest } = outcome;
  assert.deepEqual(rest, { code: 0, signal: null, stderr: '' });
  return stdout;
}

/** Returns the results of an output with one JSON object per line. */
export function printedLines(stdout: string): Printed[] {
  assert.ok(stdout.endsWith('\n'));
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
}

/** Returns the result of an output with one line. */
export function printedLine(stdout: string): Printed {
  const [line, ...more] = printedLines(stdout);
  assert.ok(line);
  assert.deepEqual(more, []);
  return line;
}

/** Returns the parts of a result that are equal in two decodes of one prompt; times and drafts can differ. */
export function outputAndPrompt({ tokenIds, text, finishReason, stats }: Printed): object {
  return { tokenIds, text, finishReason, promptTokens: stats['promptTokens'] };
}
