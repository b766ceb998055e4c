// Asserts refusals of wrong input: a UserError that names the cause and the remedy, thrown without leaking arrays.
import assert from 'node:assert/strict';
import { UserError } from '../../server/rules/userError';
import { liveArrays } from '../../server/models/mlx/memory';

/** Asserts that `attempt` throws such an error and that its message has all of `mentions`. */
export async function assertRefused(attempt: () => unknown, ...mentions: readonly string[]): Promise<void> {
  const before = liveArrays();
  const error = await failureOf(attempt);
  assert.ok(error instanceof UserError, `Expected a UserError, got ${String(error)}`);
  const [problem = '', remedy = ''] = error.message.split(/;(?=[^;]*$)/);
  const isFamily = / is not supported; .+ (is|are)\./.test(error.message);
  const isEvent = /^[A-Z][^]+\. (Choose|Close|Use) [^]+\.$/.test(error.message);
  if (!isFamily && !isEvent) {
    assert.match(problem, /^Expected .+, got .+/s);
    assert.match(remedy, /^ (choose|check|close|convert|correct|download|give|restore|swap|use) \S/);
  }
  const searched = isFamily || isEvent ? error.message : problem;
  for (const mention of mentions) {
    assert.ok(searched.includes(mention), `Expected the message to name ${mention}, got ${error.message}`);
  }
  assert.equal(liveArrays(), before, 'arrays left by the refused input');
}

async function failureOf(attempt: () => unknown): Promise<unknown> {
  try {
    await attempt();
  } catch (error) {
    return error;
  }
  return assert.fail('Expected a refusal, got none');
}
