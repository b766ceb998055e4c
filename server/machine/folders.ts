// The folders of the program: the home of its user, its own cache, that of models, and the media that ship with it. And
// small files, replaced as a whole (below).
import {
  mkdtempSync,
  existsSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir, platform } from 'node:os';
import { dirname, join, resolve, basename } from 'node:path';
import { InputError } from '../rules/inputError';
import { isAlive } from './isAlive';

/**
 * Afterwards os.homedir() works: where the system knows none, as in containers that run under any number, it is a folder
 * of this user among the temporary ones. Its name is another one each time, as anybody could put something under a name
 * that is known.
 */
export function ensureHomeFolder(): void {
  try {
    homedir();
  } catch {
    process.env['HOME'] = mkdtempSync(join(tmpdir(), 'flashline-home-'));
  }
}

/** Where Flashline keeps what it found out about models on this machine, in the system's folder for caches. */
export function ownCacheFolder(): string {
  const { FLASHLINE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (FLASHLINE_CACHE) return FLASHLINE_CACHE;
  if (platform() === 'darwin') return join(homedir(), 'Library', 'Caches', 'flashline');
  if (platform() === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'flashline');
  return join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'flashline');
}

/** The given folder, or that of HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME or the default location. */
export function modelCacheFolder(given: string | undefined): string {
  const { HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE } = process.env;
  return resolve(given ?? HF_HUB_CACHE ?? HUGGINGFACE_HUB_CACHE ?? join(huggingFaceHome(process.env), 'hub'));
}

/** Where the tools of Hugging Face keep what they download, and the token of a login. */
export function huggingFaceHome({ HF_HOME, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string {
  return HF_HOME ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface');
}

/** A path inside the media folder that ships with the program: the built-in pair and its files. */
export function mediaPath(path: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'media', 'model'))) return join(folder, 'media', path);
  }
  throw new InputError({
    expected: `the media folder next to ${__dirname}`,
    got: 'none',
    remedy: 'reinstall Flashline',
  });
}

/** Of the program. */
export function version(): string {
  const { version: found } = JSON.parse(readFileSync(mediaPath('../package.json'), 'utf8')) as {
    version: string;
  };
  return found;
}

// Replaces a small file as a whole: whoever reads it, whenever a process ends, gets its old text or its new one.

/** Also removes what processes have begun that ended before it was whole. Throws as writing does, and leaves nothing. */
export function replaceFile(file: string, text: string): void {
  replaceBy(file, (unfinished) => {
    writeFileSync(unfinished, text);
  });
}

/** The same with what `write` puts under the name that it is given, such as a link. */
export function replaceBy(file: string, write: (unfinished: string) => void): void {
  const unfinished = `${file}.${String(process.pid)}`;
  rmSync(unfinished, { force: true });
  try {
    write(unfinished);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  for (const name of readdirSync(dirname(file))) {
    const owner = name.startsWith(`${basename(file)}.`) ? Number(name.slice(basename(file).length + 1)) : NaN;
    if (Number.isInteger(owner) && !isAlive(owner)) rmSync(join(dirname(file), name), { force: true });
  }
}
