// Facts about a Mac with the given memory and free disk space, in GB.
import { usableBytes } from '../../../server/machine/thisMachine';
import type { MachineFacts } from '../../../server/protocol/modelCatalogue';

export function macWith(memory: number, disk = 500): MachineFacts {
  return {
    memoryBytes: memory * 1e9,
    usableBytes: usableBytes(memory * 1e9, 'gpu'),
    freeDiskBytes: disk * 1e9,
    processor: 'gpu',
  };
}
