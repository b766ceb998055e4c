// What .flashlineignore and .gitignore say about a file, in every folder from the top of the workspace down to it, as
// Git reads them. Both are read once; whoever watches them calls `forget`. A repository may bring any: devices and pipes
// are not read, and no pattern takes long.
import { statSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Larger ones are no lists of patterns. */
const MOST_BYTES = 1_000_000;
/** A pattern takes as long as the number of ways that its stars can be placed. */
const MOST_STARS = 3;

export type IgnoreFileName = '.flashlineignore' | '.gitignore';

export class IgnoreFiles {
  /** By path; undefined where there is no such file. */
  readonly #rules = new Map<string, Ignore | undefined>();

  /** Whether a path inside `top` is ignored. A deeper file of the same name can take that back, but not for a folder. */
  ignores(name: IgnoreFileName, path: string, top: string): boolean {
    const inside = relative(top, path);
    if (inside === '' || inside.startsWith('..')) return false;
    const folders = inside.split(sep).slice(0, -1);
    let ignored = false;
    for (let depth = 0; depth <= folders.length; depth++) {
      const folder = join(top, ...folders.slice(0, depth));
      const rules = this.#read(join(folder, name));
      const result = rules?.test(relative(folder, path).replaceAll(sep, '/'));
      if (result?.ignored) ignored = true;
      else if (result?.unignored) ignored = false;
    }
    return ignored;
  }

  /** One of the files was written, created or deleted. */
  forget(): void {
    this.#rules.clear();
  }

  #read(file: string): Ignore | undefined {
    if (this.#rules.has(file)) return this.#rules.get(file);
    let rules: Ignore | undefined;
    try {
      const stats = statSync(file);
      if (stats.isFile() && stats.size <= MOST_BYTES)
        rules = ignore().add(readFileSync(file, 'utf8').split(/\r?\n/).map(quickPattern));
    } catch {
      // Most folders have none.
    }
    this.#rules.set(file, rules);
    return rules;
  }
}

/** One with more stars is cut before them, and so takes in more files; one that takes files back has no effect then. */
function quickPattern(pattern: string): string {
  const [start] = new RegExp(`^(?:[^*]*\\*+(?!\\*)){${String(MOST_STARS)}}(?=[^*]*\\*)`).exec(pattern) ?? [];
  if (start === undefined) return pattern;
  return start.startsWith('!') ? '' : start;
}
