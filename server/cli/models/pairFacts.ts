// What there is to say about the variants of a known pair on this machine. Asks the file system and nobody else.
import { advise } from '../../hub/advise';
import { downloadedModel } from '../../hub/downloadedModel';
import { thisMachine, usableMemory, type Machine } from '../../hub/machine';
import { downloadBytes, neededMemory, pairId, variantsOf, type PairVariant } from '../../hub/pairVariant';
import { knownPairs } from '../../models/knownPairs';
import type { KnownPair } from '../../models/knownPair';

export interface Surroundings {
  readonly cache: string;
  readonly machine: Machine;
  /** `model_type` of the targets that load. */
  readonly families: readonly string[];
  readonly recommended: PairVariant | undefined;
}

export interface VariantFacts {
  readonly bits: number;
  readonly target: string;
  readonly drafter: string;
  readonly downloadBytes: number;
  readonly memoryBytes: number;
  readonly fits: boolean;
  readonly downloaded: boolean;
  readonly recommended: boolean;
}

export interface PairFacts {
  readonly id: string;
  readonly name: string;
  readonly infill: KnownPair['infill'];
  readonly supported: boolean;
  readonly variants: readonly VariantFacts[];
}

/** The registry is imported here, as it loads the native addon, which `--help` can do without. */
export async function surroundings(cache: string): Promise<Surroundings> {
  const { loadable } = await import('../../models/registry');
  const machine = thisMachine(cache);
  const families = loadable.targets;
  const isDownloaded = (repository: string): boolean => downloadedModel(cache, repository) !== undefined;
  return { cache, machine, families, recommended: advise(knownPairs, machine, { families, isDownloaded }) };
}

export function pairFacts(pair: KnownPair, around: Surroundings): PairFacts {
  return {
    id: pairId(pair),
    name: pair.name,
    infill: pair.infill,
    supported: around.families.includes(pair.target.modelType),
    variants: variantsOf(pair).map((variant) => variantFacts(variant, around)),
  };
}

function variantFacts(variant: PairVariant, { cache, machine, recommended }: Surroundings): VariantFacts {
  const { pair, bits, target, drafter } = variant;
  const memoryBytes = neededMemory(variant, machine.processor);
  return {
    bits,
    target,
    drafter,
    downloadBytes: downloadBytes(variant),
    memoryBytes,
    fits: memoryBytes <= usableMemory(machine),
    downloaded: [target, drafter].every((each) => downloadedModel(cache, each) !== undefined),
    recommended: recommended?.pair === pair && recommended.bits === bits,
  };
}
