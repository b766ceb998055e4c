// Asserts refusals of wrong input: an InputError that names the cause and the remedy, thrown without leaking arrays.
import assert from 'node:assert/strict';
import { InputError } from '../../server/rules/inputError';
import { liveArrays } from '../../server/models/mlx/memory';

/** Asserts that `attempt` throws such an error and that its message has all of `mentions`. */
export async function assertRefused(attempt: () => unknown, ...mentions: readonly string[]): Promise<void> {
  const before = liveArrays();
  const error = await failureOf(attempt);
  assert.ok(error instanceof InputError, `Expected an InputError, got ${String(error)}`);
  const [problem = '', remedy = ''] = error.message.split(/;(?=[^;]*$)/);
  const isFamily = / is not supported; .+ (is|are)\./.test(error.message);
  const isMissingFolder = /^No model folder at .+\. Choose one that holds /.test(error.message);
  if (!isFamily && !isMissingFolder) {
    assert.match(problem, /^Expected .+, got .+/s);
    assert.match(remedy, /^ (choose|check|close|convert|correct|download|give|restore|swap|use) \S/);
  }
  const searched = isFamily ? error.message : problem;
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
