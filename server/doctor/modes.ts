// The modes in which a machine can run a network: on which device, in which number type, and with which weights.
// Loads no native addon.
import type { NumberType } from '../rules/nearTieGap';
import type { DeviceName } from '../models/mlx/device';

export interface Mode {
  readonly device: DeviceName;
  readonly type: NumberType;
  /** Products read packed weights as they are, or they were expanded while loading. */
  readonly weights: 'packed' | 'expanded';
}

/** The first is the one that Flashline uses. CPUs have no products of bfloat16 (node-mlx 0.0.7). */
export const MODES: Readonly<Record<DeviceName, readonly Mode[]>> = {
  cpu: [
    { device: 'cpu', type: 'float32', weights: 'expanded' },
    { device: 'cpu', type: 'float32', weights: 'packed' },
  ],
  gpu: [
    { device: 'gpu', type: 'bfloat16', weights: 'packed' },
    { device: 'gpu', type: 'bfloat16', weights: 'expanded' },
    { device: 'gpu', type: 'float32', weights: 'packed' },
    { device: 'gpu', type: 'float32', weights: 'expanded' },
  ],
};

export function modeName({ device, type, weights }: Mode): string {
  return `${device.toUpperCase()} ${type} ${weights}`;
}
