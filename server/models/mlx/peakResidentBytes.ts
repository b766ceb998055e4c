// The peak memory of this process, as the operating system counts it.
// Knows nothing of arrays, and loads no native addon.
import { existsSync, readFileSync } from 'node:fs';

/** On Linux from the kernel's own line: getrusage hands the peak of a parent process on to its children. */
export function peakResidentBytes(): number {
  const status = '/proc/self/status';
  const line = existsSync(status) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8')) : null;
  return 1024 * (line ? Number(line[1]) : process.resourceUsage().maxRSS);
}
