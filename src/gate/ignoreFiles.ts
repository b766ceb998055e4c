// Applies .flashlineignore and .gitignore files in every folder from the top of the workspace down to a file, as Git
// does, except that a pattern such as `!build/` does not re-include the files of a folder that an ignore file above it
// ignores. Reads each ignore file once, until `forget`. A repository can contain hostile ones, so devices and pipes are
// not read, and slow patterns are cut.
import { statSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** Size limit; larger files are not lists of patterns. */
const MAX_BYTES = 1_000_000;
/** Maximum number of stars in a pattern, "**" counting once: the time to match it grows exponentially with them. */
const MAX_STARS = 3;

export type IgnoreFileName = '.flashlineignore' | '.gitignore';

export class IgnoreFiles {
  /** Rules by path; undefined if there is no such file. */
  readonly #rules = new Map<string, Ignore | undefined>();

  /**
   * Returns whether a file inside `top` is ignored. A later `!` pattern of the ignore file, or one in a deeper ignore
   * file, re-includes it unless its folder is ignored.
   */
  ignores(name: IgnoreFileName, path: string, top: string): boolean {
    const inside = relative(top, path);
    const parts = inside.split(sep);
    if (inside === '' || parts[0] === '..') return false;
    const lists: { readonly depth: number; readonly rules: Ignore }[] = [];
    // Checks the folders from the top down, then the file, each by the ignore files above it.
    return parts.some((_, depth) => {
      const found = this.#read(join(top, ...parts.slice(0, depth), name));
      if (found) lists.push({ depth, rules: found });
      const end = depth < parts.length - 1 ? '/' : '';
      const results = lists.map((list) =>
        list.rules.test(parts.slice(list.depth, depth + 1).join('/') + end),
      );
      return results.findLast(({ ignored, unignored }) => ignored || unignored)?.ignored === true;
    });
  }

  /** Drops all rules, after one of the files was written, created or deleted. */
  forget(): void {
    this.#rules.clear();
  }

  #read(file: string): Ignore | undefined {
    if (this.#rules.has(file)) return this.#rules.get(file);
    let rules: Ignore | undefined;
    try {
      const stats = statSync(file);
      if (stats.isFile() && stats.size <= MAX_BYTES)
        rules = ignore().add(readFileSync(file, 'utf8').split(/\r?\n/).map(quickPattern));
    } catch {
      // Most folders have none.
    }
    this.#rules.set(file, rules);
    return rules;
  }
}

/** Cuts a pattern before its surplus stars, so that it ignores more files. Drops a negated pattern instead. */
function quickPattern(pattern: string): string {
  const [start] = new RegExp(`^(?:[^*]*\\*+(?!\\*)){${String(MAX_STARS)}}(?=[^*]*\\*)`).exec(pattern) ?? [];
  if (start === undefined) return pattern;
  return start.startsWith('!') ? '' : start;
}
