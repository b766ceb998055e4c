// Statistics of a request to a model in the server's process, which reports all numbers.
import type { RequestStats, Rates } from '../server/engine/request/stats';
import type { StatsRow } from '../server/protocol/messages';

export type LocalRow = StatsRow & {
  readonly stats: RequestStats;
  readonly rates: Rates;
  readonly acceptanceLengths: readonly number[];
};
