// Collects the counters of one request while it runs; `finish` freezes them into RequestStats.
import { peakMemoryBytes } from '../models/memory';
import type { FinishReason, RequestStats, Round, SourceStats } from './stats';

export class Tally {
  readonly #startedAt = performance.now();
  #firstTokenAt: number | undefined;
  #emittedTokens = 0;
  prefillMs = 0;
  reusedTokens = 0;
  readonly rounds: Round[] = [];

  constructor(
    private readonly promptTokens: number,
    private readonly request: Pick<RequestStats, 'speculationOff' | 'seed'>,
  ) {}

  /** The one place where tokens and rounds are counted; the first token may come without a round. */
  count(tokens: number, round: Round | undefined): void {
    this.#firstTokenAt ??= performance.now();
    this.#emittedTokens += tokens;
    if (round) this.rounds.push(round);
  }

  finish(finishReason: FinishReason): RequestStats {
    const sum = (count: (round: Round) => number): number =>
      this.rounds.reduce((total, round) => total + count(round), 0);
    const [draftMs, verifyMs] = [sum((round) => round.draftMs), sum((round) => round.verifyMs)];
    const widest = this.rounds.reduce((most, { drafted }) => Math.max(most, drafted), 0);
    const byPosition = (count: (round: Round) => number): number[] =>
      Array.from({ length: widest }, (_, i) => this.rounds.filter((round) => count(round) > i).length);
    return {
      promptTokens: this.promptTokens,
      reusedTokens: this.reusedTokens,
      emittedTokens: this.#emittedTokens,
      rounds: this.rounds.length,
      roundTokens: sum(({ tokens }) => tokens.length),
      draftedTokens: sum(({ drafted }) => drafted),
      acceptedTokens: sum(({ accepted }) => accepted),
      acceptedByPosition: byPosition(({ accepted }) => accepted),
      draftedByPosition: byPosition(({ drafted }) => drafted),
      sources: bySource(this.rounds),
      timeToFirstTokenMs: (this.#firstTokenAt ?? performance.now()) - this.#startedAt,
      prefillMs: this.prefillMs,
      draftMs,
      verifyMs,
      buildMs: sum(({ buildMs }) => buildMs),
      decodeMs: draftMs + verifyMs,
      peakMemoryBytes: peakMemoryBytes(),
      finishReason,
      ...this.request,
    };
  }
}

function bySource(rounds: readonly Round[]): SourceStats[] {
  const names = new Set(rounds.map(({ source }) => source).filter((name) => name !== undefined));
  return [...names].map((name) => {
    const mine = rounds.filter(({ source }) => source === name);
    const sum = (count: (round: Round) => number): number =>
      mine.reduce((total, round) => total + count(round), 0);
    return {
      name,
      rounds: mine.length,
      drafted: sum(({ drafted }) => drafted),
      accepted: sum(({ accepted }) => accepted),
    };
  });
}
