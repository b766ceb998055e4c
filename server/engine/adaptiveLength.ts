// Chooses for each round who drafts and how many drafts are verified, so that most tokens come out per millisecond:
// down to none, which is plain decoding. After speculative-decoding.md G.4 to G.6, with several drafters.
import type { Drafter } from '../models/drafter';
import type { AcceptanceRates } from './acceptanceRates';
import type { DecodeMemory } from './decodeMemory';
import { draftWith, NO_DRAFT, type Draft } from './draft';
import type { DraftPolicy, RoundOutcome } from './draftPolicy';
import type { PairProfile } from './pairProfile';
import type { Stopwatch } from './stopwatch';

/** Weight that a round leaves to those before it in the current speed: what is easy now was not before. */
const SPEED_DECAY = 0.9;
/** A drafter that is not worth its pass is tried again after so many plain rounds, then after twice as many ... */
const FIRST_PROBE = 8;
const LAST_PROBE = 512;

/** So many drafts are worth this many tokens, less what their time could have given elsewhere. */
interface Plan {
  readonly length: number;
  readonly value: number;
}

export class AdaptiveLength implements DraftPolicy {
  #tokens = 0;
  #milliseconds = 0;
  #plainRounds = 0;
  #probeAfter = FIRST_PROBE;

  constructor(private readonly profile: PairProfile) {}

  async draft(memory: DecodeMemory, anchor: number, room: number, watch: Stopwatch): Promise<Draft> {
    const speed = this.#speed();
    let best = { draft: NO_DRAFT, value: 1 - speed * this.profile.costs.verify(1) };
    const dear: number[] = [];
    for (const [i, drafter] of memory.drafters.entries()) {
      if (!drafter.isFree) {
        dear.push(i);
        continue;
      }
      const offered = await draftWith(memory, i, anchor, most(drafter, room), watch);
      const { length, value } = this.#plan(levelRates(offered, this.#rates(drafter)), speed);
      if (length > 0 && value > best.value) best = { draft: shortened(offered, length), value };
    }
    for (const i of dear) {
      const drafter = memory.drafters[i];
      const cap = drafter ? most(drafter, room) : 0;
      if (drafter === undefined || cap === 0) continue;
      const rates = Array.from({ length: cap }, (_, position) => this.#rates(drafter).at(position));
      const { length, value } = this.#plan(rates, speed);
      const worth = value - speed * this.profile.costs.draft(drafter.name);
      const probes = best.draft === NO_DRAFT && this.#plainRounds >= this.#probeAfter;
      if (worth <= best.value && !probes) continue;
      // Twice as many as would be verified on average: this draft may be a sure one.
      const drafted = await draftWith(memory, i, anchor, Math.min(cap, 2 * length + 2), watch);
      const sure = this.#plan(levelRates(drafted, this.#rates(drafter)), speed);
      return shortened(drafted, probes ? Math.max(1, sure.length) : sure.length);
    }
    return best.draft;
  }

  observe({ draft, accepted, draftMs, verifyMs }: RoundOutcome): void {
    const { costs } = this.profile;
    costs.recordVerify(draft.tokens.length + 1, verifyMs);
    this.#tokens = SPEED_DECAY * this.#tokens + accepted + 1;
    this.#milliseconds = SPEED_DECAY * this.#milliseconds + draftMs + verifyMs;
    const { drafter } = draft;
    if (drafter === undefined) {
      this.#plainRounds += 1;
      return;
    }
    this.#rates(drafter).record(draft.evidence, accepted);
    if (drafter.isFree) return;
    costs.recordDraft(drafter.name, draftMs);
    if (this.#plainRounds >= this.#probeAfter) {
      const paid = (accepted + 1) / (draftMs + verifyMs) > 1 / costs.verify(1);
      this.#probeAfter = paid ? FIRST_PROBE : Math.min(LAST_PROBE, 2 * this.#probeAfter);
    }
    this.#plainRounds = 0;
  }

  /** Tokens per millisecond of late, and never less than plain decoding gives: what a millisecond is worth. */
  #speed(): number {
    const plain = 1 / this.profile.costs.verify(1);
    return this.#milliseconds > 0 ? Math.max(plain, this.#tokens / this.#milliseconds) : plain;
  }

  /** The best number of drafts, where `rates` are the chances of each if all before it are accepted. */
  #plan(rates: readonly number[], speed: number): Plan {
    let best: Plan = { length: 0, value: 1 - speed * this.profile.costs.verify(1) };
    let survival = 1;
    let tokens = 1;
    for (const [i, rate] of rates.entries()) {
      survival *= rate;
      tokens += survival;
      const value = tokens - speed * this.profile.costs.verify(i + 2);
      if (value > best.value) best = { length: i + 1, value };
    }
    return best;
  }

  #rates(drafter: Drafter): AcceptanceRates {
    return this.profile.ratesOf(drafter.name);
  }
}

function most(drafter: Drafter, room: number): number {
  return Math.max(0, Math.min(drafter.maxDraftTokens, room));
}

function levelRates({ evidence }: Draft, rates: AcceptanceRates): number[] {
  return evidence.map((level, position) => rates.atLevel(position, level));
}

function shortened(draft: Draft, length: number): Draft {
  return { ...draft, tokens: draft.tokens.slice(0, length), evidence: draft.evidence.slice(0, length) };
}
