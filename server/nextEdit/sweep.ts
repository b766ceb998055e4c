// Sweep's formats. A prompt has the window before the last change and as it is now; the model writes the new window.
// `sweepOne` follows the model cards of 0.5B and 1.5B, `sweepTwo` that of 7B v2, which adds the file, line numbers and
// a mark at the cursor.
import type { Position } from 'vscode-languageserver/node';
import type { PromptPart } from '../models/text/tokenizer';
import { mark, plain, type EditFormat } from './editFormat';
import { linesAround, type EditPrompt, type EditWindow } from './editWindow';
import { isVisible, type EditEvent } from './editLog';
import { readPart, type Reading } from './rewrite';

const SEPARATOR = '<|file_sep|>';
const CURSOR = '<|cursor|>';
const STOPS = [SEPARATOR, '<|endoftext|>'];
/** Number of lines of the window above and below the cursor's line. */
const REACH = 10;
/** Number of events in a prompt of `sweepOne`, as many as Zed sends. */
const FEW_EVENTS = 3;
/** Number of events in a prompt of `sweepTwo`, as many as Sweep's server sends. */
const MANY_EVENTS = 6;
/** Maximum number of lines of a change. Longer ones are shortened to their first and last lines. */
const MAX_LINES = 40;
const FIRST_LINES = 20;
const LAST_LINES = 19;
/** Number of lines of the file on each side of the cursor. */
const FILE_LINES = 150;
/** The file is cut at multiples of this number of lines, so that the start stays in the prompt cache. */
const FILE_STEP = 25;
/** Length limit of a line outside the window, in changes and in the file. */
const MAX_QUOTED_LENGTH = 600;

const shared = {
  required: STOPS,
  stops: STOPS,
  spelled: [],
  span: (lines: readonly string[], cursor: Position) => linesAround(lines, cursor, REACH, REACH),
};

export const sweepOne: EditFormat = {
  ...shared,
  name: 'sweep',
  suits: (model) => /sweep-next-edit/i.test(model),
  marks: [SEPARATOR],
  render: ({ path, window, events }) => {
    const { lines, original, head } = window;
    const changes = events.filter(isVisible).slice(-FEW_EVENTS);
    const headText = head > 0 ? `\n${lines.slice(0, head).join('\n')}\n` : '';
    return [
      ...changes.flatMap((event) => changeParts(event, `${event.path}.diff`)),
      ...block(`original/${path}`, `${original.join('\n')}\n`),
      ...block(`current/${path}`, `${lines.join('\n')}\n`),
      mark(SEPARATOR),
      plain(`updated/${path}${headText}`),
    ];
  },
  // Without a head the prompt lacks the line break after the header, and with one, some outputs begin with another one.
  read: (output, window, isEnded) => readWindow(output.replace(/^\n/, ''), window, isEnded),
};

export const sweepTwo: EditFormat = {
  ...shared,
  name: 'sweep-v2',
  suits: (model) => /sweep-next-edit-(?:v2|7b)/i.test(model),
  marks: [SEPARATOR, CURSOR],
  render: (prompt) => {
    const { path, cursor, window, events } = prompt;
    const { from, to, lines, original, head } = window;
    const range = `${path}:${String(from + 1)}:${String(to)}`;
    const changes = events.filter(isVisible).slice(-MANY_EVENTS);
    const line = cursor.line - from;
    const above = lines.slice(0, line);
    const below = lines.slice(line + 1);
    const cursorLine = lines[line] ?? '';
    return [
      ...block(path, `${fileAround(prompt)}\n`),
      ...(changes.length === 0
        ? [plain('\n')]
        : changes.flatMap((event) => changeParts(event, lineRange(event)))),
      ...block(`original/${range}`, `${original.join('\n')}\n`),
      mark(SEPARATOR),
      plain(`current/${range}\n${[...above, cursorLine.slice(0, cursor.character)].join('\n')}`),
      mark(CURSOR),
      plain(`${[cursorLine.slice(cursor.character), ...below].join('\n')}\n`),
      ...block(
        `updated/${range}`,
        lines
          .slice(0, head)
          .map((text) => `${text}\n`)
          .join(''),
      ),
    ];
  },
  read: (output, window, isEnded) => {
    // The prompt ends with a line break, and some outputs begin with another one.
    const isBlank = window.lines[window.head] === '';
    return readWindow(isBlank ? output : output.replace(/^\n/, ''), window, isEnded);
  },
};

function readWindow(output: string, window: EditWindow, isEnded: boolean): Reading {
  const old = window.lines.slice(window.head);
  const hasCursor = old.some((line) => line.includes(CURSOR));
  const text = hasCursor ? output : output.replaceAll(CURSOR, '');
  if (text.startsWith('<|') && old[0]?.startsWith('<|') !== true) {
    const canBecomeCursor = !isEnded && CURSOR.startsWith(text);
    return canBecomeCursor ? { kind: 'open' } : { kind: 'refused', reason: 'begins with a mark' };
  }
  return readPart(window, { from: window.head }, text, isEnded);
}

function block(header: string, text: string): PromptPart[] {
  return [mark(SEPARATOR), plain(`${header}\n${text}`)];
}

function changeParts(event: EditEvent, header: string): PromptPart[] {
  const { above, before, after } = event;
  // The line above shows where an insertion or a deletion belongs.
  const context = above !== undefined && (before.length === 0 || after.length === 0) ? [above] : [];
  const text = (lines: readonly string[]): string => shortened([...context, ...lines]).join('\n');
  return block(header, `original:\n${text(before)}\nupdated:\n${text(after)}\n`);
}

function shortened(lines: readonly string[]): readonly string[] {
  const cut = lines.map((line) => line.slice(0, MAX_QUOTED_LENGTH));
  if (cut.length <= MAX_LINES) return cut;
  return [...cut.slice(0, FIRST_LINES), '...', ...cut.slice(-LAST_LINES)];
}

function lineRange({ path, line, after }: EditEvent): string {
  return `${path}:${String(line + 1)}:${String(line + Math.max(1, after.length))}`;
}

/** Returns the lines of the file around the cursor, as many as the prompt has room for. */
function fileAround({ lines, cursor, room }: EditPrompt): string {
  const step = (line: number): number => Math.floor(line / FILE_STEP) * FILE_STEP;
  for (let reach = FILE_LINES; reach >= FILE_STEP; reach -= FILE_STEP) {
    const part = lines.slice(Math.max(0, step(cursor.line - reach)), step(cursor.line + reach) + FILE_STEP);
    const text = part
      .map((line) => line.slice(0, MAX_QUOTED_LENGTH))
      .join('\n')
      .replace(/\n$/, '');
    if (text.length <= room) return text;
  }
  return '';
}
