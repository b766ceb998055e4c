// Zed's format for Zeta 2.1 (V0318). The window is called a region there. A prompt has the text after the region, then
// the events and the text before it, then the region in blocks between numbered tags. The output names two tags and
// rewrites the blocks between them.
import { lineDiff } from '../rules/lineDiff';
import { mark, plain, type EditFormat } from './editFormat';
import type { EditPrompt, EditWindow } from './editWindow';
import { isVisible, type EditEvent } from './editLog';
import { readPart, type Reading } from './rewrite';
import { zetaContext, zetaRegion } from './zetaRegion';

const SUFFIX = '<[fim-suffix]>';
const PREFIX = '<[fim-prefix]>';
const MIDDLE = '<[fim-middle]>';
const FILE = '<filename>';
const CURSOR = '<|user_cursor|>';
const END = '<[end\u2581of\u2581sentence]>';
/** Maximum bytes of all events together. */
const EVENT_BYTES = 6144;
const MAX_EVENTS = 6;
/** Number of lines from which a block ends at a blank line. */
const MIN_BLOCK_LINES = 6;
/** Number of lines from which a block ends at any line that can begin the next block. */
const MAX_BLOCK_LINES = 16;
/** Number of lines to try as the start of a block. */
const LOOK_AHEAD = 5;
/** Matches blank lines, and lines that close or leave a block of code, and so belong to the lines above. */
const BAD_START = /^\s*(?:$|[}\])]|(?:break|continue|return|throw|end);*\s*$)/;
const TAG = /<\|marker_(\d+)\|>/g;
const FIRST_TAG = /^\s*<\|marker_(\d+)\|>/;
/** Spellings of the tags. No region needs more: its limit of tokens allows fewer blocks of MIN_BLOCK_LINES lines. */
const TAGS = Array.from({ length: 64 }, (_, i) => tag(i + 1));

export const zeta21: EditFormat = {
  name: 'zeta-2.1',
  suits: (model) => /zeta-?2\.1/i.test(model),
  required: [SUFFIX, PREFIX, MIDDLE, END],
  marks: [SUFFIX, PREFIX, MIDDLE, END, CURSOR, '<|marker_'],
  stops: [END],
  spelled: [...TAGS, CURSOR],
  span: (lines, cursor) => zetaRegion(lines, cursor.line),
  render: (prompt) => {
    const { path, lines, window, events, cursor } = prompt;
    const context = zetaContext(lines, window, cursor.line);
    const after = lines.slice(window.to, context.to);
    const before = lines.slice(context.from, window.from);
    const history = newest(events.filter(isVisible)).join('');
    return [
      mark(SUFFIX),
      // The line break before these lines is not a part of the region.
      plain(withFinalBreak(`\n${after.join('\n')}`)),
      mark(PREFIX),
      ...(history === '' ? [] : [mark(FILE), plain(`edit_history\n${history}\n`)]),
      mark(FILE),
      plain(`${path}\n${before.map((line) => `${line}\n`).join('')}`),
      ...regionParts(prompt),
      mark(MIDDLE),
    ];
  },
  read: readTagged,
};

function regionParts({ cursor, window }: EditPrompt) {
  const { lines, from, hasFinalBreak } = window;
  const starts = blockStarts(window);
  const parts = lines.flatMap((line, i) => {
    const block = starts.indexOf(i);
    const opening = block < 0 ? [] : [mark(tag(block + 1))];
    const text = i < lines.length - 1 || hasFinalBreak ? `${line}\n` : line;
    if (i !== cursor.line - from) return [...opening, plain(text)];
    const { character } = cursor;
    // A cursor between two blocks belongs to the upper one.
    if (character === 0 && block > 0) return [mark(CURSOR), ...opening, plain(text)];
    return [...opening, plain(text.slice(0, character)), mark(CURSOR), plain(text.slice(character))];
  });
  return [...parts, mark(`${tag(starts.length + 1)}\n`)];
}

/** Returns the index of the first line of each block. */
function blockStarts({ lines, hasFinalBreak }: EditWindow): readonly number[] {
  const starts = [0];
  // Zed does not count an empty last line without a line break.
  const end = !hasFinalBreak && lines.at(-1) === '' ? lines.length - 1 : lines.length;
  for (let line = 1; line < end; line += 1) {
    const size = line - (starts.at(-1) ?? 0);
    const isParagraph = lines[line - 1]?.trim() === '' && lines[line]?.trim() !== '';
    const start = goodStart(lines.slice(0, end), line);
    const isSoft = isParagraph && size >= MIN_BLOCK_LINES && end - start >= MIN_BLOCK_LINES;
    if (!isSoft && size < MAX_BLOCK_LINES) continue;
    starts.push(start);
    line = start;
  }
  return starts;
}

/** Returns the first of a few lines that can begin a block; `line` itself if none can. */
function goodStart(lines: readonly string[], line: number): number {
  const ahead = lines.slice(line, line + LOOK_AHEAD).findIndex((text) => !BAD_START.test(text));
  return line + Math.max(0, ahead);
}

function readTagged(output: string, window: EditWindow, isEnded: boolean): Reading {
  const [opening = '', first] = FIRST_TAG.exec(output) ?? [];
  if (first === undefined)
    // No tag is longer than CURSOR, so a longer output without one does not begin with a tag.
    return isEnded || output.length > CURSOR.length
      ? { kind: 'refused', reason: 'no marker' }
      : { kind: 'open' };
  const starts = [...blockStarts(window), window.lines.length];
  const body = output.slice(opening.length).replaceAll(CURSOR, '');
  const from = starts[Number(first) - 1];
  const last = [...body.matchAll(TAG)].at(-1);
  const to = last === undefined ? undefined : starts[Number(last[1]) - 1];
  // The same tag at both ends means that no block changes.
  if (isEnded && last?.[1] === first) return { kind: 'same' };
  if (from === undefined || (isEnded && (to === undefined || to <= from)))
    return { kind: 'refused', reason: 'markers in a wrong order' };
  const text = (isEnded ? body.slice(0, last?.index) : body).replace(TAG, '');
  if (!isEnded) return readPart(window, { from }, text, false);
  return readPart(window, { from, to }, withRegionBreak(text, window, to), true);
}

/**
 * Adds the line break that the output lacks after an empty last line of a region without a final line break: one at the
 * end of the output belongs to the line before. `to` is the line after the rewritten ones.
 */
function withRegionBreak(text: string, { lines, hasFinalBreak }: EditWindow, to: number | undefined): string {
  return to === lines.length && !hasFinalBreak && lines.at(-1) === '' ? `${text}\n` : text;
}

/** Returns the newest events that fit, oldest first, as unified diffs. */
function newest(events: readonly EditEvent[]): readonly string[] {
  let room = EVENT_BYTES;
  const texts: string[] = [];
  for (const event of events.toReversed().slice(0, MAX_EVENTS)) {
    const text = unifiedDiff(event);
    room -= Buffer.byteLength(text);
    if (room < 0) break;
    texts.unshift(text);
  }
  return texts;
}

function unifiedDiff({ path, line, before, after, isPrediction }: EditEvent): string {
  let grown = 0;
  const hunks = lineDiff(before, after).map(({ at, removed, added }) => {
    const header = `@@ -${range(line + at, removed)} +${range(line + at + grown, added.length)} @@`;
    grown += added.length - removed;
    const old = before.slice(at, at + removed);
    return [header, ...old.map((text) => `-${text}`), ...added.map((text) => `+${text}`), ''].join('\n');
  });
  const accepted = isPrediction ? '// User accepted prediction:\n' : '';
  return `${accepted}--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

/** Formats a range of lines for the header of a hunk. A range without lines names the line before it. */
function range(line: number, count: number): string {
  const start = String(count === 0 ? line : line + 1);
  return count === 1 ? start : `${start},${String(count)}`;
}

function withFinalBreak(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function tag(number: number): string {
  return `<|marker_${String(number)}|>`;
}
