// Zed's format for Zeta 2.1 (V0318). The window is called a region there. A prompt has the text after the region, then
// the events and the text before it, then the region in blocks between numbered tags. The output names two tags and
// rewrites the blocks between them.
import { lineDiff } from '../rules/lineDiff';
import { mark, plain, type EditFormat } from './editFormat';
import type { EditPrompt, EditWindow, Span } from './editWindow';
import { isVisible, type EditEvent } from './editLog';
import { readRewrite, type Reading } from './rewrite';
import type { Place } from './textEdit';

const [SUFFIX, PREFIX, MIDDLE] = ['<[fim-suffix]>', '<[fim-prefix]>', '<[fim-middle]>'];
const FILE = '<filename>';
const CURSOR = '<|user_cursor|>';
const END = '<[end\u2581of\u2581sentence]>';
/**
 * Maximum bytes of the region, of the text on each side of it, and of all events. Zed counts three bytes as a token.
 */
const [REGION_BYTES, AROUND_BYTES, EVENT_BYTES] = [1050, 450, 6144];
const MAX_EVENTS = 6;
const MAX_TOKENS = 1024;
/** Lines of a block: the minimum at which a blank line can end it, and the maximum. */
const [MIN_BLOCK_LINES, MAX_BLOCK_LINES] = [6, 16];
/** Number of further lines to try as the start of a block if it would begin with `BAD_START`. */
const LOOK_AHEAD = 5;
/** Matches lines that close or leave a block of code, and so belong to the lines above. */
const BAD_START = /^\s*(?:[}\])]|(?:break|continue|return|throw|end);?\s*$)/;
const TAG = /<\|marker_(\d+)\|>/g;
const FIRST_TAG = /^\s*<\|marker_(\d+)\|>/;
/** Spellings of the tags. A region has far fewer blocks. */
const TAGS = Array.from({ length: 40 }, (_, i) => tag(i + 1));

export const zeta21: EditFormat = {
  name: 'zeta-2.1',
  suits: (model) => /zeta-?2\.1/i.test(model),
  required: [SUFFIX, PREFIX, MIDDLE, END],
  marks: [SUFFIX, PREFIX, MIDDLE, END, CURSOR, '<|marker_'],
  stops: [END],
  spelled: [...TAGS, CURSOR],
  maxTokens: MAX_TOKENS,
  span,
  render: (prompt) => {
    const { path, lines, window, events } = prompt;
    const after = textAfter(lines, window.to);
    return [
      mark(SUFFIX),
      plain(after),
      mark(`${PREFIX}${FILE}`),
      plain(`edit_history\n${newest(events.filter(isVisible)).join('')}\n`),
      mark(FILE),
      plain(`${path}\n${textBefore(lines, window.from)}`),
      ...regionParts(prompt),
      mark(MIDDLE),
    ];
  },
  read: readTagged,
};

/** Returns the region: grows it line by line on both sides of the cursor until its bytes are used up. */
function span(lines: readonly string[], cursor: Place): Span {
  const end = lines.at(-1) === '' && cursor.line < lines.length - 1 ? lines.length - 1 : lines.length;
  let [from, to] = [cursor.line, cursor.line + 1];
  let room = REGION_BYTES - bytesOf(lines[from]);
  for (let isStuck = false; !isStuck;) {
    isStuck = true;
    if (to < end && bytesOf(lines[to]) <= room)
      [room, to, isStuck] = [room - bytesOf(lines[to]), to + 1, false];
    if (from > 0 && bytesOf(lines[from - 1]) <= room)
      [room, from, isStuck] = [room - bytesOf(lines[from - 1]), from - 1, false];
  }
  return { from, to };
}

function regionParts({ lines, cursor, window }: EditPrompt) {
  const starts = blockStarts(window.lines);
  const parts = window.lines.flatMap((line, i) => {
    const block = starts.indexOf(i);
    const opening = block < 0 ? [] : [mark(tag(block + 1))];
    const isLast = i === window.lines.length - 1;
    const lineEnd = isLast && window.to >= lines.length ? '' : '\n';
    if (i !== cursor.line - window.from) return [...opening, plain(line + lineEnd)];
    const [before, after] = [line.slice(0, cursor.character), line.slice(cursor.character)];
    return [...opening, plain(before), mark(CURSOR), plain(after + lineEnd)];
  });
  return [...parts, mark(`${tag(starts.length + 1)}\n`)];
}

/** Returns the index of the first line of each block. */
function blockStarts(lines: readonly string[]): readonly number[] {
  const starts = [0];
  const isBlank = (line: string | undefined): boolean => line?.trim() === '';
  for (let line = 1; line < lines.length; line += 1) {
    const size = line - (starts.at(-1) ?? 0);
    const isParagraph = isBlank(lines[line - 1]) && !isBlank(lines[line]);
    const isSoft = isParagraph && size >= MIN_BLOCK_LINES && lines.length - line >= MIN_BLOCK_LINES;
    if (!isSoft && size < MAX_BLOCK_LINES) continue;
    const ahead = lines.slice(line, line + LOOK_AHEAD + 1).findIndex((text) => !BAD_START.test(text));
    line += Math.max(0, ahead);
    starts.push(line);
  }
  return starts;
}

function readTagged(output: string, window: EditWindow, isEnded: boolean): Reading {
  const [opening = '', first] = FIRST_TAG.exec(output) ?? [];
  if (first === undefined)
    return isEnded || output.length > opening.length + CURSOR.length
      ? { kind: 'refused', reason: 'no marker' }
      : { kind: 'open' };
  const starts = [...blockStarts(window.lines), window.lines.length];
  const body = output.slice(opening.length).replaceAll(CURSOR, '');
  const [from, last] = [starts[Number(first) - 1], [...body.matchAll(TAG)].at(-1)];
  const to = last === undefined ? undefined : starts[Number(last[1]) - 1];
  // The same tag at both ends means that no block changes.
  if (isEnded && last?.[1] === first) return { kind: 'same' };
  if (from === undefined || (isEnded && (to === undefined || to <= from)))
    return { kind: 'refused', reason: 'markers in a wrong order' };
  const text = (isEnded ? body.slice(0, last?.index) : body).replace(TAG, '');
  const reading = readRewrite(window.lines.slice(from, isEnded ? to : undefined), text, isEnded);
  if (reading.kind !== 'change') return reading;
  return { ...reading, change: { ...reading.change, at: reading.change.at + from } };
}

/** Returns the newest events that fit, oldest first, as unified diffs. */
function newest(events: readonly EditEvent[]): readonly string[] {
  let room = EVENT_BYTES;
  const texts: string[] = [];
  for (const event of events.toReversed().slice(0, MAX_EVENTS)) {
    const text = unifiedDiff(event);
    room -= bytesOf(text);
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

function textBefore(lines: readonly string[], from: number): string {
  let [start, room] = [from, AROUND_BYTES];
  while (start > 0 && (room -= bytesOf(lines[start - 1])) >= 0) start -= 1;
  return lines
    .slice(start, from)
    .map((line) => `${line}\n`)
    .join('');
}

function textAfter(lines: readonly string[], to: number): string {
  let [end, room] = [to, AROUND_BYTES];
  while (end < lines.length && (room -= bytesOf(lines[end])) >= 0) end += 1;
  const text = lines.slice(to, end).join('\n');
  return text.endsWith('\n') ? text : `${text}\n`;
}

function tag(number: number): string {
  return `<|marker_${String(number)}|>`;
}

function bytesOf(text = ''): number {
  return Buffer.byteLength(text) + 1;
}
