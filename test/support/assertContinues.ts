// Compares a target with the greedy text of a reference, except at near-ties of the reference.
import assert from 'node:assert/strict';
import type { TargetModel } from '../../server/models/decoder/target';
import type { Golden } from './fixtures';
import { bestToken, runTokens, withCaches } from './tokenRun';

/**
 * Asserts that the target predicts each token of the reference whose margin to the second best is at least `tie`. Feeds
 * the reference's tokens, so that one excused tie does not excuse the tokens after it.
 */
export function assertContinues(target: TargetModel, golden: Golden, tie: number): void {
  const { vocabSize } = target.config;
  const margins = golden('greedy_margin');
  withCaches(target, (caches) => {
    let next = bestToken(runTokens(target, caches, golden('input_ids')), vocabSize);
    for (const [step, expected] of golden('greedy_ids').entries()) {
      const margin = margins[step] ?? 0;
      if (margin >= tie) assert.equal(next, expected, `token ${step}, margin ${margin}`);
      next = bestToken(runTokens(target, caches, [expected]), vocabSize);
    }
  });
}
