// How fast a machine reads its memory, which decides how fast it decodes: a table of what Apple states of its chips.
// Measures nothing.
import type { Machine } from './machine';

type Tier = '' | ' Pro' | ' Max' | ' Ultra';

/** In GB/s; where a chip comes with several, the smallest. */
const APPLE: Readonly<Record<string, Readonly<Partial<Record<Tier, number>>>>> = {
  M1: { '': 68, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M2: { '': 100, ' Pro': 200, ' Max': 400, ' Ultra': 800 },
  M3: { '': 100, ' Pro': 150, ' Max': 300, ' Ultra': 800 },
  M4: { '': 120, ' Pro': 273, ' Max': 410 },
  M5: { '': 153, ' Pro': 307, ' Max': 460 },
};
/** Of what is stated, what the products of a decode step reach. */
const REACHED = 0.7;
/** What two cores of an x64 server read in a decode step of ours; most machines read faster. */
const CPU_BYTES_PER_SECOND = 8e9;

/** What decoding reads per second. `model` is the name that the system has for its processor. */
export function memoryBandwidth(processor: Machine['processor'], model: string): number {
  if (processor === 'cpu') return CPU_BYTES_PER_SECOND;
  const [, chip = '', tier = ''] = /^Apple (M\d+)( Pro| Max| Ultra)?/.exec(model) ?? [];
  const known = APPLE[chip]?.[tier as Tier];
  // One that came after this table is at least as fast as the slowest of the newest in it.
  const stated = known ?? APPLE['M5']?.[''] ?? 0;
  return 1e9 * stated * REACHED;
}
