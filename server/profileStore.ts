// Where what was measured and tried out of a pair lies between two processes: a small file per pair in the cache folder
// of the system. What was tried out of the embedded target is shipped beside it. Losing a file costs a second or two of
// doing it again, so nothing here fails.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { cpus, homedir, platform } from 'node:os';
import { join } from 'node:path';
import type { Infill } from './completion/decoder';
import { PROBE_VERSION } from './completion/infillProbe';
import type { Pairs, ProfileSnapshot } from './engine/pairProfile';
import { modelFingerprint } from './modelFingerprint';
import { mediaPath } from './mediaPath';

interface Pair {
  readonly targetDirectory: string;
  readonly drafterDirectory?: string | undefined;
}

/** What earlier loads have found out, to be shown before the next one. */
export interface LastLoad {
  readonly infill: Infill['infill'] | undefined;
  /** Of plain decoding; undefined when it was not measured. */
  readonly decodeTokensPerSecond: number | undefined;
}

/** In the media folder; written by `npm run probe`. */
export const SHIPPED_PROBE = 'model/infill.json';

/** How the embedded target is best asked. */
export interface ShippedProbe extends Infill {
  readonly version: number;
  /** Of the files that it was tried out with. */
  readonly fingerprint: string;
}

/** Of the file's form; another one is not read. */
const VERSION = 4;
/** After so long the machine may be another one under the same name. */
const FRESH_MS = 14 * 24 * 3600 * 1000;
/** Ours have some thousand. */
const MAX_BYTES = 1e5;

export class ProfileStore {
  readonly #file: string;
  readonly #target: string;

  constructor(
    { targetDirectory, drafterDirectory }: Pair,
    device: string,
    private readonly folder = cacheFolder(),
    private readonly shipped = shippedFile(),
  ) {
    this.#target = modelFingerprint(targetDirectory);
    const drafter = drafterDirectory === undefined ? '' : modelFingerprint(drafterDirectory);
    const identity = [VERSION, cpus()[0]?.model, device, this.#target, drafter];
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
    this.#file = join(this.folder, `profile-${name}.json`);
  }

  /** What was measured; undefined when there is none, or none that can be used. */
  read(): ProfileSnapshot | undefined {
    return isFresh(this.#file) ? parseProfile(readJson(this.#file)) : undefined;
  }

  /** How the pair is best asked to fill a hole; undefined when that was not tried out with these files. */
  probed(): Infill | undefined {
    const own = readJson(this.#file);
    const shipped = readJson(this.shipped);
    const fits = isRecord(shipped) && shipped['fingerprint'] === this.#target;
    return parseInfill(isRecord(own) ? own['probe'] : undefined) ?? parseInfill(fits ? shipped : undefined);
  }

  lastLoad(): LastLoad {
    const plain = this.read()?.verifyMs.find(([rows]) => rows === 1);
    return { infill: this.probed()?.infill, decodeTokensPerSecond: plain && 1000 / plain[1] };
  }

  write(profile: ProfileSnapshot, infill: Infill): void {
    try {
      mkdirSync(this.folder, { recursive: true });
      const unfinished = `${this.#file}.${String(process.pid)}`;
      writeFileSync(unfinished, JSON.stringify({ ...profile, probe: { version: PROBE_VERSION, ...infill } }));
      renameSync(unfinished, this.#file);
    } catch {
      // A disk that is full or read only: the next process does it all again.
    }
  }
}

function shippedFile(): string | undefined {
  try {
    return mediaPath(SHIPPED_PROBE);
  } catch {
    return undefined;
  }
}

/** What is measured may be of another machine under the same name after a while; what is tried out does not age. */
function isFresh(file: string): boolean {
  try {
    return Date.now() - statSync(file).mtimeMs < FRESH_MS;
  } catch {
    return false;
  }
}

/** Whatever the file holds. */
function readJson(file: string | undefined): unknown {
  try {
    if (file === undefined || statSync(file).size > MAX_BYTES) return undefined;
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const INFILLS = ['fim', 'chat', 'prefix'] as const satisfies Infill['infill'][];
const LAYOUTS = ['psm', 'spm'] as const satisfies Infill['layout'][];

/** Undefined for what another version of the probe has found. */
function parseInfill(value: unknown): Infill | undefined {
  if (!isRecord(value) || value['version'] !== PROBE_VERSION) return undefined;
  const infill = INFILLS.find((each) => each === value['infill']);
  const layout = LAYOUTS.find((each) => each === value['layout']);
  return infill && layout && { infill, layout };
}

function cacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}

/** Undefined for anything that `PairProfile` could not take as it is. */
function parseProfile(value: unknown): ProfileSnapshot | undefined {
  if (!isRecord(value)) return undefined;
  const { verifyMs, draftMs, rates } = value;
  const isKnown = isCosts(verifyMs) && isRecordOf(draftMs, isCosts) && isRecordOf(rates, isRates);
  return isKnown ? { verifyMs, draftMs, rates } : undefined;
}

function isRates(value: unknown): value is ProfileSnapshot['rates'][string] {
  return isRecord(value) && isCounts(value['byPosition']) && isCounts(value['byConfidence']);
}

/** Rows and milliseconds. */
function isCosts(value: unknown): value is Pairs {
  return isPairs(value, (rows, ms) => Number.isInteger(rows) && rows > 0 && ms > 0);
}

/** Trials and no more successes than those. */
function isCounts(value: unknown): value is Pairs {
  return isPairs(value, (trials, successes) => successes >= 0 && trials >= successes);
}

function isPairs(value: unknown, fits: (first: number, second: number) => boolean): value is Pairs {
  return Array.isArray(value) && value.every((each) => isPair(each) && fits(...each));
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((each) => Number.isFinite(each));
}

function isRecordOf<T>(value: unknown, fits: (each: unknown) => each is T): value is Record<string, T> {
  return isRecord(value) && Object.values(value).every(fits);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
