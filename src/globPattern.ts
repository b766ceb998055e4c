// File patterns of the setting flashline.exclude, as regular expressions.

/**
 * A file pattern as one anchored regular expression over "/"-separated paths. Knows *, **, ? and {a,b}; every pattern
 * matches in any folder, and everything below a match.
 */
export function globPattern(glob: string): RegExp {
  let depth = 0;
  // The longest alternatives first: "**/" may also stand for no folder at all.
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
  // For braces that are never closed.
  const missing = ')'.repeat(depth);
  return new RegExp(`^(?:.*/)?${pattern}${missing}(?:/.*)?$`, 'i');
}
