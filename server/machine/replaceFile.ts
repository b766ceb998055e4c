// Replaces a small file as a whole: whoever reads it, whenever a process ends, gets its old text or its new one.
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive } from './isAlive';

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
