// Recommends a known pair for a machine, from estimates and from speeds that callers have measured.
import { memoryBandwidth } from '../machine/memoryBandwidth';
import { mixturePromptSpeed } from '../models/checkpoint/promptSpeed';
import type { MachineFacts } from '../protocol/modelCatalogue';
import { estimates, memoryNeed, MODERATE_SPEED, weightBytesOf } from './estimates';
import { knownPairs, variantsOf, type Bits, type PairVariant } from './knownPairs';
import { fitsOnDisk } from './roomProblems';

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
/** Bits per weight, the best first; the docstring of `recommendedPair` has the reason. */
const PREFERRED_BITS: readonly Bits[] = [8, 4, 16];

/** Returns whether a pair leaves enough memory for everything else on the machine. */
function leavesRoom({ sizes }: PairVariant, { processor, usableBytes }: MachineFacts): boolean {
  const share = processor === 'gpu' ? RECOMMENDED_SHARE : 1;
  return memoryNeed(sizes, processor) <= share * usableBytes;
}

/** Returns whether the first prefill should end before the user stops waiting for it; only a mixture can be too slow. */
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
export function recommendedPair(
  machine: MachineFacts,
  families: readonly string[],
  isDownloaded: (repository: string) => boolean,
  { bytesPerSecond = memoryBandwidth(machine.processor), measured = () => undefined }: KnownSpeeds = {},
): PairVariant | undefined {
  const fits = (variant: PairVariant): boolean =>
    leavesRoom(variant, machine) &&
    (variant.repositories.every(isDownloaded) || fitsOnDisk(weightBytesOf(variant.sizes), machine));
  const isFluent = (variant: PairVariant): boolean => {
    const speed = measured(variant);
    if (speed !== undefined) return speed >= MODERATE_SPEED;
    const { speed: expected } = estimates(variant.sizes, machine.processor, bytesPerSecond);
    return (
      expected !== undefined &&
      expected.tokensPerSecond >= MODERATE_SPEED &&
      readsInTime(variant, machine, bytesPerSecond)
    );
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
