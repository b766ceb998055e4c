// Asserts that wrong input is refused with a UserError that names cause and remedy, and without leaking arrays.
import assert from 'node:assert/strict';
import { UserError } from '../../server/rules/userError';
import { liveArrays } from '../../server/models/mlx/memory';

/**
 * Asserts that `attempt` throws a UserError of the form 'Expected X, got Y; remedy', 'X is not supported; Y is.' or
 * 'Event. Remedy.', and that its message contains all of `mentions`, in the first form before the remedy.
 */
export async function assertRefused(attempt: () => unknown, ...mentions: readonly string[]): Promise<void> {
  const before = liveArrays();
  const error = await failureOf(attempt);
  assert.ok(error instanceof UserError, `Expected a UserError, got ${String(error)}`);
  const [problem = '', remedy = ''] = error.message.split(/;(?=[^;]*$)/);
  const listsSupported = / is not supported; .+ (is|are)\./.test(error.message);
  const isSentences = /^[A-Z][^]+\. (Choose|Close|Use) [^]+\.$/.test(error.message);
  if (!listsSupported && !isSentences) {
    assert.match(problem, /^Expected .+, got .+/s);
    assert.match(remedy, /^ (choose|check|close|convert|correct|download|get|give|restore|swap|use) \S/);
  }
  const searched = listsSupported || isSentences ? error.message : problem;
  for (const mention of mentions) {
    assert.ok(searched.includes(mention), `the message does not contain ${mention}: ${error.message}`);
  }
  assert.equal(liveArrays(), before, 'the refused input left arrays behind');
}

async function failureOf(attempt: () => unknown): Promise<unknown> {
  try {
    await attempt();
  } catch (error) {
    return error;
  }
  return assert.fail('the wrong input was accepted');
}
