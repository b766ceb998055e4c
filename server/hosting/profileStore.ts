// Stores the measurements of a pair for the next process, in a small file in the system's cache folder. Without the
// file, measuring again takes a second or two, so errors are ignored.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ProfileSnapshot, Throughput } from '../engine/draftLength/profile';
import type { PairFiles } from '../engine/loadPair';
import { flashlineCacheFolder } from '../machine/folders';
import { replaceFile } from '../machine/replaceFile';
import { readRegularFile } from '../machine/regularFile';
import { modelFingerprint } from './modelFingerprint';

/** Version of the file format; files of other versions are ignored. */
const VERSION = 4;
/** Maximum bytes of a file; ours have a few thousand. */
const MAX_BYTES = 1e5;
/** Values of the settings `device` and `drafterBits` (as `drafterBitsOf` returns them), the default first. */
const DEVICES = ['auto', 'gpu', 'cpu'] as const;
const DRAFTER_BITS = ['auto', 'stored', 4, 8, 16] as const;
/** Minimum tokens for which a speed is reported, since the acceptance rate varies from text to text. */
const MIN_TOKENS = 200;
const NONE: Throughput = { tokens: 0, ms: 0 };

/** Maximum of stored tokens and milliseconds (about four months), so that no sum of them becomes infinite. */
const MAX_AMOUNT = 1e10;
const MAX_TOKENS_PER_MS = 1e6;

const positive = z.positive();
/** Pairs of a number of rows and its milliseconds. */
const COSTS = z.array(z.tuple([z.int().check(positive), z.number().check(positive, z.maximum(MAX_AMOUNT))]));
/** Pairs of a number of trials and the successes among them. */
const COUNTS = z.array(
  z
    .tuple([z.number(), z.number().check(z.nonnegative())])
    .check(z.refine(([trials, successes]) => trials >= successes)),
);
const AMOUNT = z.number().check(z.nonnegative(), z.maximum(MAX_AMOUNT));
const THROUGHPUT = z
  .object({ tokens: AMOUNT, ms: AMOUNT })
  .check(z.refine(({ tokens, ms }) => tokens <= MAX_TOKENS_PER_MS * ms));
const STORED = z.object({
  verifyMs: COSTS,
  draftMs: z.record(z.string(), COSTS),
  rates: z.record(z.string(), z.object({ byPosition: COUNTS, byConfidence: COUNTS })),
  decoded: THROUGHPUT,
  read: THROUGHPUT,
});

export class ProfileStore {
  readonly #file: string;

  constructor(
    pair: PairFiles,
    /** Value of the setting `device`; its values have separate files. */
    device: string,
    private readonly folder = flashlineCacheFolder(),
    fingerprints = fingerprintsOf(pair),
  ) {
    const { drafterBits, strict } = pair;
    const bits = drafterBits === undefined || drafterBits === 'auto' ? [] : [drafterBits];
    const types = strict ? ['float32'] : [];
    const identity = [VERSION, cpus()[0]?.model, device, ...fingerprints, ...bits, ...types];
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
    this.#file = join(this.folder, `profile-${name}.json`);
  }

  /** Reads the measurements; undefined if the file is missing, damaged or too large. */
  read(): ProfileSnapshot | undefined {
    try {
      return STORED.parse(JSON.parse(readRegularFile(this.#file, MAX_BYTES).toString()));
    } catch {
      return undefined;
    }
  }

  /** Returns the speed of earlier loads in tokens per second, with and without drafts; undefined where unknown. */
  speed() {
    const { verifyMs = [], decoded: { tokens, ms } = NONE } = this.read() ?? {};
    const plain = verifyMs.find(([rows]) => rows === 1);
    // The first passes after a load are slow, so a few tokens would be misleading.
    const hasEnough = tokens >= MIN_TOKENS;
    return {
      plain: hasEnough && plain ? 1000 / plain[1] : undefined,
      drafted: hasEnough && ms > 0 ? (1000 * tokens) / ms : undefined,
    };
  }

  /** Writes the measurements. Never throws. */
  write(profile: ProfileSnapshot): void {
    try {
      mkdirSync(this.folder, { recursive: true });
      replaceFile(this.#file, JSON.stringify(profile));
    } catch {
      // The disk is full or read-only: the next process measures again.
    }
  }
}

/** Returns the measured speed of a pair (tokens/s), for the measured settings that are closest to the default. */
export function measuredSpeed(pair: PairFiles) {
  const folder = flashlineCacheFolder();
  const fingerprints = fingerprintsOf(pair);
  const speeds = DRAFTER_BITS.flatMap((drafterBits) =>
    DEVICES.map((device) => new ProfileStore({ ...pair, drafterBits }, device, folder, fingerprints).speed()),
  );
  return {
    tokensPerSecond: speeds.find(({ plain }) => plain)?.plain,
    draftedTokensPerSecond: speeds.find(({ drafted }) => drafted)?.drafted,
  };
}

/** Returns the fingerprints of target and drafter, which is '' for a target alone. */
function fingerprintsOf({ targetDirectory, drafterDirectory }: PairFiles): readonly [string, string] {
  return [
    modelFingerprint(targetDirectory),
    drafterDirectory === undefined ? '' : modelFingerprint(drafterDirectory),
  ];
}
