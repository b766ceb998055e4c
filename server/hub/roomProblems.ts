// Checks whether models fit on the disk and into the memory of a machine.
import type { MachineFacts } from '../protocol/modelCatalogue';
import { formatSize } from '../rules/formatNumber';
import { type UserError, WrongValue } from '../rules/userError';

/** Bytes of disk that stay free for other programs during a download. */
const DISK_MARGIN = 256 * 2 ** 20;

/** Returns whether a download fits on the disk. `missingBytes` have not arrived yet. */
export function fitsOnDisk(missingBytes: number, { freeDiskBytes }: MachineFacts): boolean {
  return missingBytes === 0 || missingBytes + DISK_MARGIN <= freeDiskBytes;
}

/** Returns an error if a download does not fit on the disk of `folder`. */
export function diskProblem(
  missingBytes: number,
  machine: MachineFacts,
  folder: string,
): UserError | undefined {
  if (fitsOnDisk(missingBytes, machine)) return undefined;
  return new WrongValue({
    expected: `${formatSize(missingBytes + DISK_MARGIN)} free in ${folder}`,
    got: formatSize(machine.freeDiskBytes),
    remedy: 'free some space or use another folder (HF_HUB_CACHE)',
  });
}

/** Returns an error if `bytes` for the model `name` do not fit into memory. */
export function memoryProblem(
  bytes: number | undefined,
  name: string,
  { memoryBytes, usableBytes, processor }: MachineFacts,
): UserError | undefined {
  if (bytes === undefined || bytes <= usableBytes) return undefined;
  return new WrongValue({
    expected: `${formatSize(bytes)} of memory for ${name} on the ${processor}`,
    got: `${formatSize(usableBytes)} usable of ${formatSize(memoryBytes)}`,
    remedy: 'choose fewer bits or a smaller pair',
  });
}
