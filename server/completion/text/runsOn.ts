// Where a text runs on: the same lines, numbered lines or the items of a list again and again. It is cut between lines,
// or between the items of a list where that leaves nothing open; otherwise the whole line goes.

/** A pattern may come this often. */
const TIMES = 3;
/** Items of a list that the text begins itself: a short one is meant. */
const OWN_ITEMS = 10;
/** Lines, and pieces of a line, after which a pattern begins again. */
const LONGEST_CYCLE = 8;
const LONGEST_UNIT = 24;
/** UTF-16 units above the cursor's line where a loop may have begun. */
const ABOVE = 4000;

/** Numbers, emoji and words are one piece each, and so is any other character. */
const PIECES =
  /0x[\da-f]+|\d+(?:\.\d+)?|\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier}|\u200D\p{Extended_Pictographic})*|[\p{L}_$]+|[^]/giu;
const EMOJI = /^\p{Extended_Pictographic}/u;
/** Rules of dashes and the like may be long. */
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
const SEPARATOR = /^[\s,;|&+]$/;
const SEPARATORS_AT_END = /[\s,;|&+]+$/;

/** How much of `text` stays behind `prefix` if it runs on in its last line; `isWhole` tells whether that has ended. */
export function runsOn(text: string, prefix: string, isWhole = true): number | undefined {
  const before = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = text.split('\n');
  const lead = lines.length === 1 ? before : '';
  const start = text.lastIndexOf('\n') + 1;
  const end = listEnd(lead + text.slice(start), lead.length, isWhole);
  if (end !== undefined) return end > lead.length ? start + end - lead.length : Math.max(0, start - 1);
  if (!isWhole) return undefined;
  const kept = linesKept([before + (lines[0] ?? ''), ...lines.slice(1)], prefix);
  return kept === undefined ? undefined : lines.slice(0, kept).join('\n').length;
}

/** How many lines stay if the last one completes a loop. */
function linesKept(lines: readonly string[], prefix: string): number | undefined {
  const above = prefix
    .slice(-ABOVE)
    .split('\n')
    .slice(0, -1)
    .slice(-LONGEST_CYCLE * (TIMES - 1));
  const all = [...above, ...lines].map((line) => line.trimEnd());
  const shapes = lines.map((line) => line.trimEnd().replace(/\d+/g, '0'));
  for (let cycle = 1; cycle <= LONGEST_CYCLE; cycle++) {
    // The first of them stays, unless it stands above.
    if (repeats(all, cycle, TIMES * cycle, /\p{L}/u)) return Math.max(0, lines.length - (TIMES - 1) * cycle);
    // Numbered ones are wanted, up to a point, and rows of other numbers longer.
    const times = isCounting(lines, cycle) ? TIMES : 2 * TIMES;
    if (repeats(shapes, cycle, times * cycle + 1, SAYS_SOMETHING)) return lines.length - 1;
  }
  return undefined;
}

/** Whether the numbers of the last line have grown like those of the lines `cycle` lines apart before it. */
function isCounting(lines: readonly string[], cycle: number): boolean {
  const numbers = Array.from({ length: TIMES + 1 }, (_, i) =>
    Array.from(lines.at(-1 - i * cycle)?.match(/\d+/g) ?? [], Number),
  );
  const steps = numbers.slice(1).map((own, i) => own.map((each, j) => (numbers[i]?.[j] ?? 0) - each));
  return new Set(steps.map((each) => each.join())).size === 1;
}

/** Whether the last `count` lines come again every `cycle` lines. */
function repeats(lines: readonly string[], cycle: number, count: number, says: RegExp): boolean {
  const last = lines.slice(-count);
  return (
    last.length === count &&
    last.every((line, i) => i < cycle || line === last[i - cycle]) &&
    last.slice(0, cycle).some((line) => says.test(line))
  );
}

interface Piece {
  readonly text: string;
  /** The same for all that may stand in its place. */
  readonly kind: string;
  /** In the line. */
  readonly end: number;
}

/** Where a line stops if its items from `from` on are the same or count; `from` if there is no good place. */
function listEnd(line: string, from: number, isWhole: boolean): number | undefined {
  const all = [...line.matchAll(PIECES)].map(({ 0: text, index }): Piece => {
    const kind = /^\d/.test(text) ? '0' : EMOJI.test(text) ? '😀' : text;
    return { text, kind, end: index + text.length };
  });
  // The last one may grow.
  const pieces = isWhole ? all : all.slice(0, -1);
  const first = pieces.findIndex(({ end }) => end > from);
  /** Where the run of each length of unit has begun. */
  const starts = Array<number>(LONGEST_UNIT + 1).fill(0);
  for (let at = 1; at < pieces.length; at++)
    for (let length = 1; length <= Math.min(at, LONGEST_UNIT); length++) {
      const start = (starts[length] = runStart(pieces, at, length, starts[length] ?? 0));
      if (first < 0 || at < first + TIMES * length - TIMES) continue;
      const own = Math.max(start, first);
      const unit = pieces.slice(own, own + length);
      const gap = length - 1 - unit.findLastIndex(({ text }) => !SEPARATOR.test(text));
      const isBegun = first - start >= length - gap;
      const items = Math.floor((at + 1 - own + gap) / length);
      if (items > (isBegun ? TIMES : OWN_ITEMS) && unit.some(({ text }) => SAYS_SOMETHING.test(text)))
        return isList(unit) ? itemsEnd(line, pieces, own + TIMES * length, from) : from;
    }
  return undefined;
}

/** Where a run of units of `length` pieces begins that goes on at `at`; in it, numbers grow by the same each time. */
function runStart(pieces: readonly Piece[], at: number, length: number, start: number): number {
  const [piece, last, beforeThat] = [pieces[at], pieces[at - length], pieces[at - 2 * length]];
  if (piece?.kind !== last?.kind) return at - length + 1;
  if (piece?.kind !== '0' || at - 2 * length < start) return start;
  const [a, b, c] = [beforeThat, last, piece].map((each) => Number(each?.text));
  const [step, before] = [(c ?? 0) - (b ?? 0), (b ?? 0) - (a ?? 0)];
  return Math.abs(step - before) < 1e-9 ? start : at - 2 * length + 1;
}

/** Items, not words of a sentence. */
function isList(unit: readonly Piece[]): boolean {
  return unit.some(({ text, kind }) => /[,;|&+]/.test(text) || kind === '0' || kind === '😀');
}

/** The last place up to the piece `to` that is between items, with nothing open that was closed at `from`. */
function itemsEnd(line: string, pieces: readonly Piece[], to: number, from: number): number {
  for (let at = to; at > 0; at--) {
    const [before, after] = [pieces[at - 1], pieces[at]];
    if (before === undefined || before.end <= from) break;
    const isBetween =
      [before, after].some((piece) => piece === undefined || SEPARATOR.test(piece.text)) ||
      (before.kind === '😀' && after?.kind === '😀');
    const end = before.end - (SEPARATORS_AT_END.exec(line.slice(from, before.end))?.[0].length ?? 0);
    if (isBetween && isClosed(line.slice(0, from), line.slice(from, end))) return end;
  }
  return from;
}

/** Whether `text` leaves nothing open but what `before` has. */
function isClosed(before: string, text: string): boolean {
  const open = (code: string): number => code.split(/[([{]/).length - code.split(/[)\]}]/).length;
  const quotes = (code: string): number => code.split(/["'`]/).length - 1;
  const isQuoted = quotes(text) === 0 || quotes(before + text) % 2 === 0;
  return isQuoted && open(text) <= 0;
}
