// Counters of one request, collected while it runs; `stats` returns them as RequestStats, at any time.
import { peakMemoryBytes } from '../models/mlx/bufferCache';
import { largestOf } from '../rules/extremes';
import type { FinishReason, RequestStats, Round, SourceStats, SpeculationOff } from './request/stats';

export class Counters {
  readonly #startedAt = performance.now();
  #firstTokenAt: number | undefined;
  #emittedTokens = 0;
  queuedMs = 0;
  prefillMs = 0;
  reusedTokens = 0;
  readonly rounds: Round[] = [];

  constructor(
    private readonly promptTokens: number,
    private readonly speculationOff: SpeculationOff | undefined,
    private readonly seed: number | undefined,
  ) {}

  /** Counts emitted tokens and their round. The first token comes without a round if prefill yields it. */
  count(tokens: number, round: Round | undefined): void {
    this.#firstTokenAt ??= performance.now();
    this.#emittedTokens += tokens;
    if (round) this.rounds.push(round);
  }

  /** Returns the statistics so far. Until the first token, `timeToFirstTokenMs` is the time since the request began. */
  stats(finishReason: FinishReason): RequestStats {
    const { rounds } = this;
    const draftMs = sum(rounds, (round) => round.draftMs);
    const verifyMs = sum(rounds, (round) => round.verifyMs);
    return {
      promptTokens: this.promptTokens,
      reusedTokens: this.reusedTokens,
      emittedTokens: this.#emittedTokens,
      rounds: rounds.length,
      roundTokens: sum(rounds, ({ tokens }) => tokens.length),
      draftedTokens: sum(rounds, ({ drafted }) => drafted),
      acceptedTokens: sum(rounds, ({ accepted }) => accepted),
      acceptedByPosition: this.#byPosition(({ accepted }, position) => accepted > position),
      draftedByPosition: this.#byPosition(({ drafted }, position) => drafted > position),
      wholeRounds: rounds.filter(({ drafted, accepted }) => drafted > 0 && accepted === drafted).length,
      mismatchesByPosition: this.#byPosition(isMismatch),
      sources: sourcesOf(rounds),
      timeToFirstTokenMs: (this.#firstTokenAt ?? performance.now()) - this.#startedAt,
      queuedMs: this.queuedMs,
      prefillMs: this.prefillMs,
      draftMs,
      verifyMs,
      buildMs: sum(rounds, ({ buildMs }) => buildMs),
      decodeMs: draftMs + verifyMs,
      peakMemoryBytes: peakMemoryBytes(),
      finishReason,
      speculationOff: this.speculationOff,
      seed: this.seed,
    };
  }

  /** Counts, for each position of a draft, the rounds for which `applies` is true. */
  #byPosition(applies: (round: Round, position: number) => boolean): number[] {
    const longest = largestOf([0, ...this.rounds.map(({ drafted }) => drafted)]);
    return Array.from(
      { length: longest },
      (_, position) => this.rounds.filter((round) => applies(round, position)).length,
    );
  }
}

/** Returns whether the target rejected the draft at `position` and emitted another token in its place. */
function isMismatch({ drafted, accepted, tokens }: Round, position: number): boolean {
  return accepted === position && drafted > position && tokens.length > position;
}

function sourcesOf(rounds: readonly Round[]): SourceStats[] {
  const names = [...new Set(rounds.flatMap(({ source }) => source ?? []))];
  return names.map((name) => {
    const sourceRounds = rounds.filter(({ source }) => source === name);
    return {
      name,
      rounds: sourceRounds.length,
      drafted: sum(sourceRounds, ({ drafted }) => drafted),
      accepted: sum(sourceRounds, ({ accepted }) => accepted),
    };
  });
}

function sum(rounds: readonly Round[], count: (round: Round) => number): number {
  return rounds.reduce((total, round) => total + count(round), 0);
}
