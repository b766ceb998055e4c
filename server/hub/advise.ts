// Which known pair suits a machine best: a function of facts, which asks nobody.
import type { KnownPair } from '../models/knownPair';
import { usableMemory, type Machine } from './machine';
import { downloadBytes, neededMemory, variantsOf, type PairVariant } from './pairVariant';

export interface AdviceOptions {
  /** `model_type` of the targets that load. */
  readonly families: readonly string[];
  readonly isDownloaded?: (repository: string) => boolean;
}

/**
 * On a GPU a pair for infilling before others, and of those the largest, with few bits, as decoding reads all of them
 * for each pass. On a CPU the smallest, as there everything is slow. Undefined when none fits.
 */
export function advise(
  pairs: readonly KnownPair[],
  machine: Machine,
  { families, isDownloaded = () => false }: AdviceOptions,
): PairVariant | undefined {
  const fits = (variant: PairVariant): boolean => {
    const there = isDownloaded(variant.target) && isDownloaded(variant.drafter);
    return (
      neededMemory(variant, machine.processor) <= usableMemory(machine) &&
      (there || downloadBytes(variant) <= machine.freeDiskBytes)
    );
  };
  const variants = pairs
    .filter(({ target }) => families.includes(target.modelType))
    .flatMap(variantsOf)
    .filter(fits);
  return variants.sort(machine.processor === 'gpu' ? betterOnGpu : smaller)[0];
}

function betterOnGpu(a: PairVariant, b: PairVariant): number {
  const infill = ({ pair }: PairVariant): number => Number(pair.infill === 'fim');
  return infill(b) - infill(a) || -smaller(a, b) || a.bits - b.bits;
}

function smaller(a: PairVariant, b: PairVariant): number {
  return a.pair.target.parameters - b.pair.target.parameters;
}
