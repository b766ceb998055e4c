// The beginning of a round that chooses the most probable tokens, for tests that go without a session.
import type { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import { type RoundStart, Stopwatch } from '../../server/engine/decode/draft';
import { greedySampler } from '../../server/engine/sampling/greedySampler';

export function roundStart(memory: DecodeMemory, uncached: readonly number[], position = 0): RoundStart {
  const at = { history: uncached, position };
  return { memory, uncached, sampler: greedySampler, at, watch: new Stopwatch() };
}
