// A known pair with the bits of its target chosen: what it is called, what to download, and what it needs.
// Knows neither files nor the network.
import { drafterBytes, memoryBytes, targetBytes, type KnownPair } from '../models/knownPair';
import { knownPairs } from '../models/knownPairs';
import type { Machine } from './machine';

export type Bits = 4 | 8 | 16;

export interface PairVariant {
  readonly pair: KnownPair;
  readonly bits: Bits;
  /** The repository of the target with so many bits. */
  readonly target: string;
  readonly drafter: string;
}

const BYTES_F32 = 4;
const BYTES_BF16 = 2;

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

/** On a CPU the weights, keys and values are float32, whatever they are on disk. */
export function neededMemory({ pair, bits }: PairVariant, processor: Machine['processor']): number {
  return processor === 'gpu' ? memoryBytes(pair, bits) : memoryBytes(pair, 16) * (BYTES_F32 / BYTES_BF16);
}
