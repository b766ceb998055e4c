// Rounds without models, to test draft policies: drafters that are right as often as a test says, and a clock driven by
// a table of costs. The tokens themselves mean nothing.
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import type { DraftPolicy } from '../../server/engine/draftLength/policy';
import type { Drafter, Proposal } from '../../server/models/drafters/drafter';
import { noDrafter, tokenState } from './noDrafter';
import { roundStart } from './roundStart';
import { newScript, ScriptedTarget } from './scriptedTarget';
import { seededRandom } from './seededRandom';

/** The target's token at every position, and the token of a wrong draft. */
const RIGHT = 1;
const WRONG = 2;

/** Confidence of a draft, and whether it equals the target's token. */
interface SimulatedDraft {
  readonly confidence: number;
  readonly right: boolean;
}

export interface SimulatedDrafter extends Pick<Drafter, 'name' | 'minBlockSize'> {
  /**
   * Milliseconds of a proposal. With a `minBlockSize`, those of a proposal of one row: one of more rows takes longer by
   * the same factor as verifying them. 0 makes the drafter free.
   */
  readonly draftMs: number;
  /** Returns at most `count` drafts for a proposal; `round` counts from 0. */
  readonly drafts: (round: number, count: number, random: () => number) => readonly SimulatedDraft[];
}

export interface SimulatedRound {
  /** Name of the drafter whose drafts were verified. */
  readonly source: string | undefined;
  /** Names of all drafters that proposed. */
  readonly requested: readonly string[];
  readonly drafted: number;
  readonly tokens: number;
  readonly milliseconds: number;
}

const MAX_DRAFTS = 15;

/** Makes drafts of one confidence, each of which is right with probability `alpha`. */
export function steady(
  alpha: number | ((round: number) => number),
  confidence = 0.8,
): SimulatedDrafter['drafts'] {
  const at = typeof alpha === 'number' ? () => alpha : alpha;
  return (round, count, random) =>
    Array.from({ length: count }, () => ({ confidence, right: random() < at(round) }));
}

export class SimulatedPair {
  readonly memory: DecodeMemory;
  readonly #random: () => number;
  #round = 0;
  #requested: string[] = [];
  #draftMs = 0;

  constructor(
    drafters: readonly SimulatedDrafter[],
    /** Returns the milliseconds of verifying so many rows. */
    private readonly verifyMs: (rows: number, round: number) => number,
    seed = 1,
  ) {
    this.#random = seededRandom(seed);
    const target = new ScriptedTarget(newScript(1, 1));
    this.memory = DecodeMemory.empty(
      target,
      drafters.map((drafter) => this.#drafter(drafter)),
      1,
    );
  }

  /**
   * Runs one round in which at most `room` drafts can be verified. `isLast` ends the output; the next round begins
   * a new output.
   */
  async round(policy: DraftPolicy, room = MAX_DRAFTS, isLast = false): Promise<SimulatedRound> {
    this.#requested = [];
    this.#draftMs = 0;
    const { draft, candidates } = await policy.draft(roundStart(this.memory, [RIGHT], this.#round), room);
    const wrong = draft.tokens.findIndex((token) => token !== RIGHT);
    const accepted = wrong < 0 ? draft.tokens.length : wrong;
    const [draftMs, rows] = [this.#draftMs, draft.tokens.length + 1];
    const verifyMs = this.verifyMs(rows, this.#round);
    const tokens = Array<number>(accepted + 1).fill(RIGHT);
    policy.observe({ candidates, rows, draft, accepted, tokens, isLast, draftMs, verifyMs });
    this.#round += 1;
    return {
      source: draft.tokens.length > 0 ? draft.drafter?.name : undefined,
      requested: this.#requested,
      drafted: draft.tokens.length,
      tokens: tokens.length,
      milliseconds: draftMs + verifyMs,
    };
  }

  async rounds(policy: DraftPolicy, count: number): Promise<SimulatedRound[]> {
    const rounds: SimulatedRound[] = [];
    while (rounds.length < count) rounds.push(await this.round(policy));
    return rounds;
  }

  /** Returns how many times longer a pass of `rows` rows takes than one of a single row. */
  #relativeCost(rows = 1): number {
    return this.verifyMs(rows, this.#round) / this.verifyMs(1, this.#round);
  }

  #drafter({ name, draftMs, minBlockSize, drafts }: SimulatedDrafter): Drafter {
    const propose = (count: number): Proposal => {
      this.#requested.push(name);
      this.#draftMs += draftMs * this.#relativeCost(minBlockSize && Math.max(count + 1, minBlockSize));
      const proposed = drafts(this.#round, count, this.#random).slice(0, count);
      return {
        tokens: proposed.map(({ right }) => (right ? RIGHT : WRONG)),
        confidence: proposed.map(({ confidence }) => confidence),
      };
    };
    // Keeps no tokens, since they mean nothing here.
    const newState = () =>
      tokenState(() => ({
        commit: () => undefined,
        propose: (_anchor, count) => propose(count),
        reachable: (length) => length,
      }));
    const members = { name, isFree: draftMs === 0, maxDraftTokens: MAX_DRAFTS, minBlockSize, newState };
    return { ...noDrafter, ...members };
  }
}
