// Detects one level of indentation: a tab or some spaces.

/** Characters on each side of the cursor that show how the document is indented. */
const REACH = 12_000;

/**
 * Returns a tab if the cursor's line begins with one, otherwise the unit of the lines near it; undefined if they show
 * none.
 */
export function indentUnit(before: string, after: string): string | undefined {
  if (/(?:^|\n)\t[^\n]*$/.test(before.slice(-REACH))) return '\t';
  const lines = `${before.slice(-REACH)}\n${after.slice(0, REACH)}`.matchAll(/^([ \t]*)\S/gm);
  let tabbedLines = 0;
  let previous = 0;
  const steps = new Map<number, number>();
  for (const [, indentation = ''] of lines) {
    if (indentation.startsWith('\t')) tabbedLines += 1;
    else {
      const step = indentation.length - previous;
      previous = indentation.length;
      // Larger steps are mostly alignment, and a step of one space aligns the star of a block comment.
      if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    }
  }
  const [spaces, times] = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0, 0];
  if (tabbedLines > 0 && tabbedLines >= times) return '\t';
  return spaces > 0 ? ' '.repeat(spaces) : undefined;
}
