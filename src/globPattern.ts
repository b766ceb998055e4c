// A file pattern of the settings as one anchored regular expression over "/"-separated paths, compiled once.
// Knows *, **, ? and {a,b}; every pattern matches in any folder, and all that lies below a match.

export function globPattern(glob: string): RegExp {
  return new RegExp(`^(?:.*/)?${translated(glob.replace(/^\/|\/$/g, ''))}(?:/.*)?$`, 'i');
}

function translated(glob: string): string {
  let depth = 0;
  // The longest alternatives first: "**/" may also stand for no folder at all.
  const pattern = glob.replace(/(?:\*\*\/)+|\*+|[?{},]|[.+^$()|[\]\\]/g, (part) => {
    if (part.startsWith('**/')) return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part === '{') {
      depth += 1;
      return '(?:';
    }
    if (part === '}') {
      if (depth === 0) return '\\}';
      depth -= 1;
      return ')';
    }
    if (part === ',') return depth > 0 ? '|' : ',';
    return `\\${part}`;
  });
  // An open brace that nothing closes.
  return `${pattern}${')'.repeat(depth)}`;
}
