// Asserts that a refusal has the form of our errors: the expected value, the actual value and the remedy. An error of
// the language or of a library in it means that the input was not checked.
import assert from 'node:assert/strict';
import { UserError } from '../../../server/rules/userError';

/** Forms of refusals: of a value, or sentences about an event with a model, its folder or the Hub. */
const FORM = new RegExp(
  [
    '^Expected [^]+, got [^]+; [a-z][^]+$',
    '^[^]+ is not supported; [^]+$',
    '^\\S[^]+\\. \\([^]*\\)$',
    // Two sentences: the event, and the remedy.
    '^\\S[^]*[.!] [A-Z][^]*\\.$',
    '^The chat template of this model refuses the conversation: [^]*$',
  ].join('|'),
);
const FOREIGN = new RegExp(
  [
    String.raw`\b(Type|Range|Reference|Syntax|Assertion)Error\b`,
    String.raw`\bCannot (read|set|convert|destructure|mix|use|access)\b`,
    String.raw`(?<!that )\bis not (a function|iterable|a constructor|defined|an object|extensible|a valid)\b`,
    String.raw`\bundefined is\b|\(reading |\[object \w+\]|Maximum call stack|Invalid \w+ length|Invalid count value`,
    String.raw`\n\s+at |\.js:\d+`,
  ].join('|'),
);

export function assertExplainedText(message: unknown): void {
  assert.equal(typeof message, 'string');
  assert.match(String(message), FORM);
  assert.doesNotMatch(String(message), FOREIGN);
}

/** Returns the value; undefined for an input that was refused correctly. Throws anything else that `work` throws. */
export async function valueUnlessRefused<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    assertExplainedText(error.message);
    return undefined;
  }
}
