// Finds the folders that the program uses: the user's home, its own cache, the model cache, and the media
// shipped with it. Blank environment variables count as unset: they would name the working directory.
import { mkdtempSync, existsSync } from 'node:fs';
import { homedir, tmpdir, platform } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { firstText } from '../rules/firstText';
import { UserError } from '../rules/userError';

/**
 * Gives the process a home folder if the system knows none, as in containers that run under an arbitrary user id. It is
 * a temporary folder with a random name, since another user could create one with a predictable name.
 */
export function ensureHomeFolder(): void {
  try {
    homedir();
  } catch {
    process.env['HOME'] = mkdtempSync(join(tmpdir(), 'flashline-home-'));
  }
}

/**
 * Returns the folder in which Flashline stores measurements of models and marks of running loads: FLASHLINE_CACHE, or a
 * folder in the system's cache folder.
 */
export function flashlineCacheFolder(): string {
  const { FLASHLINE_CACHE, LOCALAPPDATA } = process.env;
  const given = firstText([FLASHLINE_CACHE]);
  if (given !== undefined) return fromHome(given);
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(userCacheFolder(process.env), 'flashline');
}

/** Replaces a `~` at the start of a path by the home folder: in settings and after `=` no shell has done so. */
export function fromHome(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? homedir() + path.slice(1) : path;
}

/**
 * Returns the given folder; without one, that of HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE or HF_HOME, or the default one.
 */
export function modelCacheFolder(given: string | undefined): string {
  const { HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE } = process.env;
  const named = firstText([given, HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE]);
  return resolve(fromHome(named ?? join(huggingFaceHome(process.env), 'hub')));
}

/** Returns the folder in which Hugging Face tools keep their downloads and the token of a login. */
export function huggingFaceHome(env: NodeJS.ProcessEnv): string {
  return fromHome(firstText([env['HF_HOME']]) ?? join(userCacheFolder(env), 'huggingface'));
}

function userCacheFolder(env: NodeJS.ProcessEnv): string {
  return fromHome(firstText([env['XDG_CACHE_HOME']]) ?? '~/.cache');
}

/** Returns a path in the media folder, which ships with the program and holds the built-in pair. */
export function mediaPath(path: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'media', 'model'))) return join(folder, 'media', path);
  }
  throw new UserError(`There is no media folder beside or above ${__dirname}. Reinstall Flashline.`);
}
