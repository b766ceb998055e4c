// The start of a greedy round, for tests without a session.
import type { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import type { RoundStart } from '../../server/engine/decode/roundStart';
import { Stopwatch } from '../../server/engine/decode/stopwatch';
import { GreedySampler } from '../../server/engine/sampling/greedySampler';

export function roundStart(memory: DecodeMemory, uncached: readonly number[], position = 0): RoundStart {
  const context = { history: uncached, position };
  return { memory, uncached, sampler: new GreedySampler(), context, stopwatch: new Stopwatch() };
}
