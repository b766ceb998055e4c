// The beginning of a round that chooses the most probable tokens, for tests that go without a session.
import type { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import type { RoundStart } from '../../server/engine/decode/roundStart';
import { Stopwatch } from '../../server/engine/decode/stopwatch';
import { GreedySampler } from '../../server/engine/sampling/greedySampler';

export function roundStart(memory: DecodeMemory, uncached: readonly number[], position = 0): RoundStart {
  const context = { history: uncached, position };
  return { memory, uncached, sampler: new GreedySampler(), context, stopwatch: new Stopwatch() };
}
