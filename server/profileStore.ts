// Where what was measured and tried out of a pair lies between two processes: a small file per pair in the cache folder
// of the system. What was tried out of the embedded target is shipped beside it. Losing a file costs a second or two of
// doing it again, so nothing here fails.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { cpus, homedir, platform } from 'node:os';
import { join } from 'node:path';
import type { Infill } from './completion/decoder';
import { PROBE_VERSION } from './completion/infillProbe';
import type { ProfileSnapshot } from './engine/pairProfile';
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

type Form = ((value: unknown) => boolean) | { readonly [name: string]: Form };

/** Stands for all fields of an object: it has one for each drafter. */
const ANY = '*';
/** Rows and milliseconds. */
const COSTS = pairsOf((rows, ms) => Number.isInteger(rows) && rows > 0 && ms > 0);
/** Trials and no more successes than those. */
const COUNTS = pairsOf((trials, successes) => successes >= 0 && trials >= successes);
const PROBE = {
  version: oneOf(PROBE_VERSION),
  infill: oneOf('fim', 'chat', 'prefix'),
  layout: oneOf('psm', 'spm'),
};
/** What `PairProfile` can take as it is, and what was tried out. */
const STORED = {
  verifyMs: COSTS,
  draftMs: { [ANY]: COSTS },
  rates: { [ANY]: { byPosition: COUNTS, byConfidence: COUNTS } },
  probe: PROBE,
};

interface Stored extends ProfileSnapshot {
  readonly probe: Infill;
}

export class ProfileStore {
  readonly #file: string;
  readonly #target: string;

  constructor(
    { targetDirectory, drafterDirectory }: Pair,
    device: string,
    private readonly folder = cacheFolder(),
    private readonly shipped?: string,
  ) {
    this.#target = modelFingerprint(targetDirectory);
    const drafter = drafterDirectory === undefined ? '' : modelFingerprint(drafterDirectory);
    const identity = [VERSION, cpus()[0]?.model, device, this.#target, drafter];
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
    this.#file = join(this.folder, `profile-${name}.json`);
  }

  /** What was measured; undefined when there is none, or none that can be used. */
  read(): ProfileSnapshot | undefined {
    const { probe, ...profile } = readAs<Stored>(() => this.#file, STORED, FRESH_MS) ?? {};
    return probe && (profile as ProfileSnapshot);
  }

  /** How the pair is best asked to fill a hole; undefined when that was not tried out with these files. */
  probed(): Infill | undefined {
    const form = { ...PROBE, fingerprint: (value: unknown) => value === this.#target };
    const found =
      readAs<Stored>(() => this.#file, STORED)?.probe ??
      readAs<ShippedProbe>(() => this.shipped ?? mediaPath(SHIPPED_PROBE), form);
    return found && { infill: found.infill, layout: found.layout };
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

/** Undefined for a file that is damaged at any place, far too large, or written so long ago. */
function readAs<T>(file: () => string, form: Form, maxAgeMs = Infinity): T | undefined {
  try {
    const { size, mtimeMs } = statSync(file());
    if (size > MAX_BYTES || Date.now() - mtimeMs >= maxAgeMs) return undefined;
    const value: unknown = JSON.parse(readFileSync(file(), 'utf8'));
    return isLike(value, form) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

function oneOf(...choices: unknown[]) {
  return (value: unknown): boolean => choices.includes(value);
}

function pairsOf(fits: (first: number, second: number) => boolean) {
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) &&
    pair.length === 2 &&
    pair.every(Number.isFinite) &&
    fits(...(pair as [number, number]));
  return (value: unknown): boolean => Array.isArray(value) && value.every(isPair);
}

function isLike(value: unknown, form: Form): boolean {
  if (typeof form === 'function') return form(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const each = form[ANY];
  if (each) return Object.values(value).every((field) => isLike(field, each));
  const fields = new Map(Object.entries(value));
  return Object.entries(form).every(([name, inner]) => isLike(fields.get(name), inner));
}

function cacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}
