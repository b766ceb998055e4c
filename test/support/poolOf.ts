// Creates pools of models for tests.
import { type LoadModel, type ModelLoader, ModelPool } from '../../server/hosting/modelPool';
import type { PairName } from '../../server/hosting/pairName';
import type { MemoryPressure } from '../../server/machine/memoryPressure';

export interface PoolParts extends Partial<Omit<ModelLoader, 'load'>> {
  readonly memoryPressure?: () => Promise<MemoryPressure>;
}

/**
 * Creates a pool whose pairs `load` loads. By default, pairs with the same settings are the same pair, remote engines
 * can be used, and memory is not low.
 */
export function poolOf(load: LoadModel, parts: PoolParts = {}): ModelPool {
  const {
    identify = identityOf,
    reach = () => Promise.resolve(),
    memoryPressure = () => Promise.resolve('normal'),
  } = parts;
  return new ModelPool({ load, identify, reach }, memoryPressure);
}

function identityOf({ target, drafter, drafterBits, device, strict, remote }: PairName): string {
  return JSON.stringify([target, drafter, drafterBits, device, strict, remote]);
}
