// Cuts a suggestion where it begins to go round in circles: the same lines, or the same words within a line.
// Rows of numbers and rules of dashes are not circles.
import type { CompletionContext } from '../context';

const TIMES = 3;
const LONGEST_CYCLE = 4;
const TELLING = /\p{L}{2}/u;
/** Within a line the same piece must come once more, as code has `a, a, a`. */
const WORDS = /(.{2,40}?)\1{3,}/gu;

export function repetition(text: string, { prefix }: CompletionContext): string {
  return repeatedLines(repeatedWords(text), prefix);
}

function repeatedWords(text: string): string {
  for (const { 0: run, 1: unit = '', index } of text.matchAll(WORDS))
    if (TELLING.test(unit)) return text.slice(0, index + (run.length > unit.length ? unit.length : 0));
  return text;
}

function repeatedLines(text: string, prefix: string): string {
  const before = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = text.split('\n');
  const own = [before + (lines[0] ?? ''), ...lines.slice(1)].map((line) => line.trimEnd());
  // Lines above the cursor may have begun the circle.
  const above = prefix
    .slice(-2000)
    .split('\n')
    .slice(0, -1)
    .slice(-LONGEST_CYCLE * (TIMES - 1));
  const all = [...above.map((line) => line.trimEnd()), ...own];
  for (let start = 0; start < all.length; start++)
    for (let cycle = 1; cycle <= LONGEST_CYCLE; cycle++) {
      const end = start + cycle * TIMES;
      if (end <= above.length || end > all.length || !circles(all, start, cycle)) continue;
      const keep = Math.max(0, start + cycle - above.length);
      return lines.slice(0, keep).join('\n');
    }
  return text;
}

/** Whether the lines from `start` come `TIMES` times, `cycle` lines at a time. */
function circles(lines: readonly string[], start: number, cycle: number): boolean {
  const unit = lines.slice(start, start + cycle);
  if (!unit.some((line) => TELLING.test(line))) return false;
  return Array.from({ length: TIMES - 1 }, (_, i) => start + (i + 1) * cycle).every((at) =>
    unit.every((line, i) => lines[at + i] === line),
  );
}
