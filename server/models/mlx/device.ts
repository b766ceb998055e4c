// The device that runs the models, and its number type.
import { cpus } from 'node:os';
import { UserError } from '../../rules/userError';
import { core, hasGpu } from './binding';
import type { Dtype } from './addonTypes';

export type DeviceName = 'cpu' | 'gpu';

export interface Device {
  readonly name: DeviceName;
  /** Type of weights and activations: float32 on a CPU, where half-precision products abort the process. */
  readonly dtype: Dtype;
  /** Whether packed weights stay packed. On a CPU their products are slow and inexact, so weights are expanded. */
  readonly keepsQuantised: boolean;
}

/** Makes `name` the device of all later operations of the process. */
export function useDevice(name: DeviceName): void {
  core.setDefaultDevice(name === 'gpu' ? core.gpu : core.cpu);
}

/**
 * Chooses the device of a model and makes it the default; without a name, the GPU if there is one. `strict` computes in
 * float32 on a GPU too: rounding then depends so little on the number of rows of a pass that it hardly ever decides
 * between two tokens. Throws UserError for a GPU that does not exist.
 */
export function selectDevice(name?: DeviceName, strict = false): Device {
  if (name === 'gpu' && !hasGpu) {
    throw new UserError(
      `There is no Metal GPU on ${process.platform}-${process.arch}. Choose the CPU as the device.`,
      {
        command: '--device cpu',
      },
    );
  }
  const chosen = name ?? (hasGpu ? 'gpu' : 'cpu');
  useDevice(chosen);
  return chosen === 'gpu'
    ? { name: chosen, dtype: strict ? core.float32 : core.bfloat16, keepsQuantised: true }
    : { name: chosen, dtype: core.float32, keepsQuantised: false };
}

/**
 * Returns the device of a drafter: in float32 on chips without bfloat16 units. Published measurements on such
 * a Mac: 1.39 times the speed of plain decoding with a drafter in float32, and 1.20 times in bfloat16. `chip`
 * is the system's name of the processor.
 */
export function drafterDevice(device: Device, chip = cpus()[0]?.model ?? ''): Device {
  const isSlow = device.name === 'gpu' && /^Apple M[12]\b/.test(chip);
  return isSlow ? { ...device, dtype: core.float32 } : device;
}
