// The number of bits per weight in which a drafter is loaded. Each draft reads all its weights, so that a drafter of 16 bits
// beside a packed target costs a large part of a round, and fewer bits cost only a few accepted drafts.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../models/checkpoint/configFields';
import { parseQuantisation } from '../models/checkpoint/quantisation';
import type { Device } from '../models/mlx/device';
import type { DrafterBits } from '../rules/serverSettings';

/** Bits of the drafter of a large packed target on a GPU, where nothing else is asked for. */
const USUAL_BITS = 4;
/** Files of a target so small that float32 takes no longer: the built-in one has 31 MB (docs/internals/results.md). */
const SMALL_BYTES = 128e6;

interface PairDirectories {
  readonly targetDirectory: string;
  readonly drafterDirectory: string;
}

/** Bits to pack a drafter into; undefined to leave it as its files store it. */
export function bitsOfDrafter(
  asked: DrafterBits,
  { targetDirectory, drafterDirectory }: PairDirectories,
  { name, keepsQuantised }: Device,
): number | undefined {
  if (asked !== 'auto') return asked === 'stored' ? undefined : asked;
  if (name !== 'gpu' || !keepsQuantised || isSmall(targetDirectory)) return undefined;
  return isPacked(targetDirectory) && !isPacked(drafterDirectory) ? USUAL_BITS : undefined;
}

/** The line for the log. */
export function packedNote(bits: number): string {
  return `the drafter is packed into ${String(bits)} bits, as its target is packed; flashline.drafterBits changes that`;
}

function isPacked(directory: string): boolean {
  return parseQuantisation(ConfigFields.ofModel(directory))('') !== undefined;
}

/** Whether the files of a target are so small that it computes in float32 on any device. */
export function isSmall(directory: string): boolean {
  // A wrong folder is reported where it is loaded.
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
  return weightFiles(directory).reduce((bytes, { size }) => bytes + size, 0) < SMALL_BYTES;
}

/** Names and sizes of the weight files of a model. */
export function weightFiles(directory: string): { name: string; size: number }[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.safetensors'));
  const sizeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return names.map((name) => ({ name, size: sizeOf(name) }));
}
