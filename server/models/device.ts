// Which processor runs the models, and the number type that it computes in.
import { InputError } from '../inputError';
import { core, hasGpu } from './binding';
import type { Dtype } from './mlxCore';

export type DeviceName = 'cpu' | 'gpu';

export interface Device {
  readonly name: DeviceName;
  /** float32 on the CPU, where half-precision products abort the process; bfloat16 on Metal. */
  readonly dtype: Dtype;
  /** Quantised products are fast on Metal; on the CPU they are slow and inexact, so weights are expanded. */
  readonly keepsQuantised: boolean;
}

/** Makes `name` the device of all later operations, of whatever model. */
export function useDevice(name: DeviceName): void {
  core.setDefaultDevice(name === 'gpu' ? core.gpu : core.cpu);
}

/** Like `useDevice`, when there is such a device; the GPU is the default where there is one. */
export function selectDevice(name?: DeviceName): Device {
  if (name === 'gpu' && !hasGpu) {
    throw new InputError({
      expected: 'a Metal GPU for --device gpu',
      got: `none on ${process.platform}-${process.arch}`,
      remedy: 'use --device cpu',
    });
  }
  const chosen = name ?? (hasGpu ? 'gpu' : 'cpu');
  useDevice(chosen);
  return chosen === 'gpu'
    ? { name: chosen, dtype: core.bfloat16, keepsQuantised: true }
    : { name: chosen, dtype: core.float32, keepsQuantised: false };
}
