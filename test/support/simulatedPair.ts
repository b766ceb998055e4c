// Rounds without models: drafters that are right as often as they are told, and a clock that goes by a table of
// costs. For what a policy makes of them; the tokens themselves mean nothing.
import { DecodeMemory } from '../../server/engine/decode/decodeMemory';
import type { DraftPolicy } from '../../server/engine/draftLength/draftLength';
import type { Drafter, DraftState, Proposal } from '../../server/models/drafters/drafter';
import { noDrafter } from './noDrafter';
import { roundStart } from './roundStart';
import { newScript, ScriptedTarget } from './scriptedTarget';
import { seededRandom } from './seededRandom';

/** What the target says at every position, and what a wrong draft says. */
const RIGHT = 1;
const WRONG = 2;

/** One proposal: how sure each draft is, and whether it is what the target says. */
export interface SimulatedDraft {
  readonly confidence: number;
  readonly right: boolean;
}

export interface SimulatedDrafter {
  readonly name: string;
  /** Milliseconds of a proposal; 0 makes the drafter free. */
  readonly draftMs: number;
  /** As in Drafter: a wider pass takes longer, in proportion to verifying. */
  readonly minBlockSize?: number;
  /** Called anew for each proposal, `round` counts from 0; returns `count` drafts or fewer. */
  readonly drafts: (round: number, count: number, random: () => number) => readonly SimulatedDraft[];
}

export interface SimulatedRound {
  /** The drafter whose drafts were verified. */
  readonly source: string | undefined;
  /** Who was asked. */
  readonly asked: readonly string[];
  readonly drafted: number;
  readonly tokens: number;
  readonly milliseconds: number;
}

const MAX_DRAFTS = 15;

/** Drafts of one confidence that are right with probability `alpha`, each on its own. */
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
  #asked: string[] = [];
  #draftMs = 0;

  constructor(
    drafters: readonly SimulatedDrafter[],
    /** Milliseconds of verifying so many rows. */
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

  /** One round of a decode in which `room` drafts may be verified; `isLast` ends an output, and another one begins. */
  async round(policy: DraftPolicy, room = MAX_DRAFTS, isLast = false): Promise<SimulatedRound> {
    this.#asked = [];
    this.#draftMs = 0;
    const { draft, candidates } = await policy.draft(roundStart(this.memory, [RIGHT], this.#round), room);
    const wrong = draft.tokens.findIndex((token) => token !== RIGHT);
    const accepted = wrong < 0 ? draft.tokens.length : wrong;
    const draftMs = this.#draftMs;
    const verifyMs = this.verifyMs(draft.tokens.length + 1, this.#round);
    const tokens = Array<number>(accepted + 1).fill(RIGHT);
    policy.observe({
      ...{ candidates, rows: draft.tokens.length + 1, draft, accepted, tokens },
      ...{ isLast, draftMs, verifyMs },
    });
    this.#round += 1;
    return {
      source: draft.tokens.length > 0 ? draft.drafter?.name : undefined,
      asked: this.#asked,
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

  #widening(rows = 1): number {
    return this.verifyMs(rows, this.#round) / this.verifyMs(1, this.#round);
  }

  #drafter({ name, draftMs, minBlockSize, drafts }: SimulatedDrafter): Drafter {
    const propose = (count: number): Proposal => {
      this.#asked.push(name);
      this.#draftMs += draftMs * this.#widening(minBlockSize && Math.max(count + 1, minBlockSize));
      const proposed = drafts(this.#round, count, this.#random).slice(0, count);
      return {
        tokens: proposed.map(({ right }) => (right ? RIGHT : WRONG)),
        confidence: proposed.map(({ confidence }) => confidence),
      };
    };
    const newState = (): DraftState => ({
      ...emptyState,
      propose: (_anchor, count) => propose(count),
    });
    return {
      name,
      isFree: draftMs === 0,
      maxDraftTokens: MAX_DRAFTS,
      minBlockSize,
      taps: [],
      newState,
      dispose: () => undefined,
    };
  }
}

const emptyState: Omit<DraftState, 'propose'> = {
  offset: 0,
  relate: () => undefined,
  commit: () => undefined,
  reachable: (length) => length,
  trimTo: () => undefined,
  fork: () => noDrafter.newState(new ScriptedTarget(newScript(1, 1)), 1),
  arrays: () => [],
  dispose: () => undefined,
};
