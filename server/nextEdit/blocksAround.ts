// Finds the blocks around a line by indentation, which needs no grammar: a block is a line, the deeper lines below it,
// and the closer below those.
import type { Span } from './editWindow';

/** Matches a line that closes a block, and can open another one: "} else {". */
const CLOSER = /^\s*(?:[)\]}]|<\/|end\b)/;

/** Yields the blocks around a line, from the innermost to the whole text. Each contains the one before. */
export function* blocksAround(lines: readonly string[], line: number): Generator<Span> {
  let from = line;
  let to = line + 1;
  let depth = depthAround(lines, line);
  for (;;) {
    for (let end = endOfBlock(lines, to - 1, depth); end > to; end = endOfBlock(lines, to - 1, depth)) {
      to = end;
      yield { from, to };
    }
    const opener = openerAbove(lines, from, depth);
    if (opener < 0) break;
    from = opener;
    depth = depthOf(lines[opener]) ?? 0;
    to = Math.max(to, endOfBlock(lines, opener, depth));
    yield { from, to };
  }
  yield { from: 0, to: lines.length };
}

/** Returns the line after the block that line `opener` opens; the line after `opener` if that opens none. */
function endOfBlock(lines: readonly string[], opener: number, depth: number): number {
  let end = opener + 1;
  for (let line = opener + 1; line < lines.length; line += 1) {
    const lineDepth = depthOf(lines[line]);
    if (lineDepth === undefined) continue;
    if (lineDepth > depth) end = line + 1;
    else return lineDepth === depth && end > opener + 1 && CLOSER.test(lines[line] ?? '') ? line + 1 : end;
  }
  return end;
}

/** Returns the line above `line` that opens the block in which `line` is, or which it closes; -1 if there is none. */
function openerAbove(lines: readonly string[], line: number, depth: number): number {
  const isCloser = CLOSER.test(lines[line] ?? '');
  for (let above = line - 1; above >= 0; above -= 1) {
    const aboveDepth = depthOf(lines[above]);
    if (aboveDepth !== undefined && (aboveDepth < depth || (isCloser && aboveDepth === depth))) return above;
  }
  return -1;
}

/** Returns the number of white-space characters that a line begins with; undefined for a blank line. */
function depthOf(line = ''): number | undefined {
  const depth = line.search(/\S/);
  return depth < 0 ? undefined : depth;
}

/** Returns the depth of a line; for a blank line, that of the deeper one of the lines around it. */
function depthAround(lines: readonly string[], line: number): number {
  const lineDepth = depthOf(lines[line]);
  if (lineDepth !== undefined) return lineDepth;
  const above = lines.slice(0, line).findLast((text) => depthOf(text) !== undefined);
  const below = lines.slice(line).find((text) => depthOf(text) !== undefined);
  return Math.max(depthOf(above) ?? 0, depthOf(below) ?? 0);
}
