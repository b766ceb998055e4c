// Estimates which models this machine can run, how much memory they need and how fast they are, and recommends a known
// pair. Computes from sizes, and from speeds that callers have measured.
import { memoryBandwidth } from '../machine/memoryBandwidth';
import { BYTES_BF16, cachedBytes, type ModelSizes } from '../models/checkpoint/modelSizes';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import type { MachineFacts, SpeedClass, SpeedEstimate } from '../protocol/modelCatalogue';
import { passCost } from '../rules/rowCost';
import { knownPairs, variantsOf, type Bits, type PairVariant } from './knownPairs';

/** Tokens per second below which people type faster than the model. */
const MODERATE_SPEED = 15;
/** Speed classes with their lowest tokens per second. */
const CLASSES: readonly (readonly [SpeedClass, number])[] = [
  ['instant', 80],
  ['fast', 40],
  ['moderate', MODERATE_SPEED],
];

/** Acceptance rate of a draft token whose predecessors are accepted, typical of published drafters on code. */
const ACCEPTANCE_RATE = 0.8;
/** Minimum speed-up for which drafts pay; the estimate ignores costs that outweigh a smaller one. */
const MIN_GAIN = 1.1;
/** Maximum drafts per round; more are unlikely to be accepted together. */
const MAX_DRAFTS = 15;

/**
 * Largest share of a GPU's usable memory for a recommended pair. MLX 0.13 cannot keep weights in memory (wired memory
 * came with 0.19.1): a model close to the limit is paged out while the machine idles, and the next suggestion then
 * waits for the disk.
 */
const RECOMMENDED_SHARE = 0.8;
/** Tokens of the shortest first prompt (completion/prompt/promptTokens.ts). */
const FIRST_PROMPT = 256;
/** Maximum seconds of the prefill of the first prompt. */
const FIRST_PROMPT_SECONDS = 1.5;

const BYTES_F32 = 4;
/** Tokens of the context to plan memory for, output included. */
const LONG_PROMPT = 8192;
/** Tokens of the context that decoding ghost text usually reads. */
const TYPICAL_PROMPT = 1024;

/** Returns the bytes of the weights of all models together. */
export function weightBytesOf(models: readonly ModelSizes[]): number {
  return models.reduce((sum, { weightBytes }) => sum + weightBytes, 0);
}

/** Returns the bytes that models need at least: weights, and the KV cache of a long prompt. */
export function memoryNeed(models: readonly ModelSizes[], processor: MachineFacts['processor']): number {
  return models.reduce((sum, sizes) => sum + bytesIn(sizes, processor, LONG_PROMPT, sizes.parameters), 0);
}

/** Returns the bytes read to decode a token: active weights, and the KV cache of a typical prompt. */
function bytesPerToken(sizes: ModelSizes, processor: MachineFacts['processor']): number {
  return bytesIn(sizes, processor, TYPICAL_PROMPT, sizes.activeParameters);
}

/** Returns the bytes of `parameters` weights and of the KV cache for `tokens`. On a CPU, both are float32. */
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

/** Returns whether drafts should make decoding faster, estimated from the costs of drafting and of verifying rows. */
export function draftsPay({ pair, bits, sizes }: PairVariant, processor: MachineFacts['processor']): boolean {
  const [target, drafter] = sizes;
  if (drafter === undefined) return false;
  const isMixture = pair.activeParameters !== undefined;
  const draftingCost = bytesPerToken(drafter, processor) / bytesPerToken(target, processor);
  // Expected tokens and cost of a round with this many drafts. Costs are in plain steps, each of which yields one token.
  const expectedTokens = (drafts: number): number =>
    (1 - ACCEPTANCE_RATE ** (drafts + 1)) / (1 - ACCEPTANCE_RATE);
  const cost = (drafts: number): number =>
    passCost({ processor, bits, isMixture }, drafts + 1) + draftingCost;
  return Array.from({ length: MAX_DRAFTS }, (_, i) => i + 1).some(
    (drafts) => expectedTokens(drafts) >= MIN_GAIN * cost(drafts),
  );
}

/** Estimates the memory of models with known sizes, and the speed of plain decoding from bytes read per token. */
export function estimates(
  sizes: readonly (ModelSizes | undefined)[],
  processor: MachineFacts['processor'],
  bytesPerSecond = memoryBandwidth(processor),
): { readonly memoryBytes: number | undefined; readonly speed: SpeedEstimate | undefined } {
  const knownSizes = sizes.filter((size) => size !== undefined);
  const [target] = sizes;
  return {
    memoryBytes: knownSizes.length > 0 ? memoryNeed(knownSizes, processor) : undefined,
    speed: target && speedOf(bytesPerSecond / bytesPerToken(target, processor), false),
  };
}

/** Returns the class and speed of plain decoding on this machine. */
export function speedOf(tokensPerSecond: number, isMeasured: boolean): SpeedEstimate {
  const [name = 'slow'] = CLASSES.find(([, minSpeed]) => tokensPerSecond >= minSpeed) ?? [];
  return { class: name, tokensPerSecond, isMeasured };
}

const PREFERRED_BITS: readonly Bits[] = [8, 4, 16];

/** Returns whether a pair leaves enough memory for everything else on the machine. */
function leavesRoom({ sizes }: PairVariant, { processor, usableBytes }: MachineFacts): boolean {
  const share = processor === 'gpu' ? RECOMMENDED_SHARE : 1;
  return memoryNeed(sizes, processor) <= share * usableBytes;
}

/** Returns whether the first prefill should end before the user stops waiting for it. */
function readsInTime(
  { sizes: [target] }: PairVariant,
  machine: MachineFacts,
  bytesPerSecond: number,
): boolean {
  const speed = mixturePromptSpeed(target, machine.processor, bytesPerSecond) ?? Infinity;
  return FIRST_PROMPT / speed <= FIRST_PROMPT_SECONDS;
}

interface KnownSpeeds {
  /** Memory bandwidth; by default, the estimate for this machine. */
  readonly bytesPerSecond?: number;
  /** Returns the measured speed of a variant that has run here, tokens/s. */
  readonly measured?: (variant: PairVariant) => number | undefined;
}

/**
 * Returns the best known pair for a machine, preferring pairs for infilling: the largest one that keeps up with typing,
 * at 8 bits if that fits, since 8 bits verify drafts faster than 4 bits and lose less quality. Returns undefined if
 * none fits or all are too slow, as on a CPU; the built-in pair is then the best choice. `families` are the
 * `model_type` values of the targets that load.
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
        // For equal parameter counts, prefer the newer pair.
        knownPairs.indexOf(b.pair) - knownPairs.indexOf(a.pair) ||
        PREFERRED_BITS.indexOf(a.bits) - PREFERRED_BITS.indexOf(b.bits),
    );
  return best;
}
