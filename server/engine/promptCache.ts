// Prompts whose keys and values are kept after their decode, least recently used first, within a budget. A new prompt
// continues from the one it shares most tokens with, so that only the rest is prefilled.
import type { Drafter } from '../models/drafters/drafter';
import type { TargetModel } from '../models/decoder/target';
import { DecodeMemory } from './decode/decodeMemory';

interface Entry {
  readonly memory: DecodeMemory;
  /** Tokens that the memory holds: the prompt, then output. */
  readonly tokens: readonly number[];
  readonly promptLength: number;
  /** Whether the memory takes only the bytes that its tokens need. */
  readonly isCompact?: boolean;
}

interface OpenText {
  /** Returns the prompt and the output so far; the memory can hold fewer tokens. */
  readonly tokens: () => readonly number[];
  readonly promptLength: number;
}

/** Limits, running decodes included. The newest prompt is kept even above them, unless `bytes` is 0. */
export interface CacheBudget {
  readonly bytes: number;
  /** Most prompts to hold; any number by default. */
  readonly prompts?: number | undefined;
  /** Most bytes as a share of the memory that the process took once its models were loaded; any by default. */
  readonly share?: number | undefined;
}

/** Fewer shared tokens than this are markers that all prompts begin with. */
const MIN_SHARED = 16;
/**
 * A prompt that would cost a kept one more tokens than this is another text: it gets a copy, and the kept one stays.
 */
const MAX_LOST = 64;

export class PromptCache {
  #entries: readonly Entry[] = [];
  /** Memories of running decodes. They can be copied between two steps. */
  readonly #open = new Map<DecodeMemory, OpenText>();

  constructor(
    private readonly target: TargetModel,
    private budget: CacheBudget,
  ) {}

  /**
   * Returns memory that holds a beginning of the prompt, possibly an empty one. It never holds the last token, which has
   * to be computed for the logits after it. The caller gives the memory back with `release`. `tokens` returns the prompt
   * and the output so far, from which concurrent requests copy.
   */
  acquire(
    promptIds: readonly number[],
    drafters: readonly Drafter[],
    expectedRows: number,
    tokens: OpenText['tokens'],
  ): DecodeMemory {
    const memory = this.#beginning(promptIds, drafters, expectedRows);
    this.#open.set(memory, { tokens, promptLength: promptIds.length });
    // Before the new memory is filled, so that no more of it is needed than the budget says.
    this.#keepToBudget();
    return memory;
  }

  #beginning(promptIds: readonly number[], drafters: readonly Drafter[], expectedRows: number): DecodeMemory {
    const best = this.#best(promptIds, drafters);
    // A prompt shorter than MIN_SHARED is reused if all of it is known.
    const least = Math.max(1, Math.min(MIN_SHARED, promptIds.length - 1));
    if (best === undefined || best.known < least)
      return DecodeMemory.empty(this.target, drafters, expectedRows);
    const { entry, shared, known } = best;
    if (this.#open.has(entry.memory) || entry.promptLength - shared > MAX_LOST) {
      this.#markUsed(entry);
      return entry.memory.fork(known, expectedRows);
    }
    this.#entries = this.#entries.filter((other) => other !== entry);
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
    // The newest keeps its room: the next key press is likely to continue it.
    const newest = entryOf(memory, text);
    this.#entries = [...this.#entries.map(compacted), newest];
    this.#keepToBudget(newest);
  }

  /** Sets another budget and drops the prompts that no longer fit. */
  resize(budget: CacheBudget): void {
    this.budget = budget;
    this.#keepToBudget();
  }

  get bytes(): number {
    return this.#entries.reduce((sum, { memory }) => sum + memory.bytes, 0);
  }

  /** Memory of running decodes: at least that of their prompts, with tokens as large as those of the entries. */
  get #openBytes(): number {
    const tokens = this.#entries.reduce((sum, { memory }) => sum + memory.length, 0);
    const bytesPerToken = tokens === 0 ? 0 : this.bytes / tokens;
    return [...this.#open].reduce(
      (sum, [memory, { promptLength }]) => sum + Math.max(memory.bytes, bytesPerToken * promptLength),
      0,
    );
  }

  /** Drops everything, and memory that running decodes give back later. */
  dispose(): void {
    this.resize({ bytes: 0 });
  }

  /** Returns the text that shares most tokens with the prompt. */
  #best(promptIds: readonly number[], drafters: readonly Drafter[]) {
    const open = [...this.#open].map(([memory, text]) => entryOf(memory, text));
    // Entries come first: of equal ones, those that no decode uses need no copy.
    const [best] = [...this.#entries, ...open]
      .filter(({ memory }) => sameDrafters(memory.drafters, drafters))
      .map((entry) => {
        const shared = Math.min(commonLength(entry.tokens, promptIds), promptIds.length - 1);
        return { entry, shared, known: entry.memory.reachable(shared) };
      })
      .sort((a, b) => b.known - a.known);
    return best;
  }

  #markUsed(entry: Entry): void {
    if (!this.#entries.includes(entry)) return;
    this.#entries = [...this.#entries.filter((other) => other !== entry), entry];
  }

  #keepToBudget(newest?: Entry): void {
    const { bytes, prompts = Infinity } = this.budget;
    const least = bytes > 0 ? 1 : 0;
    const isOver = (): boolean =>
      this.#entries.length + this.#open.size > prompts || this.bytes + this.#openBytes > bytes;
    while (this.#entries.length > least && isOver()) this.#drop(this.#mostDispensable(newest));
  }

  /** Returns the oldest prompt that another entry begins with as well, except the newest, or else the oldest. */
  #mostDispensable(newest: Entry | undefined): Entry | undefined {
    const isCovered = (entry: Entry): boolean =>
      entry !== newest && this.#entries.some((other) => other !== entry && covers(other, entry));
    return this.#entries.find(isCovered) ?? this.#entries[0];
  }

  #drop(entry: Entry | undefined): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    entry?.memory.dispose();
  }
}

function entryOf(memory: DecodeMemory, { tokens, promptLength }: OpenText): Entry {
  return { memory, tokens: tokens().slice(0, memory.length), promptLength };
}

/** Frees the room for rows that the memory of an entry does not hold. */
function compacted(entry: Entry): Entry {
  return entry.isCompact ? entry : { ...entry, memory: entry.memory.compacted(), isCompact: true };
}

/** Whether a repetition of the prompt of `entry` reuses as many tokens of `other`. */
function covers(other: Entry, entry: Entry): boolean {
  const wanted = entry.promptLength - 1;
  return (
    sameDrafters(other.memory.drafters, entry.memory.drafters) &&
    commonLength(other.tokens, entry.tokens) >= wanted &&
    other.memory.reachable(wanted) === wanted
  );
}

function sameDrafters(a: readonly Drafter[], b: readonly Drafter[]): boolean {
  return a.length === b.length && a.every((drafter, i) => drafter === b[i]);
}

/** Returns how many tokens two texts share at their beginning. */
function commonLength(held: readonly number[], other: readonly number[]): number {
  const most = Math.min(held.length, other.length);
  let shared = 0;
  while (shared < most && held[shared] === other[shared]) shared += 1;
  return shared;
}
