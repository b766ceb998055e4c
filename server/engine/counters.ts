// Collects the counters of one request while it runs; `finish` freezes them into RequestStats.
import { peakMemoryBytes } from '../models/mlx/memory';
import type { FinishReason, RequestStats, Round } from './request/stats';

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
    private readonly request: Pick<RequestStats, 'speculationOff' | 'seed'>,
  ) {}

  /** The one place where tokens and rounds are counted; the first token may come without a round. */
  count(tokens: number, round: Round | undefined): void {
    this.#firstTokenAt ??= performance.now();
    this.#emittedTokens += tokens;
    if (round) this.rounds.push(round);
  }

  finish(finishReason: FinishReason): RequestStats {
    const sum = (count: (round: Round) => number, rounds: readonly Round[] = this.rounds): number =>
      rounds.reduce((total, round) => total + count(round), 0);
    const [draftMs, verifyMs] = [sum((round) => round.draftMs), sum((round) => round.verifyMs)];
    const widest = Math.max(0, ...this.rounds.map(({ drafted }) => drafted));
    const byPosition = (count: (round: Round) => number): number[] =>
      Array.from({ length: widest }, (_, i) => this.rounds.filter((round) => count(round) > i).length);
    const names = [...new Set(this.rounds.flatMap(({ source }) => source ?? []))];
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
      wholeRounds: this.rounds.filter(({ drafted, accepted }) => drafted > 0 && accepted === drafted).length,
      mismatchesByPosition: Array.from(
        { length: widest },
        (_, i) => this.rounds.filter(isMismatch(i)).length,
      ),
      sources: names.map((name) => {
        const mine = this.rounds.filter(({ source }) => source === name);
        const [drafted, accepted] = [
          sum((round) => round.drafted, mine),
          sum((round) => round.accepted, mine),
        ];
        return { name, rounds: mine.length, drafted, accepted };
      }),
      timeToFirstTokenMs: (this.#firstTokenAt ?? performance.now()) - this.#startedAt,
      queuedMs: this.queuedMs,
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

/** Whether the token at that position was the target's own although a draft was there. */
function isMismatch(position: number) {
  return ({ drafted, accepted, tokens }: Round): boolean =>
    accepted === position && drafted > position && tokens.length > position;
}
