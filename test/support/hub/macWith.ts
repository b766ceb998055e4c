// A Mac with so much memory and disk, in GB.
import type { MachineFacts } from '../../../server/modelCatalogue';

export function macWith(memory: number, disk = 500): MachineFacts {
  return {
    memoryBytes: memory * 1e9,
    usableBytes: 0.75 * memory * 1e9,
    freeDiskBytes: disk * 1e9,
    processor: 'gpu',
  };
}
