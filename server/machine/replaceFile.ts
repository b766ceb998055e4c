// Replaces a file atomically: readers get the old one or the new one, even if the process ends in between.
import { writeFileSync, rmSync, renameSync, readdirSync } from 'node:fs';
import { dirname, basename, join } from 'node:path';
import { isAlive } from './isAlive';

/** Replaces the text of `file`. */
export function replaceFile(file: string, text: string): void {
  replaceBy(file, (unfinished) => {
    writeFileSync(unfinished, text);
  });
}

/**
 * Replaces `file` by the file or link that `write` creates at the given path, and removes unfinished files
 * of dead processes. If `write` throws, `file` is unchanged.
 */
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
