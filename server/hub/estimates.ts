// Which models this machine can run, how much memory they need, how fast they will be, and which known pair suits it
// best: arithmetic on sizes, which measures nothing.
import { memoryBandwidth } from '../machine/thisMachine';
import { BYTES_BF16, cachedBytes, type ModelSizes } from '../models/checkpoint/modelSizes';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import type { CatalogueEntry, MachineFacts, SpeedClass, SpeedEstimate } from '../protocol/modelCatalogue';
import { passCost } from '../rules/rowCost';
import { knownPairs, variantsOf, type Bits, type PairVariant } from './knownPairs';

/** Below this, people type faster than the model. */
const MODERATE_SPEED = 15;
/** The fewest tokens per second of each class. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', MODERATE_SPEED],
];

/** Of each draft, where those before it were right: what published drafters reach on code. */
const ACCEPTED = 0.8;
/** Less than this gain is lost in what the estimate leaves out. */
const LEAST_GAIN = 1.1;
/** No more of them are likely to be right at once. */
const MOST_DRAFTS = 15;

/**
 * Share of the usable memory of a GPU that a recommended pair needs at most. MLX 0.13 cannot keep weights in memory (wired
 * memory came with 0.19.1): a model close to the limit is paged out while the machine idles, and the next suggestion waits
 * for the disk.
 */
const RECOMMENDED_SHARE = 0.8;
/** The shortest first prompt (completion/prompt/promptTokens.ts), and the longest time to read it. */
const [FIRST_PROMPT, FIRST_PROMPT_SECONDS] = [256, 1.5];

const BYTES_F32 = 4;
/** Tokens for which memory is planned, with their output, and which a token of ghost text usually reads. */
const [LONG_PROMPT, TYPICAL_PROMPT] = [8192, 1024];

export function weightBytesOf(models: readonly ModelSizes[]): number {
  return models.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
}

/** The least memory models need: weights, and keys and values of a long prompt. */
export function memoryNeed(models: readonly ModelSizes[], processor: MachineFacts['processor']): number {
  return models.reduce((sum, sizes) => sum + bytesIn(sizes, processor, LONG_PROMPT, sizes.parameters), 0);
}

/** What decoding a token reads: the weights it passes through, and keys and values of a typical prompt. */
function bytesPerToken(sizes: ModelSizes, processor: MachineFacts['processor']): number {
  return bytesIn(sizes, processor, TYPICAL_PROMPT, sizes.activeParameters);
}

/** Of some of its parameters, and of the keys and values of so many tokens. On a CPU all of it is float32. */
function bytesIn(
  sizes: ModelSizes,
  processor: MachineFacts['processor'],
  tokens: number,
  parameters: number,
): number {
  const cached = cachedBytes(sizes, tokens);
  if (processor === 'cpu') return BYTES_F32 * parameters + cached * (BYTES_F32 / BYTES_BF16);
  return sizes.weightBytes * (parameters / sizes.parameters) + cached;
}

/** Whether drafts are expected to make decoding faster, by what reading weights and verifying rows cost. */
export function draftsPay({ pair, bits, sizes }: PairVariant, processor: MachineFacts['processor']): boolean {
  const [target, drafter] = sizes;
  if (drafter === undefined) return false;
  const isMixture = (pair.activeParameters ?? target.parameters) < target.parameters;
  const drafting = bytesPerToken(drafter, processor) / bytesPerToken(target, processor);
  return Array.from({ length: MOST_DRAFTS }, (_, i) => i + 1).some(
    (drafts) =>
      (1 - ACCEPTED ** (drafts + 1)) / (1 - ACCEPTED) >=
      LEAST_GAIN * (passCost({ processor, bits, isMixture }, drafts + 1) + drafting),
  );
}

/** The memory for the models with known sizes, and the speed of plain decoding by what the target reads per token. */
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

/** The class and speed of plain decoding on this machine. */
export function speedOf(tokensPerSecond: number, isMeasured: boolean): SpeedEstimate {
  const [name = 'slow'] = CLASSES.find(([, least]) => tokensPerSecond >= least) ?? [];
  return { class: name, tokensPerSecond, isMeasured };
}

const PREFERRED_BITS: readonly Bits[] = [8, 4, 16];

/** Whether a pair leaves room for everything else on the machine. */
function leavesRoom({ sizes }: PairVariant, { processor, usableBytes }: MachineFacts): boolean {
  const share = processor === 'gpu' ? RECOMMENDED_SHARE : 1;
  return memoryNeed(sizes, processor) <= share * usableBytes;
}

/** Whether the first prompt is expected to be read before a person has given up on it. */
function readsInTime(
  { sizes: [target] }: PairVariant,
  machine: MachineFacts,
  bytesPerSecond: number,
): boolean {
  const speed = mixturePromptSpeed(target, machine.processor, bytesPerSecond) ?? Infinity;
  return FIRST_PROMPT / speed <= FIRST_PROMPT_SECONDS;
}

interface KnownSpeeds {
  /** Memory bandwidth, by default as estimated for the machine. */
  readonly bytesPerSecond?: number;
  /** Returns the measured speed of a variant that has run here, tokens/s. */
  readonly measured?: (variant: PairVariant) => number | undefined;
}

/**
 * Returns the known pair that suits a machine best, pairs for infilling first: the largest that keeps up with typing, with
 * 8 bits where they fit, which verify drafts faster than 4 and lose less of the model. Undefined if none fits or all are
 * too slow, as on a CPU: the built-in pair is the best choice then. `families` are the `model_type` of the targets that
 * load.
 */
export function advise(
  machine: MachineFacts,
  families: readonly string[],
  isDownloaded: (repository: string) => boolean,
  { bytesPerSecond = memoryBandwidth(machine.processor), measured = () => undefined }: KnownSpeeds = {},
): PairVariant | undefined {
  const fits = (variant: PairVariant): boolean =>
    leavesRoom(variant, machine) &&
    (variant.repositories.every(isDownloaded) || weightBytesOf(variant.sizes) <= machine.freeDiskBytes);
  const isFluent = (variant: PairVariant): boolean => {
    const speed = measured(variant);
    if (speed !== undefined) return speed >= MODERATE_SPEED;
    const expected = bytesPerSecond / bytesPerToken(variant.sizes[0], machine.processor);
    return expected >= MODERATE_SPEED && readsInTime(variant, machine, bytesPerSecond);
  };
  const [best] = knownPairs
    .filter(
      ({ modelType, researchOnly, isNextEdit }) =>
        families.includes(modelType) && !researchOnly && !isNextEdit,
    )
    .flatMap(variantsOf)
    .filter((variant) => fits(variant) && isFluent(variant))
    .sort(
      (a, b) =>
        Number(b.pair.infill === 'fim') - Number(a.pair.infill === 'fim') ||
        b.sizes[0].parameters - a.sizes[0].parameters ||
        // Of two with as many parameters, that which came later.
        knownPairs.indexOf(b.pair) - knownPairs.indexOf(a.pair) ||
        PREFERRED_BITS.indexOf(a.bits) - PREFERRED_BITS.indexOf(b.bits),
    );
  return best;
}
