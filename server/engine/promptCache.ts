// The prompt cache: keeps the keys and values of prompts after their decode, within limits. A new prompt continues
// from the entry that it shares most tokens with, so that only the rest is prefilled.
import { commonStart } from '../rules/commonEnds';
import type { Drafter } from '../models/drafters/drafter';
import type { TargetModel } from '../models/decoder/target';
import { DecodeMemory } from './decode/decodeMemory';

interface Entry {
  readonly memory: DecodeMemory;
  /** Tokens that the memory holds: the prompt, then output. */
  readonly tokens: readonly number[];
  readonly promptLength: number;
  /** Whether the spare rows of the memory were freed, or found to be few. */
  readonly isCompact?: boolean;
}

interface RunningDecode {
  /** Returns the prompt and the output so far; the memory can hold fewer tokens. */
  readonly tokens: () => readonly number[];
  readonly promptLength: number;
}

/** Limits, running decodes included. The newest prompt is kept even above them, unless `bytes` is 0. */
export interface CacheLimits {
  readonly bytes: number;
  /** Maximum number of prompts; unlimited by default. */
  readonly prompts?: number | undefined;
}

/** Shared tokens below which an entry is not reused: all prompts begin with the same few markers. */
const MIN_SHARED = 16;
/**
 * Prompt tokens that an entry can lose to a new prompt. If it would lose more, the new prompt continues from a copy.
 */
const MAX_LOST = 64;

export class PromptCache {
  /** From the least to the most recently used. */
  #entries: readonly Entry[] = [];
  /** Memories of running decodes. They can be copied between two steps. */
  readonly #running = new Map<DecodeMemory, RunningDecode>();

  constructor(
    private readonly target: TargetModel,
    private limits: CacheLimits,
  ) {}

  /**
   * Returns memory that holds a prefix of the prompt, possibly an empty one. It never holds the last token, which must
   * go through the target for the logits after it. The caller must return the memory with `release`. Until then,
   * concurrent requests can copy from it; `tokens` returns the prompt and the output so far, to compare prompts with.
   * `expectedRows` is a hint for the first allocation.
   */
  acquire(
    promptIds: readonly number[],
    drafters: readonly Drafter[],
    expectedRows: number,
    tokens: () => readonly number[],
  ): DecodeMemory {
    const memory = this.#prefixMemory(promptIds, drafters, expectedRows);
    this.#running.set(memory, { tokens, promptLength: promptIds.length });
    // Frees entries before the new memory is filled, so that the peak stays within the limits.
    this.#keepWithinLimits();
    return memory;
  }

  #prefixMemory(
    promptIds: readonly number[],
    drafters: readonly Drafter[],
    expectedRows: number,
  ): DecodeMemory {
    const closest = this.#closest(promptIds, drafters);
    // For a prompt shorter than MIN_SHARED, an entry must have all of it but the last token.
    const minShared = Math.max(1, Math.min(MIN_SHARED, promptIds.length - 1));
    if (closest === undefined || closest.reusable < minShared)
      return DecodeMemory.empty(this.target, drafters, expectedRows);
    const { entry, shared, reusable } = closest;
    if (this.#running.has(entry.memory) || entry.promptLength - shared > MAX_LOST) {
      this.#markUsed(entry);
      return entry.memory.fork(reusable, expectedRows);
    }
    this.#entries = without(this.#entries, entry);
    entry.memory.trimTo(reusable);
    return entry.memory;
  }

  /** Takes back memory from `acquire`, and keeps it if the limits allow. */
  release(memory: DecodeMemory): void {
    const decode = this.#running.get(memory);
    this.#running.delete(memory);
    if (memory.length === 0 || decode === undefined) {
      memory.dispose();
      return;
    }
    // The newest entry keeps its spare rows: the next key press is likely to continue it.
    const newest = entryOf(memory, decode);
    this.#entries = [...this.#entries.map(compacted), newest];
    this.#keepWithinLimits(newest);
  }

  /** Changes the limits and drops the prompts that no longer fit. */
  resize(limits: CacheLimits): void {
    this.limits = limits;
    this.#keepWithinLimits();
  }

  /** Bytes of the entries, without the memories of running decodes. */
  get bytes(): number {
    return this.#entries.reduce((sum, { memory }) => sum + memory.bytes, 0);
  }

  /** Bytes of running decodes once their prompts are read, estimated from the bytes per token of the entries. */
  get #runningBytes(): number {
    const tokens = this.#entries.reduce((sum, { memory }) => sum + memory.length, 0);
    const bytesPerToken = tokens === 0 ? 0 : this.bytes / tokens;
    return [...this.#running].reduce(
      (sum, [memory, { promptLength }]) => sum + Math.max(memory.bytes, bytesPerToken * promptLength),
      0,
    );
  }

  /** Drops all entries; memory that running decodes return later is dropped too. */
  dispose(): void {
    this.resize({ bytes: 0 });
  }

  /** Returns the entry or running decode from which most tokens of the prompt can be reused. */
  #closest(promptIds: readonly number[], drafters: readonly Drafter[]) {
    const running = [...this.#running].map(([memory, decode]) => entryOf(memory, decode));
    // Entries come first: among equals, an entry that no decode uses needs no copy.
    const [closest] = [...this.#entries, ...running]
      .filter(({ memory }) => sameDrafters(memory.drafters, drafters))
      .map((entry) => {
        const shared = Math.min(commonStart(entry.tokens, promptIds), promptIds.length - 1);
        return { entry, shared, reusable: entry.memory.reachable(shared) };
      })
      .sort((a, b) => b.reusable - a.reusable);
    return closest;
  }

  #markUsed(entry: Entry): void {
    if (!this.#entries.includes(entry)) return;
    this.#entries = [...without(this.#entries, entry), entry];
  }

  #keepWithinLimits(newest?: Entry): void {
    const { bytes, prompts = Infinity } = this.limits;
    const minEntries = bytes > 0 ? 1 : 0;
    const isOver = (): boolean =>
      this.#entries.length + this.#running.size > prompts || this.bytes + this.#runningBytes > bytes;
    while (this.#entries.length > minEntries && isOver()) this.#drop(this.#mostDispensable(newest));
  }

  /** Returns the oldest entry whose prompt another entry covers, except the newest; if there is none, the oldest. */
  #mostDispensable(newest: Entry | undefined): Entry | undefined {
    const isCovered = (entry: Entry): boolean =>
      entry !== newest && without(this.#entries, entry).some((candidate) => covers(candidate, entry));
    return this.#entries.find(isCovered) ?? this.#entries[0];
  }

  #drop(entry: Entry | undefined): void {
    this.#entries = without(this.#entries, entry);
    entry?.memory.dispose();
  }
}

function entryOf(memory: DecodeMemory, { tokens, promptLength }: RunningDecode): Entry {
  return { memory, tokens: tokens().slice(0, memory.length), promptLength };
}

/** Frees the spare rows of an entry's memory. */
function compacted(entry: Entry): Entry {
  return entry.isCompact ? entry : { ...entry, memory: entry.memory.compacted(), isCompact: true };
}

function without(entries: readonly Entry[], removed: Entry | undefined): Entry[] {
  return entries.filter((entry) => entry !== removed);
}

/** Returns whether `candidate` would serve the prompt of `entry`, if it is sent again, as well as `entry` itself. */
function covers(candidate: Entry, entry: Entry): boolean {
  const length = entry.promptLength - 1;
  return (
    sameDrafters(candidate.memory.drafters, entry.memory.drafters) &&
    commonStart(candidate.tokens, entry.tokens) >= length &&
    candidate.memory.reachable(length) === length
  );
}

function sameDrafters(a: readonly Drafter[], b: readonly Drafter[]): boolean {
  return a.length === b.length && a.every((drafter, i) => drafter === b[i]);
}
