// Recognises small targets, which compute in float32 on any device, by the size of their weight files.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Size of weight files below which float32 takes no longer than bfloat16 (docs/internals/results.md). */
const SMALL_BYTES = 128e6;

/** Returns whether a target's weight files are so small that the target computes in float32 on any device. */
export function isSmallTarget(directory: string): boolean {
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
