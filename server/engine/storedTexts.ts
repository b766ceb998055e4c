// Texts on disk that models have read: below a folder, one for each pair, and in that one for each text, with what is
// known of it and a file for each of its caches. A text is there as a whole or not at all, and what is damaged anywhere
// is removed. Knows neither models nor arrays.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { isAlive } from '../replaceFile';

/** Version of the form; others are not read. */
const VERSION = 1;
/** Ours have some hundred thousand. */
const MAX_FACTS_BYTES = 8e6;
const FACTS = 'text.json';

const COUNT = z.int().check(z.nonnegative());
const HASH = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** Without arrays it has no file, and 0 bytes. */
const PART = z.object({ counts: z.record(z.string(), COUNT), bytes: COUNT, sha256: HASH });
const TEXT = z.object({
  version: z.literal(VERSION),
  tokens: z.array(COUNT),
  promptLength: COUNT,
  /** Names of those that have read it too. */
  drafters: z.array(z.string()),
  parts: z.array(PART),
});

export type StoredPart = z.infer<typeof PART>;
export type StoredText = z.infer<typeof TEXT>;

export class StoredTexts {
  readonly #own: string;

  /** `pair` names what has read the texts, with all that decides what it remembers of them. */
  constructor(
    private readonly folder: string,
    pair: string,
  ) {
    this.#own = join(folder, hashOf(pair).slice(0, 32));
  }

  /** The texts of this pair under their names, the newest first; never rejects. */
  async list(): Promise<Map<string, StoredText>> {
    const found = new Map<string, StoredText>();
    for (const { path, name } of (await placesIn(this.#own)).reverse()) {
      const text = await readFacts(join(path, FACTS));
      if (text) found.set(name, text);
      else await remove(path);
    }
    return found;
  }

  /** The file of a part, once it is known to be what was written. Rejects if it is not. */
  async verified(name: string, index: number, { bytes, sha256 }: StoredPart): Promise<string> {
    const file = join(this.#own, name, partName(index));
    const { size } = await stat(file);
    if (size !== bytes || (await hashOfFile(file)) !== sha256)
      throw new RangeError(`Expected ${file} as it was written, got another one`);
    return file;
  }

  /** Where a text can be written that is not there before it is finished; whoever ends before leaves it to `keepTo`. */
  async begin(): Promise<string> {
    const unfinished = join(this.#own, `${randomBytes(16).toString('hex')}.${String(process.pid)}`);
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    for (const each of [this.folder, this.#own]) await chmod(each, 0o700);
    return unfinished;
  }

  /** Where the arrays of a part go. */
  fileOf(unfinished: string, index: number): string {
    return join(unfinished, partName(index));
  }

  /** What is to be known of a part whose file was written. */
  async written(file: string, counts: StoredPart['counts']): Promise<StoredPart> {
    await chmod(file, 0o600);
    return { counts, bytes: (await stat(file)).size, sha256: await hashOfFile(file) };
  }

  /** Returns the name of the text. */
  async finish(unfinished: string, facts: Omit<StoredText, 'version'>): Promise<string> {
    const text: StoredText = { version: VERSION, ...facts };
    const sha256 = hashOf(JSON.stringify(text));
    await writeFile(join(unfinished, FACTS), JSON.stringify({ sha256, text }), { mode: 0o600 });
    const path = unfinished.slice(0, unfinished.lastIndexOf('.'));
    await rename(unfinished, path);
    return path.slice(this.#own.length + 1);
  }

  async remove(name: string): Promise<void> {
    await remove(join(this.#own, name));
  }

  /** Also what was begun and is not to be finished. */
  async abandon(unfinished: string): Promise<void> {
    await remove(unfinished);
  }

  /** Removes the oldest texts, of any pair, until there are no more than so many bytes and texts. Never rejects. */
  async keepTo(most: { readonly bytes: number; readonly texts: number }): Promise<void> {
    const pairs = (await namesIn(this.folder)).map((name) => join(this.folder, name));
    const places = (await Promise.all(pairs.map(placesIn))).flat().sort((a, b) => b.writtenAt - a.writtenAt);
    let [bytes, texts] = [0, 0];
    for (const { path } of places) {
      bytes += await bytesIn(path);
      texts += 1;
      if (bytes > most.bytes || texts > most.texts) await remove(path);
    }
    // Of pairs that are gone, only an empty folder is left.
    for (const pair of pairs) if ((await namesIn(pair)).length === 0) await remove(pair);
  }
}

interface Place {
  readonly path: string;
  readonly name: string;
  readonly writtenAt: number;
}

/** The texts of a pair, the oldest first. Also removes what processes have begun that have ended since. */
async function placesIn(pair: string): Promise<Place[]> {
  const places: Place[] = [];
  for (const name of await namesIn(pair)) {
    const path = join(pair, name);
    const owner = /\.(\d+)$/.exec(name)?.[1];
    if (owner !== undefined && isAlive(Number(owner))) continue;
    const writtenAt = owner === undefined ? await stat(join(path, FACTS)).catch(() => undefined) : undefined;
    if (writtenAt) places.push({ path, name, writtenAt: writtenAt.mtimeMs });
    else await remove(path);
  }
  return places.sort((a, b) => a.writtenAt - b.writtenAt);
}

/** Undefined for what is not exactly as it was written. */
async function readFacts(file: string): Promise<StoredText | undefined> {
  try {
    if ((await stat(file)).size > MAX_FACTS_BYTES) return undefined;
    const { sha256, text } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    return sha256 === hashOf(JSON.stringify(text)) ? TEXT.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

async function bytesIn(path: string): Promise<number> {
  const sizes = (await namesIn(path)).map(async (name) => {
    const found = await stat(join(path, name)).catch(() => undefined);
    return found?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

function partName(index: number): string {
  return `${String(index)}.safetensors`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** In pieces, between which other work goes on. */
async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
