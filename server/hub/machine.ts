// What of this machine decides which models it can run, how fast they will be, and which known pair suits it best.
// A table of what Apple states of its chips, and arithmetic on sizes; measures nothing and asks nobody.
import { existsSync, statfsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { CatalogueEntry, MachineFacts, SpeedClass, SpeedEstimate } from '../modelCatalogue';
import { knownPairs, variantsOf, type PairVariant } from './knownPairs';
import { BYTES_F32, memoryNeed, weightBytesOf, type ModelSizes } from './modelSizes';

/** Of the memory; the rest is for the system and the editor. On a Mac a GPU may have no more than that. */
const USABLE_SHARE = 0.75;
/** Of a usual prompt; all of it is read for each token. */
const CONTEXT_TOKENS = 1024;

/** Tokens per second from which on a model is of a class. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', 15],
];

type Tier = '' | ' Pro' | ' Max' | ' Ultra';

/** In GB/s; where a chip comes with several, the smallest. */
const APPLE: Readonly<Record<string, Readonly<Partial<Record<Tier, number>>>>> = {
  M1: { '': 68, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M2: { '': 100, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M3: { '': 100, ' Pro': 150, ' Max': 300, ' Ultra': 800 },
  M4: { '': 120, ' Pro': 273, ' Max': 410 },
  M5: { '': 153, ' Pro': 307, ' Max': 460 },
};
/** Of what is stated, what the products of a decode step reach. */
const REACHED = 0.7;
/** What two cores of an x64 server read in a decode step of ours; most machines read faster. */
const CPU_BYTES_PER_SECOND = 8e9;

/** `cache` is where downloads go; it need not be there yet. */
export function thisMachine(cache: string): MachineFacts {
  const metal = process.platform === 'darwin' && process.arch === 'arm64';
  const memoryBytes = totalmem();
  return {
    memoryBytes,
    usableBytes: memoryBytes * USABLE_SHARE,
    freeDiskBytes: freeDiskBytes(cache),
    processor: metal ? 'gpu' : 'cpu',
  };
}

function freeDiskBytes(folder: string): number {
  if (!existsSync(folder) && dirname(folder) !== folder) return freeDiskBytes(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** What decoding reads per second. `model` is the name that the system has for its processor. */
export function memoryBandwidth(
  processor: MachineFacts['processor'],
  model = cpus()[0]?.model ?? '',
): number {
  if (processor === 'cpu') return CPU_BYTES_PER_SECOND;
  const [, chip = '', tier = ''] = /^Apple (M\d+)( Pro| Max| Ultra)?/.exec(model) ?? [];
  const known = APPLE[chip]?.[tier as Tier];
  // One that came after this table is at least as fast as the slowest of the newest in it.
  const stated = known ?? APPLE['M5']?.[''] ?? 0;
  return 1e9 * stated * REACHED;
}

/** Of those models whose sizes are known, the target first: how fast it decodes plainly, by what a token has to read. */
export function estimates(
  sizes: readonly (ModelSizes | undefined)[],
  processor: MachineFacts['processor'],
  bytesPerSecond = memoryBandwidth(processor),
): Pick<CatalogueEntry, 'memoryBytes' | 'speed'> {
  const known = sizes.filter((each) => each !== undefined);
  const [target] = sizes;
  return {
    memoryBytes: known.length > 0 ? memoryNeed(known, processor) : undefined,
    speed: target && speedOf(bytesPerSecond / bytesPerToken(target, processor), false),
  };
}

/** Of plain decoding on this machine. */
export function speedOf(tokensPerSecond: number, isMeasured: boolean): SpeedEstimate {
  const [name = 'slow'] = CLASSES.find(([, least]) => tokensPerSecond >= least) ?? [];
  return { class: name, tokensPerSecond, isMeasured };
}

/** On a CPU weights, keys and values are float32, whatever they are on disk. */
function bytesPerToken(sizes: ModelSizes, processor: MachineFacts['processor']): number {
  const { parameters, activeParameters, weightBytes, cacheBytesPerToken } = sizes;
  const cached = CONTEXT_TOKENS * cacheBytesPerToken;
  return processor === 'gpu'
    ? weightBytes * (activeParameters / parameters) + cached
    : activeParameters * BYTES_F32 + 2 * cached;
}

/**
 * The known pair that suits a machine best. On a GPU one for infilling before others, and of those the largest, with
 * few bits, as decoding reads all of them for each pass. On a CPU the smallest, as there everything is slow. Undefined
 * when none fits. `families` are the `model_type` of the targets that load.
 */
export function advise(
  machine: MachineFacts,
  families: readonly string[],
  isDownloaded: (repository: string) => boolean,
): PairVariant | undefined {
  const fits = ({ sizes, repositories }: PairVariant): boolean =>
    memoryNeed(sizes, machine.processor) <= machine.usableBytes &&
    (repositories.every(isDownloaded) || weightBytesOf(sizes) <= machine.freeDiskBytes);
  const variants = knownPairs
    .filter(({ modelType }) => families.includes(modelType))
    .flatMap(variantsOf)
    .filter(fits);
  return variants.sort(machine.processor === 'gpu' ? betterOnGpu : smaller)[0];
}

function betterOnGpu(a: PairVariant, b: PairVariant): number {
  const infill = ({ pair }: PairVariant): number => Number(pair.infill === 'fim');
  return infill(b) - infill(a) || -smaller(a, b) || a.bits - b.bits;
}

function smaller(a: PairVariant, b: PairVariant): number {
  return a.sizes[0].parameters - b.sizes[0].parameters;
}
