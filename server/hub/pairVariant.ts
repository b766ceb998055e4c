// A known pair with the bits of its target chosen: what it is called, what to download, and what it needs.
// Knows neither files nor the network.
import { drafterBytes, targetBytes, type KnownPair } from '../models/knownPair';
import { knownPairs } from '../models/knownPairs';
import type { Machine } from './machine';
import { memoryNeed, type ModelSizes } from './modelSizes';

export type Bits = 4 | 8 | 16;

export interface PairVariant {
  readonly pair: KnownPair;
  readonly bits: Bits;
  /** The repository of the target with so many bits. */
  readonly target: string;
  readonly drafter: string;
}

/** As people type it, such as qwen3-4b. */
export function pairId({ name }: KnownPair): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

export function pairById(id: string): KnownPair | undefined {
  return knownPairs.find((pair) => pairId(pair) === id.toLowerCase());
}

/** With the fewest bits first. */
export function variantsOf(pair: KnownPair): PairVariant[] {
  const { target, drafter } = pair;
  const published = [...target.quantised, { repository: target.repository, bits: 16 as const }];
  return published
    .map(({ repository, bits }) => ({ pair, bits, target: repository, drafter: drafter.repository }))
    .sort((a, b) => a.bits - b.bits);
}

/** About so many bytes; the repositories say it exactly. */
export function downloadBytes({ pair, bits }: PairVariant): number {
  return targetBytes(pair.target, bits) + drafterBytes(pair.drafter);
}

/** Of both models, the target first. */
export function sizesOf({ pair, bits }: PairVariant): readonly [ModelSizes, ModelSizes] {
  const { target, drafter } = pair;
  const { parameters, activeParameters = parameters, cacheBytesPerToken } = target;
  return [
    { parameters, activeParameters, cacheBytesPerToken, weightBytes: targetBytes(target, bits) },
    { ...drafter, activeParameters: drafter.parameters, weightBytes: drafterBytes(drafter) },
  ];
}

/** On a CPU the weights, keys and values are float32, whatever they are on disk. */
export function neededMemory(variant: PairVariant, processor: Machine['processor']): number {
  return memoryNeed(sizesOf(variant), processor);
}

/** The target first. */
export function repositoriesOf({ target, drafter }: PairVariant): readonly [string, string] {
  return [target, drafter];
}
