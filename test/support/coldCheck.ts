// Requires outputs to equal those of a target with empty caches, and counts the near-ties that are excused.
import assert from 'node:assert/strict';
import { isLossless } from './lossless';
import { verifyDecodes, type Reference } from './verifyDecodes';
import type { DecodeResult } from '../../server/engine/decode/decode';

export class ColdCheck {
  #tokens = 0;
  #tiedTokens = 0;

  constructor(private readonly reference: Reference) {}

  async require(promptIds: readonly number[], { tokenIds, finishReason }: DecodeResult): Promise<void> {
    const run = { promptIds, stopStrings: [], tokenIds, finishReason };
    // One run per call, so that the runs share no cache.
    const counts = await verifyDecodes([run], this.reference);
    assert.deepEqual([counts.requests, counts.different], [1, 0], `after ${String(promptIds.length)} tokens`);
    this.#tokens += counts.tokens;
    this.#tiedTokens += counts.tiedTokens;
  }

  /** Asserts that only few tokens of the outputs checked so far were near-ties. */
  requireFewTies(): void {
    const [tokens, tiedTokens] = [this.#tokens, this.#tiedTokens];
    assert.ok(tokens > 0);
    const counts = { requests: 0, equal: 0, nearTies: 0, different: 0, tokens, tiedTokens };
    assert.ok(isLossless(counts), `${String(tiedTokens)} of ${String(tokens)} tokens are near-ties`);
  }
}
