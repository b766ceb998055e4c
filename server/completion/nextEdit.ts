// The next edit: another place in the file where what the user has just changed may be changed alike. Goes by the words
// of recent edits alone; a wrong hint costs more than none, so one edit is a pattern only if its surroundings agree.
import { bracketsIn } from './brackets';
import type { DocumentSnapshot } from './context';
import type { RecentEdits, TextChange } from './edits';
import { agreement, beside, EDGE, tokensOf, type LineChange, type Token } from './lineChange';

/** In a longer text, looking takes too long for something that nobody has asked for. */
const LONGEST_TEXT = 400_000;
const LONGEST_LINE = 1000;
/** Places of a name that are looked at, until one is not in a comment or a string. */
const MOST_TRIES = 20;
/** Of an expression in a template. */
const LONGEST_FILLED = 200;
/** Tokens beside two edits that have to be the same, where words are replaced and where only signs are, or nothing. */
const FOR_WORDS = 2;
const FOR_SIGNS = 5;
const WORD = /[\p{L}\p{N}_$]/u;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const KEYWORDS = new Set(
  `abstract and any as async await boolean break case catch class const continue def default delete do elif else enum
  export extends false finally for from function if implements import in instanceof interface is lambda let new not null
  None number or pass private protected public raise readonly return self static string super switch this throw true
  try True False type typeof undefined var void while with yield int str float bool`.split(/\s+/),
);

/** How many tokens on each side have to be those of the edit. */
interface Pattern {
  readonly change: LineChange;
  readonly left: number;
  readonly right: number;
  /** Whether one edit is enough, as it gives something a new name: only code is meant then. */
  readonly isRename: boolean;
}

/** The nearest place behind the last edit, else the first one in the document. */
export function nextEdit(
  { changes, offset }: RecentEdits,
  { text, languageId }: Pick<DocumentSnapshot, 'text' | 'languageId'>,
): TextChange | undefined {
  const change = changes.at(-1);
  if (change === undefined || text.length > LONGEST_TEXT) return undefined;
  const pattern = patternOf(change, changes.slice(0, -1), text);
  if (pattern === undefined) return undefined;
  if (pattern.isRename && !isCode(text, offset, languageId)) return undefined;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  let tries = 0;
  for (const place of behindThenBefore(text, lineStart, offset, pattern)) {
    if (!pattern.isRename || isCode(text, place.start, languageId)) return place;
    if (++tries === MOST_TRIES) return undefined;
  }
  return undefined;
}

/** Whether a place is not in a comment or a string, unless that is filled in there. */
function isCode(text: string, at: number, languageId: string): boolean {
  const before = text.slice(0, at);
  if (/\$\{[^}\n]*$/.test(before.slice(-LONGEST_FILLED))) return true;
  // A bracket there counts only where brackets are code.
  const marked = `${before}(${/^.*/.exec(text.slice(at))?.[0] ?? ''}`;
  return bracketsIn(marked, languageId).some((bracket) => bracket.at === at);
}

function* behindThenBefore(
  text: string,
  lineStart: number,
  offset: number,
  pattern: Pattern,
): Generator<TextChange> {
  for (const place of placesIn(text, lineStart, text.length, pattern)) if (place.start >= offset) yield place;
  for (const place of placesIn(text, 0, offset, pattern)) if (place.end <= offset) yield place;
}

/** A single edit is a pattern if it renames something; any other has to be made twice. */
function patternOf(change: LineChange, earlier: readonly LineChange[], text: string): Pattern | undefined {
  const same = earlier.findLast((each) => each.old === change.old && each.new === change.new);
  const isRename = same === undefined;
  if (isRename) return isNewName(change, text) ? { change, left: 0, right: 0, isRename } : undefined;
  const [left, right] = [agreement(change.left, same.left), agreement(change.right, same.right)];
  const isEnough = isNameForName(change) || left + right >= (WORD.test(change.old) ? FOR_WORDS : FOR_SIGNS);
  return isEnough ? { change, left, right, isRename } : undefined;
}

function isNameForName({ old, new: name }: LineChange): boolean {
  return [old, name].every((each) => NAME.test(each) && !KEYWORDS.has(each));
}

/** Whether a name has become one that stands nowhere else. */
function isNewName(change: LineChange, text: string): boolean {
  if (!isNameForName(change)) return false;
  const { new: name } = change;
  const first = wordAt(text, name, 0);
  return first >= 0 && wordAt(text, name, first + 1) < 0;
}

/** Where `word` stands as a whole word, from an offset on; -1 if nowhere. */
function wordAt(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1))
    if (isWhole(text, at, at + word.length)) return at;
  return -1;
}

/** Whether no word goes on beyond either end. */
function isWhole(text: string, start: number, end: number): boolean {
  return ![start, end].some((at) => /^[\p{L}\p{N}_$]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1)));
}

/** In order. `from` is the start of a line. */
function* placesIn(text: string, from: number, to: number, pattern: Pattern): Generator<TextChange> {
  for (let start = from; start < to;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).replace(/\r$/, '');
    // Most lines need not be taken apart.
    if (line.length <= LONGEST_LINE && line.includes(pattern.change.old || mainNeighbour(pattern)))
      for (const place of placesInLine(line, pattern))
        yield { start: start + place.start, end: start + place.end, text: pattern.change.new };
    start = end + 1;
  }
}

/** A token that stands beside each place of an insertion; empty if any may. */
function mainNeighbour({ change: { left, right }, ...pattern }: Pattern): string {
  if (pattern.left > 0 && left[0] !== EDGE) return left[0] ?? '';
  return pattern.right > 0 && right[0] !== EDGE ? (right[0] ?? '') : '';
}

function* placesInLine(line: string, pattern: Pattern): Generator<Pick<TextChange, 'start' | 'end'>> {
  const { change } = pattern;
  const tokens = tokensOf(line);
  for (const { start, end } of change.old === '' ? gaps(tokens, change) : finds(line, change.old)) {
    const left = beside(tokens.filter((token) => token.end <= start).reverse());
    const right = beside(tokens.filter((token) => token.start >= end));
    const agreeing = [agreement(change.left, left), agreement(change.right, right)] as const;
    if (fits(pattern, agreeing, left) && !isDone(line, start, end, change)) yield { start, end };
  }
}

function fits(
  { change, left, right, isRename }: Pattern,
  [onLeft, onRight]: readonly [number, number],
  beforePlace: readonly string[],
): boolean {
  if (onLeft < left || onRight < right) return false;
  return !isRename || (change.left[0] === '.') === (beforePlace[0] === '.');
}

/** Where an insertion may go: directly behind each token, or before it. */
function gaps(tokens: readonly Token[], { anchor }: LineChange): Pick<TextChange, 'start' | 'end'>[] {
  return tokens.map(({ start, end }) => {
    const at = anchor === 'left' ? end : start;
    return { start: at, end: at };
  });
}

function* finds(line: string, old: string): Generator<Pick<TextChange, 'start' | 'end'>> {
  for (let start = line.indexOf(old); start >= 0; start = line.indexOf(old, start + 1)) {
    const end = start + old.length;
    if (isWhole(line, start, end)) yield { start, end };
  }
}

/** Whether what the edit made is there already. */
function isDone(line: string, start: number, end: number, { old, new: text }: LineChange): boolean {
  if (text === '') return false;
  const before = line.slice(0, start);
  if (old === '')
    return before.trimEnd().endsWith(text.trim()) || line.slice(end).trimStart().startsWith(text.trim());
  const at = start - text.indexOf(old);
  return text.includes(old) && line.startsWith(text, Math.max(0, at));
}
