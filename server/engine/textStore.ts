// What a pair has read, kept on disk for the next process: written while nothing else is to be done, one cache at a
// time, and read back when a prompt begins like a text there. Losing a text costs reading it again, so nothing here
// fails. Knows no documents and no settings but its limit.
import type { DeviceName } from '../models/device';
import type { Drafter } from '../models/drafter';
import type { CacheRecord } from '../models/layerCache';
import { dispose, evaluate, giveTurns, scope } from '../models/memory';
import * as mx from '../models/ops';
import { readSafetensors } from '../models/safetensors';
import type { TargetModel } from '../models/target';
import { requireTokenIds } from '../models/tokenArray';
import { DecodeMemory } from './decodeMemory';
import { turn } from './lane';
import type { StoredPart, StoredText, StoredTexts } from './storedTexts';

/** What was read, and the memory of it. */
export interface ReadText {
  readonly memory: DecodeMemory;
  /** Exactly what the memory holds. */
  readonly tokens: readonly number[];
  /** How many of them are the prompt's; the others are output, which only this prompt needs. */
  readonly promptLength: number;
}

/** Texts that are read again in no time are not worth a file, nor are tokens. */
const LEAST_TOKENS = 128;
const LEAST_GAIN = 64;
/** The newest ones in memory are stored, and so many are kept. */
const NEWEST = 4;
const MOST_TEXTS = 16;

export class TextStore {
  /** As far as known; absent before they are looked for. */
  #texts: Promise<Map<string, StoredText>> | undefined;
  /** Read back once: what memory has lost since then was worth less than what it kept. */
  readonly #recalled = new Set<string>();
  #maxBytes = 0;
  #endAt = Infinity;
  /** One after the other. */
  #work = Promise.resolve();

  constructor(
    private readonly stored: StoredTexts,
    private readonly target: TargetModel,
    private readonly device: DeviceName,
  ) {}

  /** How many bytes may be there; 0 removes all. */
  limit(bytes: number): void {
    this.#maxBytes = bytes;
    if (bytes === 0) void this.#then(() => this.#keepToLimit());
  }

  /** The stored text that knows most of a prompt, if that is much more than the tokens `known` without it. */
  async recall(
    promptIds: readonly number[],
    drafters: readonly Drafter[],
    known: number,
    expectedRows: number,
  ): Promise<ReadText | undefined> {
    if (this.#maxBytes === 0) return undefined;
    const names = drafters.map(({ name }) => name).join();
    const [best] = [...(await this.#known())]
      .filter(([name, text]) => text.drafters.join() === names && !this.#recalled.has(name))
      .map(([name, text]) => ({ name, text, shared: sharedTokens(text.tokens, promptIds) }))
      .sort((a, b) => b.shared - a.shared);
    if (best === undefined || best.shared < known + LEAST_GAIN) return undefined;
    this.#recalled.add(best.name);
    return await this.#read(best.name, best.text, DecodeMemory.empty(this.target, drafters, expectedRows));
  }

  /**
   * Stores the newest of the texts, which come last, unless they are there or too large. Leaves one that is no longer
   * `current`, and stops for good after `withinMs`. Resolves when it has stopped; never rejects.
   */
  async store(
    texts: readonly ReadText[],
    current: (text: ReadText) => boolean,
    withinMs = Infinity,
  ): Promise<void> {
    if (withinMs < Infinity) this.#endAt = performance.now() + withinMs;
    // What was used last is the likeliest to be needed, and the first to be written.
    for (const text of texts.slice(-NEWEST).reverse())
      void this.#then(async () => {
        if (this.#isWorthIt(text) && !(await this.#covers(text))) await this.#write(text, current);
      });
    await this.#then(() => this.#keepToLimit());
  }

  #then(work: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(work).catch(() => undefined));
  }

  #known(): Promise<Map<string, StoredText>> {
    return (this.#texts ??= this.stored.list());
  }

  async #keepToLimit(): Promise<void> {
    await this.stored.keepTo({ bytes: this.#maxBytes, texts: MOST_TEXTS });
    this.#texts = undefined;
  }

  #isWorthIt({ tokens, memory }: ReadText): boolean {
    return this.#maxBytes > 0 && tokens.length >= LEAST_TOKENS && memory.bytes <= this.#maxBytes;
  }

  /** Whether a stored text knows nearly as much. */
  async #covers({ tokens, memory }: ReadText): Promise<boolean> {
    const names = memory.drafters.map(({ name }) => name).join();
    return [...(await this.#known()).values()].some(
      (text) =>
        text.drafters.join() === names && sharedTokens(text.tokens, tokens) > tokens.length - LEAST_GAIN,
    );
  }

  async #write(text: ReadText, current: (text: ReadText) => boolean): Promise<void> {
    const { memory, tokens, promptLength } = text;
    // The length of a cache that was given away is another one.
    const { records } = memory;
    if (!records) return;
    const unfinished = await this.stored.begin();
    try {
      const parts: StoredPart[] = [];
      for (const [i, record] of records.entries()) {
        const part = await this.#inTurn(() => {
          if (!current(text) || performance.now() > this.#endAt) return undefined;
          return this.#writePart(this.stored.fileOf(unfinished, i), record);
        });
        if (part === undefined) return;
        parts.push(part);
        await giveTurns();
      }
      const drafters = memory.drafters.map(({ name }) => name);
      const facts = { tokens: [...tokens], promptLength, drafters, parts };
      const name = await this.stored.finish(unfinished, facts);
      await this.#replaced(name, { version: 1, ...facts });
    } finally {
      await this.stored.abandon(unfinished);
    }
  }

  /** Writes at once, so that the cache is that of now. */
  #writePart(file: string, record: () => CacheRecord): Promise<StoredPart> {
    const { counts, isFile } = scope(() => {
      const { counts, arrays } = record();
      const isFile = Object.keys(arrays).length > 0;
      if (isFile) mx.save(file, arrays);
      return { counts, isFile: Number(isFile) };
    });
    if (isFile === 0) return Promise.resolve({ counts, bytes: 0, sha256: EMPTY });
    // On a full disk MLX writes less and says nothing.
    readSafetensors(file);
    return this.stored.written(file, counts);
  }

  /** No decode changes a cache meanwhile, and none waits for more than one part. */
  async #inTurn<T>(work: () => T): Promise<T> {
    const release = await turn('prefetch', this.device);
    try {
      return work();
    } finally {
      release();
    }
  }

  /** Earlier texts of which the new one knows nearly all are no longer needed. */
  async #replaced(name: string, text: StoredText): Promise<void> {
    const texts = await this.#known();
    for (const [other, { tokens, promptLength, drafters }] of texts) {
      const isCovered = sharedTokens(text.tokens, tokens) > promptLength - LEAST_GAIN;
      if (!isCovered || drafters.join() !== text.drafters.join()) continue;
      texts.delete(other);
      await this.stored.remove(other);
    }
    texts.set(name, text);
    // It is in memory.
    this.#recalled.add(name);
  }

  /** Undefined, and gone, if anything is wrong with it. */
  async #read(name: string, text: StoredText, memory: DecodeMemory): Promise<ReadText | undefined> {
    const { tokens, promptLength, parts } = text;
    const records: CacheRecord[] = [];
    try {
      requireTokenIds(tokens, this.target.config.vocabSize);
      for (const [i, part] of parts.entries()) {
        const arrays = part.bytes > 0 ? readArrays(await this.stored.verified(name, i, part)) : {};
        records.push({ counts: part.counts, arrays });
        await evaluate(arrays);
        await giveTurns();
      }
      memory.restore(records, tokens);
      disposeUnused(records, memory);
      return { memory, tokens, promptLength };
    } catch {
      disposeUnused(records, memory);
      memory.dispose();
      (await this.#known()).delete(name);
      await this.stored.remove(name);
      return undefined;
    }
  }
}

/** SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** What a file had beside what the memory now holds. */
function disposeUnused(records: readonly CacheRecord[], memory: DecodeMemory): void {
  const held = new Set(memory.arrays());
  const read = records.flatMap(({ arrays }) => Object.values(arrays));
  dispose(read.filter((array) => !held.has(array)));
}

/** Not yet read from disk. Throws InputError for a file that MLX cannot be given. */
function readArrays(file: string): Record<string, mx.MxArray> {
  readSafetensors(file);
  return mx.load(file);
}

/** How many tokens two texts have in common at their beginning. */
export function sharedTokens(held: readonly number[], other: readonly number[]): number {
  const most = Math.min(held.length, other.length);
  let shared = 0;
  while (shared < most && held[shared] === other[shared]) shared += 1;
  return shared;
}
