// Stores what was measured of a pair between two processes: a small file per pair in the system's cache folder. Losing a
// file costs a second or two of measuring again, so nothing here fails.
import * as z from 'zod/mini';
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, readdirSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { PairFiles } from '../engine/loadPair';
import type { ProfileSnapshot, Throughput } from '../engine/draftLength/profile';
import { ownCacheFolder } from '../machine/folders';
import { replaceFile } from '../machine/replaceFile';
import { readRegularFile } from '../machine/regularFile';
import { InputError } from '../rules/inputError';
import { isAlive } from '../machine/isAlive';

type Pair = Pick<PairFiles, 'targetDirectory' | 'drafterDirectory' | 'drafterBits' | 'strict'>;

/** Version of the file's format; others are not read. */
const VERSION = 4;
/** Our files have a few thousand. */
const MAX_BYTES = 1e5;
/** The values of the settings, the default first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;
const DRAFTER_BITS = ['auto', 'stored', 4, 8, 16] as const;
/** Fewer tokens say little about the speed of a pair: drafts are right in some places and wrong in others. */
const TELLING_TOKENS = 200;
const NOTHING: Throughput = { tokens: 0, ms: 0 };

/** No pass takes a month, and no sum of what is stored may become infinite. */
const MOST_MS = 1e10;
const MOST_TOKENS_PER_MS = 1e6;

const positive = z.positive();
/** Rows and milliseconds. */
const COSTS = z.array(z.tuple([z.int().check(positive), z.number().check(positive, z.maximum(MOST_MS))]));
/** Trials, and successes among them. */
const COUNTS = z.array(
  z
    .tuple([z.number(), z.number().check(z.nonnegative())])
    .check(z.refine(([trials, successes]) => trials >= successes)),
);
const AMOUNT = z.number().check(z.nonnegative(), z.maximum(MOST_MS));
const DECODED = z
  .object({ tokens: AMOUNT, ms: AMOUNT })
  .check(z.refine(({ tokens, ms }) => tokens <= MOST_TOKENS_PER_MS * ms));
/** What `PairProfile` can use as it is. */
const STORED = z.object({
  verifyMs: COSTS,
  draftMs: z.record(z.string(), COSTS),
  rates: z.record(z.string(), z.object({ byPosition: COUNTS, byConfidence: COUNTS })),
  decoded: z.optional(DECODED),
  read: z.optional(DECODED),
});

export class ProfileStore {
  readonly #file: string;

  constructor(
    { targetDirectory, drafterDirectory, drafterBits, strict }: Pair,
    device: string,
    private readonly folder = ownCacheFolder(),
  ) {
    const target = modelFingerprint(targetDirectory);
    const drafter = drafterDirectory === undefined ? '' : modelFingerprint(drafterDirectory);
    const bits = drafterBits === undefined || drafterBits === 'auto' ? [] : [drafterBits];
    const types = strict ? ['float32'] : [];
    const identity = [VERSION, cpus()[0]?.model, device, target, drafter, ...bits, ...types];
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
    this.#file = join(this.folder, `profile-${name}.json`);
  }

  /** What was measured; undefined if there is nothing usable, or the file is damaged anywhere or far too large. */
  read(): ProfileSnapshot | undefined {
    try {
      return STORED.parse(JSON.parse(readRegularFile(this.#file, MAX_BYTES).toString()));
    } catch {
      return undefined;
    }
  }

  /** What earlier loads found out, shown before the next one. */
  lastLoad() {
    const { verifyMs = [], decoded: { tokens, ms } = NOTHING } = this.read() ?? {};
    const plain = verifyMs.find(([rows]) => rows === 1);
    // The first passes of a load are slow ones.
    const isTelling = tokens >= TELLING_TOKENS;
    return {
      /** Of plain decoding. */
      decodeTokensPerSecond: isTelling && plain ? 1000 / plain[1] : undefined,
      draftedTokensPerSecond: isTelling && ms > 0 ? (1000 * tokens) / ms : undefined,
    };
  }

  write(profile: ProfileSnapshot): void {
    try {
      mkdirSync(this.folder, { recursive: true });
      replaceFile(this.#file, JSON.stringify(profile));
    } catch {
      // The disk is full or read-only: the next process measures again.
    }
  }
}

/** What the last load of a pair found out, with the settings that are nearest to the default. */
export function measuredOf(pair: Omit<Pair, 'drafterBits'>) {
  const loads = DRAFTER_BITS.flatMap((drafterBits) =>
    DEVICES.map((device) => new ProfileStore({ ...pair, drafterBits }, device).lastLoad()),
  );
  return {
    tokensPerSecond: loads.find((load) => load.decodeTokensPerSecond)?.decodeTokensPerSecond,
    draftedTokensPerSecond: loads.find((load) => load.draftedTokensPerSecond)?.draftedTokensPerSecond,
  };
}

/** Larger configs and indices are not read at load either. */
const MAX_CONFIG_BYTES = 64e6;
const TOLD = ['config.json', 'model.safetensors.index.json'];
const READ = /\.(safetensors|json|jinja)$/;

/**
 * Identifies a checkpoint without reading its weights: by the contents of its config and index, and the names and sizes
 * of the files that are read at load. The fingerprint of an unreadable folder is that of its path.
 */
export function modelFingerprint(directory: string): string {
  const facts = factsOf(directory) ?? directory;
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}

function factsOf(directory: string): unknown {
  try {
    return readNames(directory).map((name) => {
      const file = join(directory, name);
      return [
        name,
        statSync(file).size,
        TOLD.includes(name) ? readRegularFile(file, MAX_CONFIG_BYTES).toString() : '',
      ];
    });
  } catch {
    return undefined;
  }
}

function readNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => READ.test(name))
    .sort();
}

// Remembers which pairs are being loaded, in files that outlive the process: a pair that has taken two processes down is
// refused for a day, as it would take down each one that follows.

/** Once may be somebody who ended the process, or closed the machine. */
const MOST_CRASHES = 2;
/** By then, more memory may be free. */
const FORGIVEN_AFTER_MS = 24 * 3600 * 1000;

/** Loading a pair has taken processes down, so it is not tried. */
export class LoadCrash extends InputError {}

/**
 * Call before a pair is loaded, and what is returned when that has ended in whatever way. `identity` tells pairs apart by
 * their files; `name` is for the user. Throws LoadCrash for a pair that is not to be tried.
 */
export function markLoad(identity: string, name: string, folder = ownCacheFolder()): () => void {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const file = join(folder, `loading-${hash}.json`);
  const crashes = crashesIn(file);
  if (crashes >= MOST_CRASHES)
    throw new LoadCrash({
      expected: `${name} to be loaded`,
      got: 'the server process crashed each time',
      remedy: 'choose a smaller model or fewer bits; this one is tried again after a day',
    });
  const ended = (): void => {
    process.off('exit', ended);
    rmSync(file, { force: true });
  };
  try {
    mkdirSync(folder, { recursive: true });
    replaceFile(file, JSON.stringify({ processId: process.pid, crashes }));
  } catch {
    return () => undefined; // The disk is full or read-only.
  }
  // A process that is told to end does not crash.
  process.once('exit', ended);
  return ended;
}

/** How many processes have ended while they loaded this pair. */
function crashesIn(file: string): number {
  try {
    // Also one from the future, of a time when the clock was wrong.
    if (Math.abs(Date.now() - statSync(file).mtimeMs) >= FORGIVEN_AFTER_MS) return 0;
    const { processId, crashes } = JSON.parse(readRegularFile(file, MAX_BYTES).toString()) as Record<
      string,
      unknown
    >;
    if (!Number.isInteger(processId) || !Number.isInteger(crashes)) return 0;
    return Number(crashes) + (isAlive(Number(processId)) ? 0 : 1);
  } catch {
    return 0; // There is no such file, or a damaged one.
  }
}
