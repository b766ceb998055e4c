// Reads the peak memory of this process.
import { existsSync, readFileSync } from 'node:fs';

/**
 * Returns the peak memory of this process, in bytes. Does not use getrusage on Linux, where a child inherits the peak
 * of its parent.
 */
export function peakResidentBytes(): number {
  const status = '/proc/self/status';
  const line = existsSync(status) ? /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, 'utf8')) : null;
  return 1024 * (line ? Number(line[1]) : process.resourceUsage().maxRSS);
}
