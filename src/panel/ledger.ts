// What speculation saved and what it cost, for the last request and for all that are shown. Only sums of counters
// and ratios of such sums: nothing here guesses what plain decoding would have taken, comparison.ts measures that.
import type { StatsRow } from '../../server/protocol';

type SourceStats = StatsRow['stats']['sources'][number];

export interface Ledger {
  readonly promptTokens: number;
  readonly reusedTokens: number;
  readonly emitted: number;
  readonly rounds: number;
  /** Plain decoding takes one target pass for each token after the first. */
  readonly passesAvoided: number;
  readonly tokensPerRound: number;
  readonly drafted: number;
  readonly accepted: number;
  readonly thrownAway: number;
  /** Of the drafts, by drafter in the order of their first appearance. */
  readonly sources: readonly SourceStats[];
  readonly prefillMs: number;
  readonly draftMs: number;
  readonly verifyMs: number;
}

export function ledger(rows: readonly StatsRow[]): Ledger {
  const sum = (count: (stats: StatsRow['stats']) => number): number =>
    rows.reduce((total, { stats }) => total + count(stats), 0);
  // The first token of an output comes from the prompt pass; a cancelled request may have none at all.
  const afterFirst = sum(({ roundTokens }) => roundTokens);
  const rounds = sum((stats) => stats.rounds);
  const drafted = sum(({ draftedTokens }) => draftedTokens);
  const accepted = sum(({ acceptedTokens }) => acceptedTokens);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens),
    reusedTokens: sum(({ reusedTokens }) => reusedTokens),
    emitted: sum(({ emittedTokens }) => emittedTokens),
    rounds,
    passesAvoided: afterFirst - rounds,
    tokensPerRound: rounds > 0 ? afterFirst / rounds : 0,
    drafted,
    accepted,
    thrownAway: drafted - accepted,
    sources: bySource(rows.flatMap(({ stats }) => stats.sources)),
    prefillMs: sum(({ prefillMs }) => prefillMs),
    draftMs: sum(({ draftMs }) => draftMs),
    verifyMs: sum(({ verifyMs }) => verifyMs),
  };
}

function bySource(all: readonly SourceStats[]): SourceStats[] {
  const sums = new Map<string, SourceStats>();
  for (const { name, rounds, drafted, accepted } of all) {
    const before = sums.get(name) ?? { rounds: 0, drafted: 0, accepted: 0 };
    sums.set(name, {
      name,
      rounds: before.rounds + rounds,
      drafted: before.drafted + drafted,
      accepted: before.accepted + accepted,
    });
  }
  return [...sums.values()];
}
