// Where Flashline keeps what it found out about models on this machine, in the system's folder for caches.
import { homedir, platform } from 'node:os';
import { join } from 'node:path';

export function ownCacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}
