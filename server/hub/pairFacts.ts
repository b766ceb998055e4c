// What there is to say about the variants of a known pair on this machine. Asks the file system and nobody else.
import { knownPairs } from '../models/knownPairs';
import type { KnownPair } from '../models/knownPair';
import type { SpeedEstimate } from '../modelCatalogue';
import { advise } from './advise';
import { arrivedBytes, isBegun } from './arrivedBytes';
import { estimatedSpeed } from './estimatedSpeed';
import { downloadedModel } from './downloadedModel';
import { thisMachine, usableMemory, type Machine } from './machine';
import {
  downloadBytes,
  neededMemory,
  pairId,
  repositoriesOf,
  sizesOf,
  variantsOf,
  type PairVariant,
} from './pairVariant';
import type { Loadable } from './problem';

export interface Surroundings {
  readonly cache: string;
  readonly machine: Machine;
  readonly loadable: Loadable;
  readonly recommended: PairVariant | undefined;
}

export interface VariantFacts {
  readonly bits: number;
  readonly target: string;
  readonly drafter: string;
  readonly downloadBytes: number;
  /** Of these, what is there. */
  readonly arrivedBytes: number;
  readonly memoryBytes: number;
  readonly fits: boolean;
  /** Estimated. */
  readonly speed: SpeedEstimate;
  readonly downloaded: boolean;
  /** Of the target, though the pair is not downloaded. */
  readonly begun: boolean;
  readonly recommended: boolean;
}

export interface PairFacts {
  readonly id: string;
  readonly name: string;
  readonly infill: KnownPair['infill'];
  readonly supported: boolean;
  readonly variants: readonly VariantFacts[];
}

export function surroundings(cache: string, loadable: Loadable): Surroundings {
  const machine = thisMachine(cache);
  const isDownloaded = (repository: string): boolean => downloadedModel(cache, repository) !== undefined;
  const recommended = advise(knownPairs, machine, { families: loadable.targets, isDownloaded });
  return { cache, machine, loadable, recommended };
}

export function pairFacts(pair: KnownPair, around: Surroundings): PairFacts {
  return {
    id: pairId(pair),
    name: pair.name,
    infill: pair.infill,
    supported: around.loadable.targets.includes(pair.target.modelType),
    variants: variantsOf(pair).map((variant) => variantFacts(variant, around)),
  };
}

export function variantFacts(
  variant: PairVariant,
  { cache, machine, recommended }: Surroundings,
): VariantFacts {
  const { pair, bits, target, drafter } = variant;
  const repositories = repositoriesOf(variant);
  const memoryBytes = neededMemory(variant, machine.processor);
  const arrived = repositories.reduce((sum, each) => sum + arrivedBytes(cache, each), 0);
  const downloaded = repositories.every((each) => downloadedModel(cache, each) !== undefined);
  return {
    bits,
    target,
    drafter,
    // The repositories say it exactly, once they are there.
    downloadBytes: downloaded ? arrived : Math.max(downloadBytes(variant), arrived),
    arrivedBytes: arrived,
    memoryBytes,
    fits: memoryBytes <= usableMemory(machine),
    speed: estimatedSpeed(sizesOf(variant)[0], machine),
    downloaded,
    begun: !downloaded && (isBegun(cache, target) || downloadedModel(cache, target) !== undefined),
    recommended: recommended?.pair === pair && recommended.bits === bits,
  };
}
