// Where what was measured of a pair on this machine lies between two processes: a small file per pair in the cache
// folder of the system. Losing it costs a second of measuring, so nothing here fails.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { cpus, homedir, platform } from 'node:os';
import { join } from 'node:path';
import type { ProfileSnapshot } from './engine/pairProfile';
import type { ModelInfo } from './protocol';

interface Pair {
  readonly targetDirectory: string;
  readonly drafterDirectory?: string | undefined;
}

/** What the last load has found out, to be shown before the next one, which finds it out anew. */
export interface LastLoad {
  readonly infill: ModelInfo['infill'] | undefined;
  /** Of plain decoding; undefined when it was not measured. */
  readonly decodeTokensPerSecond: number | undefined;
}

/** Of the file's form; another one is not read. */
const VERSION = 2;
/** After so long the machine may be another one under the same name. */
const FRESH_MS = 14 * 24 * 3600 * 1000;
/** Ours have some thousand. */
const MAX_BYTES = 1e6;

export class ProfileStore {
  readonly #file: string;

  constructor(
    pair: Pair,
    device: string,
    private readonly folder = cacheFolder(),
  ) {
    const directories = [pair.targetDirectory, pair.drafterDirectory ?? ''];
    const identity = [VERSION, cpus()[0]?.model, device, ...directories.map(fingerprint)];
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
    this.#file = join(this.folder, `profile-${name}.json`);
  }

  /** Undefined when there is none, or none that can be used. */
  read(): ProfileSnapshot | undefined {
    return parseProfile(this.#written());
  }

  /** Undefined like `read`. */
  lastLoad(): LastLoad | undefined {
    const value = this.#written();
    const profile = parseProfile(value);
    if (!isRecord(value) || profile === undefined) return undefined;
    const { calibrated, verifyMs } = profile.costs;
    const [plainMs] = verifyMs;
    return {
      infill: INFILLS.find((each) => each === value['infill']),
      decodeTokensPerSecond: calibrated && plainMs !== undefined ? 1000 / plainMs : undefined,
    };
  }

  /** `infill` is how the pair is best asked to fill a hole. */
  write(profile: ProfileSnapshot, infill: ModelInfo['infill']): void {
    try {
      mkdirSync(this.folder, { recursive: true });
      const unfinished = `${this.#file}.${String(process.pid)}`;
      writeFileSync(unfinished, JSON.stringify({ ...profile, infill }));
      renameSync(unfinished, this.#file);
    } catch {
      // A disk that is full or read only: the next process measures again.
    }
  }

  /** Whatever the file holds, if it is fresh. */
  #written(): unknown {
    try {
      const { mtimeMs, size } = statSync(this.#file);
      if (Date.now() - mtimeMs >= FRESH_MS || size > MAX_BYTES) return undefined;
      return JSON.parse(readFileSync(this.#file, 'utf8'));
    } catch {
      return undefined;
    }
  }
}

const INFILLS = ['fim', 'chat', 'prefix'] as const satisfies ModelInfo['infill'][];

function cacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}

/** What tells one checkpoint from another without reading its weights. */
function fingerprint(directory: string): string {
  try {
    return directory === '' ? '' : readFileSync(join(directory, 'config.json'), 'utf8');
  } catch {
    return directory;
  }
}

/** Undefined for anything that `PairProfile` could not take as it is. */
function parseProfile(value: unknown): ProfileSnapshot | undefined {
  if (!isRecord(value) || !isRecord(value['costs']) || !isRecord(value['rates'])) return undefined;
  const { verifyMs, draftMs, calibrated } = value['costs'];
  const rates = Object.entries(value['rates']).map(([name, each]) => [name, parseRates(each)] as const);
  if (!isTimes(verifyMs) || !isRecord(draftMs) || typeof calibrated !== 'boolean') return undefined;
  const drafts = Object.entries(draftMs).filter((entry): entry is [string, number] => isTime(entry[1]));
  const known = rates.filter(
    (entry): entry is [string, NonNullable<(typeof entry)[1]>] => entry[1] !== undefined,
  );
  return {
    costs: { verifyMs, draftMs: Object.fromEntries(drafts), calibrated },
    rates: Object.fromEntries(known),
  };
}

type Counts = readonly [number, number];

function parseRates(value: unknown): ProfileSnapshot['rates'][string] | undefined {
  if (!isRecord(value)) return undefined;
  const { pooled, byPosition, byLevel, byLevelAndStretch } = value;
  if (!isCounts(pooled) || !isList(byPosition) || !isList(byLevel) || !isList(byLevelAndStretch))
    return undefined;
  return { pooled, byPosition, byLevel, byLevelAndStretch };
}

function isList(value: unknown): value is Counts[] {
  return Array.isArray(value) && value.every(isCounts);
}

/** Trials and no more successes than those. */
function isCounts(value: unknown): value is Counts {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [trials, successes] = value as readonly unknown[];
  return isAmount(trials) && isAmount(successes) && successes <= trials;
}

function isTimes(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTime);
}

function isTime(value: unknown): value is number {
  return isAmount(value) && value > 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
