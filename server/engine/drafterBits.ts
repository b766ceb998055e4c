// Chooses the bits per weight in which a drafter is loaded. Every draft reads all of its weights: next to a packed
// target, a 16-bit drafter takes a large part of a round, while fewer bits lose only a few accepted drafts.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFields } from '../models/checkpoint/configFields';
import { parseQuantisation } from '../models/checkpoint/quantisation';
import type { Device } from '../models/mlx/device';
import type { DrafterBits } from '../rules/serverSettings';

/** Default bits for the drafter of a large packed target on a GPU. */
const PACKED_BITS = 4;
/** Size of weight files below which float32 takes no longer than bfloat16 (docs/internals/results.md). */
const SMALL_BYTES = 128e6;

/** Returns the bits to pack a drafter into; undefined to load it as its files store it. */
export function bitsOfDrafter(
  setting: DrafterBits,
  targetDirectory: string,
  drafterDirectory: string,
  { name, keepsQuantised }: Device,
): number | undefined {
  if (setting !== 'auto') return setting === 'stored' ? undefined : setting;
  if (name !== 'gpu' || !keepsQuantised || isSmall(targetDirectory)) return undefined;
  return isPacked(targetDirectory) && !isPacked(drafterDirectory) ? PACKED_BITS : undefined;
}

/** Returns the log line about a drafter that was packed by default. */
export function packedNote(bits: number): string {
  return `the drafter is packed into ${String(bits)} bits, as its target is packed; flashline.drafterBits changes that`;
}

function isPacked(directory: string): boolean {
  return parseQuantisation(ConfigFields.ofModel(directory))('') !== undefined;
}

/** Returns whether a target's weight files are so small that the target computes in float32 on any device. */
export function isSmall(directory: string): boolean {
  // Loading the target reports a folder that is missing.
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return false;
  return weightFiles(directory).reduce((bytes, { size }) => bytes + size, 0) < SMALL_BYTES;
}

/** Lists the weight files of a model with their sizes in bytes. */
export function weightFiles(directory: string): { name: string; size: number }[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.safetensors'));
  const sizeOf = (name: string) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  return names.map((name) => ({ name, size: sizeOf(name) }));
}
