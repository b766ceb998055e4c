// The device that runs the models, and its number type.
import { cpus } from 'node:os';
import { InputError } from '../../rules/inputError';
import { core, hasGpu } from './binding';
import type { Dtype } from './addonTypes';

export type DeviceName = 'cpu' | 'gpu';

export interface Device {
  readonly name: DeviceName;
  /** float32 on the CPU, where half-precision products abort the process; bfloat16 on Metal, unless told otherwise. */
  readonly dtype: Dtype;
  /** Quantised products are fast on Metal; on the CPU they are slow and inexact, so weights are expanded. */
  readonly keepsQuantised: boolean;
}

/** Makes `name` the device of all later operations, of whatever model. */
export function useDevice(name: DeviceName): void {
  core.setDefaultDevice(name === 'gpu' ? core.gpu : core.cpu);
}

/**
 * Like `useDevice`, when there is such a device; the GPU is the default where there is one. `strict`: it computes in
 * float32, in which the number of rows of a pass hardly ever decides between two tokens.
 */
export function selectDevice(name?: DeviceName, strict = false): Device {
  if (name === 'gpu' && !hasGpu) {
    throw new InputError({
      expected: 'a Metal GPU',
      got: `none on ${process.platform}-${process.arch}`,
      remedy: 'choose the CPU as the device',
      command: '--device cpu',
    });
  }
  const chosen = name ?? (hasGpu ? 'gpu' : 'cpu');
  useDevice(chosen);
  return chosen === 'gpu'
    ? { name: chosen, dtype: strict ? core.float32 : core.bfloat16, keepsQuantised: true }
    : { name: chosen, dtype: core.float32, keepsQuantised: false };
}

/**
 * The same for a drafter: float32 on chips that have no units for bfloat16. Published for such a Mac: 1.39 times plain in
 * float32, 1.20 in bfloat16. `chip` is the system's name for it.
 */
export function drafterDevice(device: Device, chip = cpus()[0]?.model ?? ''): Device {
  const isSlow = device.name === 'gpu' && /^Apple M[12]\b/.test(chip);
  return isSlow ? { ...device, dtype: core.float32 } : device;
}
