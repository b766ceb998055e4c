// Texts that the models have read and still remember, least recently used first, within a budget of bytes. A new
// prompt starts from the one it shares most with, so that only what changed is read again.
import type { Drafter } from '../models/drafter';
import type { TargetModel } from '../models/target';
import { DecodeMemory } from './decodeMemory';

interface Resident {
  readonly memory: DecodeMemory;
  /** Exactly what the memory holds. */
  readonly tokens: readonly number[];
  /** How many of them were given; the others are output, which only this prompt needs. */
  readonly promptLength: number;
}

/** Fewer shared tokens than these are markers that all prompts begin with. */
const MIN_SHARED = 16;
/** A prompt that loses more than so many tokens is another text: the old one stays and the new one gets a copy. */
const MAX_LOST = 64;

export class ResidentPrefixes {
  #residents: readonly Resident[] = [];

  constructor(
    private readonly target: TargetModel,
    private budgetBytes: number,
  ) {}

  /**
   * Memory that holds a beginning of the prompt, maybe none, but never its last token: that one has to be computed
   * to know what follows it. The caller owns it and gives it back.
   */
  open(promptIds: readonly number[], drafters: readonly Drafter[], expectedRows: number): DecodeMemory {
    const [best] = this.#residents
      .filter(({ memory }) => sameDrafters(memory.drafters, drafters))
      .map((resident) => {
        const shared = sharedTokens(resident.tokens, promptIds);
        return { resident, shared, known: resident.memory.reachable(shared) };
      })
      .sort((a, b) => b.known - a.known);
    if (best === undefined || best.known < MIN_SHARED)
      return DecodeMemory.empty(this.target, drafters, expectedRows);
    const { resident, shared, known } = best;
    if (resident.promptLength - shared > MAX_LOST) {
      this.#residents = [...this.#residents.filter((each) => each !== resident), resident];
      return resident.memory.fork(known, expectedRows);
    }
    this.#residents = this.#residents.filter((each) => each !== resident);
    resident.memory.trimTo(known);
    return resident.memory;
  }

  /** Takes memory back; `tokens` are the prompt and the output, of which the memory may hold fewer. */
  close(memory: DecodeMemory, tokens: readonly number[], promptLength: number): void {
    if (memory.length === 0) {
      memory.dispose();
      return;
    }
    const held = tokens.slice(0, memory.length);
    this.#residents = [...this.#residents, { memory, tokens: held, promptLength }];
    this.#keepToBudget();
  }

  /** The same for the same models, loaded anew; it takes the place of this one, with the same budget. */
  onto(target: TargetModel, drafters: readonly Drafter[]): ResidentPrefixes {
    const moved = new ResidentPrefixes(target, this.budgetBytes);
    for (const resident of this.#residents) {
      const same = resident.memory.drafters.map(({ name }) => drafters.find((each) => each.name === name));
      const known = same.filter((drafter) => drafter !== undefined);
      if (known.length < same.length) resident.memory.dispose();
      else
        moved.#residents = [
          ...moved.#residents,
          { ...resident, memory: resident.memory.onto(target, known) },
        ];
    }
    this.#residents = [];
    // For what decodes of the old models still bring back.
    this.dispose();
    return moved;
  }

  /** Another budget; what does not fit any more is forgotten. */
  resize(budgetBytes: number): void {
    this.budgetBytes = budgetBytes;
    this.#keepToBudget();
  }

  get bytes(): number {
    return this.#residents.reduce((sum, { memory }) => sum + memory.bytes, 0);
  }

  /** What comes back afterwards, of decodes that nobody has read to the end, is forgotten too. */
  dispose(): void {
    this.resize(0);
  }

  #keepToBudget(): void {
    while (this.bytes > this.budgetBytes) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest, ...others] = this.#residents;
    this.#residents = others;
    oldest?.memory.dispose();
  }
}

function sharedTokens(held: readonly number[], promptIds: readonly number[]): number {
  const most = Math.min(held.length, promptIds.length - 1);
  let shared = 0;
  while (shared < most && held[shared] === promptIds[shared]) shared += 1;
  return shared;
}

function sameDrafters(a: readonly Drafter[], b: readonly Drafter[]): boolean {
  return a.length === b.length && a.every((drafter, i) => drafter === b[i]);
}
