// One level of indentation of a text: seen in its lines, else what its language is usually written with.
// Reads only what is near the cursor.

const NEAR = 12_000;
const TABS = new Set(['go', 'makefile', 'gdscript']);
const FOUR = new Set([
  'python',
  'c',
  'cpp',
  'csharp',
  'java',
  'kotlin',
  'php',
  'rust',
  'swift',
  'perl',
  'plaintext',
]);

/** A tab or some spaces. */
export function indentUnit(before: string, after: string, languageId: string): string {
  const lines = `${before.slice(-NEAR)}\n${after.slice(0, NEAR)}`.matchAll(/^([ \t]*)\S/gm);
  let tabs = 0;
  let previous = 0;
  const steps = new Map<number, number>();
  for (const [, indentation = ''] of lines) {
    if (indentation.startsWith('\t')) tabs += 1;
    else {
      const step = indentation.length - previous;
      previous = indentation.length;
      // Larger steps are mostly alignment, and a step of one is the star of a comment.
      if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
    }
  }
  const [spaces, times] = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0, 0];
  if (tabs > 0 && tabs >= times) return '\t';
  if (spaces > 0) return ' '.repeat(spaces);
  return TABS.has(languageId) ? '\t' : ' '.repeat(FOUR.has(languageId) ? 4 : 2);
}
