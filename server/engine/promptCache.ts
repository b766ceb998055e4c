// Texts that the models have read and still remember, least recently used first, within a budget. A new prompt
// starts from the one it shares most with, so that only what changed is read again.
import type { Drafter } from '../models/drafters/drafter';
import type { TargetModel } from '../models/decoder/target';
import { DecodeMemory } from './decode/decodeMemory';

/** What was read, and the memory of it. */
interface Entry {
  readonly memory: DecodeMemory;
  /** Exactly what the memory holds. */
  readonly tokens: readonly number[];
  /** How many of them are the prompt's; the others are output, which only this prompt needs. */
  readonly promptLength: number;
}

interface OpenText {
  /** The prompt and the output so far, of which the memory may hold fewer. */
  readonly tokens: () => readonly number[];
  readonly promptLength: number;
}

/** What may be kept. The newest text is, whatever its size, unless there are no bytes for any. */
export interface CacheBudget {
  readonly bytes: number;
  /** If given, no more than so many texts of the size of the largest one take. */
  readonly texts?: number | undefined;
}

/** Fewer shared tokens than this are just markers that all prompts begin with. */
const MIN_SHARED = 16;
/**
 * If a text would lose more tokens than this, the prompt is another text: the old one stays, the new one gets a copy.
 */
const MAX_LOST = 64;

export class PromptCache {
  #entries: readonly Entry[] = [];
  /** What decodes are working on. Between their steps it is at rest, and may be copied. */
  readonly #open = new Map<DecodeMemory, OpenText>();
  /** What the largest text so far has taken. */
  #largestBytes = 0;

  constructor(
    private readonly target: TargetModel,
    private budget: CacheBudget,
  ) {}

  /**
   * Memory that holds a beginning of the prompt, maybe none, but never its last token: that one has to be computed
   * to know what follows it. The caller owns it and gives it back. `tokens` returns the prompt and the output so far, so
   * that a prompt that comes meanwhile can begin with a copy.
   */
  acquire(
    promptIds: readonly number[],
    drafters: readonly Drafter[],
    expectedRows: number,
    tokens: OpenText['tokens'],
  ): DecodeMemory {
    const memory = this.#beginning(promptIds, drafters, expectedRows);
    this.#open.set(memory, { tokens, promptLength: promptIds.length });
    return memory;
  }

  #beginning(promptIds: readonly number[], drafters: readonly Drafter[], expectedRows: number): DecodeMemory {
    const best = this.#best(promptIds, drafters);
    // A short prompt that is known as a whole is another matter.
    const least = Math.max(1, Math.min(MIN_SHARED, promptIds.length - 1));
    if (best === undefined || best.known < least)
      return DecodeMemory.empty(this.target, drafters, expectedRows);
    const { entry, shared, known } = best;
    if (this.#open.has(entry.memory) || entry.promptLength - shared > MAX_LOST) {
      this.#used(entry);
      return entry.memory.fork(known, expectedRows);
    }
    this.#entries = this.#entries.filter((each) => each !== entry);
    entry.memory.trimTo(known);
    return entry.memory;
  }

  /** Takes memory back. */
  release(memory: DecodeMemory): void {
    const text = this.#open.get(memory);
    this.#open.delete(memory);
    if (memory.length === 0 || text === undefined) {
      memory.dispose();
      return;
    }
    this.#largestBytes = Math.max(this.#largestBytes, memory.bytes);
    this.#entries = [...this.#entries, heldOf(memory, text)];
    this.#keepToBudget();
  }

  /** Another budget; what no longer fits is forgotten. */
  resize(budget: CacheBudget): void {
    this.budget = budget;
    this.#keepToBudget();
  }

  get bytes(): number {
    return this.#entries.reduce((sum, { memory }) => sum + memory.bytes, 0);
  }

  /** Memory that comes back later, from decodes that were not read to the end, is forgotten too. */
  dispose(): void {
    this.resize({ bytes: 0 });
  }

  /** The text that is known to share most with the prompt. */
  #best(promptIds: readonly number[], drafters: readonly Drafter[]) {
    const open = [...this.#open].map(([memory, text]) => heldOf(memory, text));
    // Of equal ones, those that nobody is working on: they need no copy.
    const [best] = [...this.#entries, ...open]
      .filter(({ memory }) => sameDrafters(memory.drafters, drafters))
      .map((entry) => {
        const shared = Math.min(commonLength(entry.tokens, promptIds), promptIds.length - 1);
        return { entry, shared, known: entry.memory.reachable(shared) };
      })
      .sort((a, b) => b.known - a.known);
    return best;
  }

  #used(entry: Entry): void {
    if (!this.#entries.includes(entry)) return;
    this.#entries = [...this.#entries.filter((each) => each !== entry), entry];
  }

  #keepToBudget(): void {
    const { bytes, texts } = this.budget;
    const most = texts === undefined ? bytes : Math.min(bytes, texts * this.#largestBytes);
    const newest = bytes > 0 ? 1 : 0;
    while (this.#entries.length > newest && this.bytes > most) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest, ...others] = this.#entries;
    this.#entries = others;
    oldest?.memory.dispose();
  }
}

function heldOf(memory: DecodeMemory, { tokens, promptLength }: OpenText): Entry {
  return { memory, tokens: tokens().slice(0, memory.length), promptLength };
}

function sameDrafters(a: readonly Drafter[], b: readonly Drafter[]): boolean {
  return a.length === b.length && a.every((drafter, i) => drafter === b[i]);
}

/** How many tokens two texts have in common at their beginning. */
function commonLength(held: readonly number[], other: readonly number[]): number {
  const most = Math.min(held.length, other.length);
  let shared = 0;
  while (shared < most && held[shared] === other[shared]) shared += 1;
  return shared;
}
