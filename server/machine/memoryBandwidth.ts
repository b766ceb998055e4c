// Estimates how fast this machine reads weights from memory.
import { cpus } from 'node:os';
import type { Processor } from './thisMachine';

type Tier = '' | ' Pro' | ' Max' | ' Ultra';

/** Memory bandwidth in Apple's specifications, GB/s; the smallest if a chip comes with several. */
const APPLE_BANDWIDTHS: Readonly<Record<string, Readonly<Partial<Record<Tier, number>>>>> = {
  M1: { '': 68, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M2: { '': 100, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M3: { '': 100, ' Pro': 150, ' Max': 300, ' Ultra': 819 },
  M4: { '': 120, ' Pro': 273, ' Max': 410 },
  M5: { '': 153, ' Pro': 307, ' Max': 460 },
};
/** Share of the specified bandwidth that the matrix products of a decode step reach. */
const REACHED_SHARE = 0.7;
/** Bandwidth measured on two cores of an x64 server; most machines read faster. */
const CPU_BYTES_PER_SECOND = 8e9;

/** Returns the bytes that decoding reads per second. `model` is the system's name for its processor. */
export function memoryBandwidth(processor: Processor, model = cpus()[0]?.model ?? ''): number {
  if (processor === 'cpu') return CPU_BYTES_PER_SECOND;
  const [, chip = '', tier = ''] = /^Apple (M\d+)( Pro| Max| Ultra)?/.exec(model) ?? [];
  const bandwidth = APPLE_BANDWIDTHS[chip]?.[tier as Tier];
  // A chip missing in the table is newer, and at least as fast as the slowest M5.
  const stated = bandwidth ?? APPLE_BANDWIDTHS['M5']?.[''] ?? 0;
  return 1e9 * stated * REACHED_SHARE;
}
