// File patterns of the setting flashline.exclude, as regular expressions.

/**
 * Returns the anchored regular expression of a file pattern, for "/"-separated paths. Supports *, **, ? and {a,b}, and
 * ignores case. A pattern matches in any folder, and matches everything below a match.
 */
export function globPattern(glob: string): RegExp {
  let depth = 0;
  // Longest alternatives first; "**/" also matches no folder.
  const parts = /(?:\*\*\/)+|\*+|[?{},]|[.+^$()|[\]\\]/g;
  const pattern = glob.replace(/^\/|\/$/g, '').replace(parts, (part) => {
    if (part.endsWith('/')) return '(?:.*/)?';
    if (part.startsWith('*')) return part === '**' ? '.*' : '[^/]*';
    if (part === '?') return '[^/]';
    if (part === ',') return depth > 0 ? '|' : ',';
    if (part !== '{' && (part !== '}' || depth === 0)) return `\\${part}`;
    depth += part === '{' ? 1 : -1;
    return part === '{' ? '(?:' : ')';
  });
  // Closes braces that the pattern leaves open.
  const missing = ')'.repeat(depth);
  return new RegExp(`^(?:.*/)?${pattern}${missing}(?:/.*)?$`, 'i');
}
