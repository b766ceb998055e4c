// Collects the counters of one request while it runs; `finish` freezes them into RequestStats.
import { peakMemoryBytes } from '../models/memory';
import type { FinishReason, RequestStats, Round, SourceStats } from './stats';

export class Tally {
  readonly #startedAt = performance.now();
  #firstTokenAt: number | undefined;
  #emittedTokens = 0;
  #decodeMs = 0;
  prefillMs = 0;
  reusedTokens = 0;
  readonly rounds: Round[] = [];

  constructor(
    private readonly promptTokens: number,
    private readonly request: Pick<RequestStats, 'speculationOff' | 'seed'>,
  ) {}

  firstToken(): void {
    this.#firstTokenAt ??= performance.now();
    this.#emittedTokens += 1;
  }

  /** The one place where a round is counted. */
  round(round: Round, milliseconds: number): void {
    this.#firstTokenAt ??= performance.now();
    this.rounds.push(round);
    this.#emittedTokens += round.tokens.length;
    this.#decodeMs += milliseconds;
  }

  finish(finishReason: FinishReason): RequestStats {
    const sum = (count: (round: Round) => number): number =>
      this.rounds.reduce((total, round) => total + count(round), 0);
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
      draftMs: sum(({ draftMs }) => draftMs),
      verifyMs: sum(({ verifyMs }) => verifyMs),
      buildMs: sum(({ buildMs }) => buildMs),
      decodeMs: this.#decodeMs,
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
