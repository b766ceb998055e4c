// The JSON that the program prints for a decode, and what a success looks like.
// The keys are part of the interface: scripts read them.
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

/** In the order in which they are printed. */
export const RESULT_KEYS = ['tokenIds', 'text', 'acceptanceLengths', 'finishReason', 'stats'];

export const STATS_KEYS = [
  ...'promptTokens reusedTokens emittedTokens rounds roundTokens draftedTokens acceptedTokens'.split(' '),
  ...'acceptedByPosition draftedByPosition wholeRounds mismatchesByPosition sources timeToFirstTokenMs queuedMs prefillMs draftMs'.split(
    ' ',
  ),
  ...'verifyMs buildMs decodeMs peakMemoryBytes finishReason speculationOff seed tokensPerRound'.split(' '),
  ...'acceptanceRate decodeTokensPerSecond endToEndTokensPerSecond'.split(' '),
];

/** The stdout of a run that succeeded and had nothing to add. */
export function outputOf(outcome: Outcome | undefined): string {
  assert.ok(outcome);
  const { stdout, ...rest } = outcome;
  assert.deepEqual(rest, { code: 0, signal: null, stderr: '' });
  return stdout;
}

/** One JSON object per line, and nothing else. */
export function printedLines(stdout: string): Printed[] {
  assert.ok(stdout.endsWith('\n'));
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Printed);
}

/** The only line. */
export function printedLine(stdout: string): Printed {
  const [line, ...more] = printedLines(stdout);
  assert.ok(line);
  assert.deepEqual(more, []);
  return line;
}

/** What two decodes of one prompt have in common: all but the times. */
export function outputAndPrompt({ tokenIds, text, finishReason, stats }: Printed): object {
  return { tokenIds, text, finishReason, promptTokens: stats['promptTokens'] };
}
