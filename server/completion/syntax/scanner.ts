// Scans a source text for delimiters: finds the brackets, strings and comments that it leaves open, and its faults,
// such as unmatched delimiters. Uses patterns of strings and comments, but no grammar of the language.
import { lexicalRules, NEVER, type LexicalRules, type Region } from './lexicalRules';

/** Offsets of the start and the end of a delimiter. */
interface Range {
  readonly at: number;
  readonly end: number;
}

/** An opener that is not closed yet. */
export interface Open extends Range {
  readonly closer: string;
  /** field: code within a string; prose: a bracket in a string, a comment or prose, where it has no meaning. */
  readonly kind: 'bracket' | 'field' | 'prose' | Region['kind'];
  readonly region?: Region | undefined;
}

/** The opener of a region that holds text instead of code. */
interface OpenText extends Open {
  readonly region: Region;
}

export interface LexicalEvent extends Range {
  /**
   * - closed: a closer of an opener from before `eventsFrom`
   * - stray: a bracket without an opener, or a quote directly after a value
   * - mismatch: a bracket whose opener is not the innermost one
   * - broken: a string that ends with its line, unclosed
   */
  readonly kind: 'closed' | 'stray' | 'mismatch' | 'broken';
  readonly opened?: Open | undefined;
}

export interface Scan {
  /** Outermost first. */
  readonly open: readonly Open[];
  readonly events: readonly LexicalEvent[];
  /** Number of unmatched delimiters, of quotes directly after a value, and of broken strings, since the scan began. */
  readonly faults: number;
}

interface ScanStart {
  /** Offset at which the scan starts. */
  readonly from: number;
  /** Delimiters open at `from`, outermost first. */
  readonly open: readonly Open[];
  /** Offset of the first event to report; `from` by default. */
  readonly eventsFrom?: number;
}

/** The pattern to scan with, until a string, a comment or embedded code begins or ends. */
interface Mode {
  readonly pattern: RegExp;
  readonly rules: LexicalRules;
  /** The string or comment that is scanned; undefined in code. */
  readonly text: OpenText | undefined;
  /** `text` in a string or a comment; in code, the innermost region of embedded code, if any. */
  readonly within: Open | undefined;
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const BRACKET = String.raw`[()[\]{}]`;
/** Characters before a quote that show whether a value ends there: more than the longest keyword has. */
const VALUE_REACH = 12;

/** Returns whether a delimiter holds text instead of code. */
export function isText(open: Open): open is OpenText {
  const { kind } = open;
  return kind === 'string' || kind === 'comment' || kind === 'lineComment';
}

/** Returns whether a delimiter needs a closer: a line comment does not, nor a bracket without meaning (`prose`). */
export function mustClose({ kind }: Open): boolean {
  return kind !== 'prose' && kind !== 'lineComment';
}

class Scanner implements Scan {
  readonly open: Open[];
  readonly events: LexicalEvent[] = [];
  faults = 0;
  readonly #eventsFrom: number;
  /** Undefined after a string, a comment or embedded code has begun or ended. */
  #mode: Mode | undefined;

  constructor(
    private readonly text: string,
    private readonly languageId: string,
    { from, open, eventsFrom = from }: ScanStart,
  ) {
    this.open = [...open];
    this.#eventsFrom = eventsFrom;
  }

  /** Scans up to the end of the next delimiter or line end, and returns that offset. */
  step(from: number): number {
    const { pattern, rules, text, within } = (this.#mode ??= this.#modeHere());
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    if (match === null) return this.text.length;
    const found = match[0];
    const at = match.index;
    const bracketGroup = match.length - 1;
    // The closer of embedded code can be, or begin with, that of a bracket in it.
    const isInner = match[1] !== undefined && this.#closesInner(match[1].charAt(0));
    const range = { at, end: isInner ? at + 1 : at + found.length };
    if (isInner) this.#bracket(range, found.charAt(0), rules, false);
    else if (match[bracketGroup] !== undefined) this.#bracket(range, found, rules, text !== undefined);
    else if (found === '\n') this.#endLine(range, text);
    else if (match[1] !== undefined && within) this.#close(range, this.open.lastIndexOf(within));
    else {
      // In code, the groups from 2 on begin the regions, in order; in text, group 2 begins a field.
      let group = 2;
      while (group < bracketGroup && match[group] === undefined) group += 1;
      if (group < bracketGroup) this.#begin(range, found, text ? undefined : rules.regions[group - 2]);
    }
    return Math.max(range.end, from + 1);
  }

  /** Returns whether a character closes the innermost open delimiter, and that is a bracket or a field. */
  #closesInner(character: string): boolean {
    const inner = this.open.at(-1);
    return (inner?.kind === 'bracket' || inner?.kind === 'field') && inner.closer === character;
  }

  /** Returns the mode for the delimiters that are open now. */
  #modeHere(): Mode {
    const inner = this.open.findLast(({ kind }) => kind !== 'prose');
    const text = inner && isText(inner) ? inner : undefined;
    const within = text ?? this.open.findLast(({ kind }) => kind === 'embedded');
    const rules = lexicalRules(within?.region?.languageId ?? this.languageId);
    return { text, within, rules, pattern: text ? textPattern(text) : codePattern(rules, within?.closer) };
  }

  /** Begins a string, a comment, embedded code, or a field within a string. */
  #begin(range: Range, found: string, region: Region | undefined): void {
    if (region?.kind === 'string' && found !== '`' && this.#isAfterValue(range.at))
      this.#report({ ...range, kind: 'stray' }, 1);
    this.#mode = undefined;
    const closer = region ? region.closer(found) : (CLOSERS[found.at(-1) ?? ''] ?? '');
    this.open.push(opener(range, region?.kind ?? 'field', closer, region));
  }

  /** Returns whether a name, a number or a bracket is directly before an offset, where no string can begin. */
  #isAfterValue(at: number): boolean {
    const { values } = (this.#mode ?? this.#modeHere()).rules;
    return values?.test(this.text.slice(Math.max(0, at - VALUE_REACH), at)) === true;
  }

  /** Closes the delimiter at `index` of `open`. */
  #close(range: Range, index: number): void {
    const opened = this.open[index];
    // Delimiters that are open at the end of embedded code stay unmatched.
    for (let inner = index + 1; inner < this.open.length; inner += 1)
      if (this.open[inner]?.kind !== 'prose') this.faults += 1;
    this.#drop(index);
    if (opened?.kind !== 'bracket') this.#mode = undefined;
    if (opened && opened.at < this.#eventsFrom) this.#report({ ...range, kind: 'closed', opened }, 0);
  }

  /** Ends strings of one line, and brackets in prose: they end with their line, so a stray ":)" stays harmless. */
  #endLine(range: Range, text: OpenText | undefined): void {
    while (this.open.at(-1)?.kind === 'prose') this.open.pop();
    if (text?.region.oneLine !== true) return;
    this.open.pop();
    this.#mode = undefined;
    if (text.kind === 'string') this.#report({ ...range, kind: 'broken', opened: text }, 1);
  }

  /** Opens or closes a bracket. */
  #bracket(range: Range, character: string, rules: LexicalRules, inText: boolean): void {
    const isProse = inText || rules.isProse === true;
    const closer = CLOSERS[character];
    if (closer !== undefined) {
      this.open.push(opener(range, isProse ? 'prose' : 'bracket', closer));
      return;
    }
    const top = this.open.length - 1;
    if (isProse) {
      if (this.open[top]?.kind === 'prose' && this.open[top].closer === character) this.#close(range, top);
      return;
    }
    let index = top;
    while (this.open[index]?.kind === 'bracket' && this.open[index]?.closer !== character) index -= 1;
    const opened = this.open[index];
    if (opened?.closer !== character || (opened.kind !== 'bracket' && opened.kind !== 'field')) {
      if (rules.hasLooseClosers !== true) this.#report({ ...range, kind: 'stray' }, 1);
    } else if (index === top) this.#close(range, index);
    else {
      this.#drop(index);
      this.#mode = undefined;
      this.#report({ ...range, kind: 'mismatch', opened }, top - index);
    }
  }

  /** Closes all delimiters from `index` on. Popping keeps the array's memory; setting its length would not. */
  #drop(index: number): void {
    while (this.open.length > index) this.open.pop();
  }

  /** Adds faults, and keeps the event unless it is before `eventsFrom`. */
  #report(event: LexicalEvent, faults: number): void {
    this.faults += faults;
    if (event.at >= this.#eventsFrom) this.events.push(event);
  }
}

/** Creates an open delimiter; always of one shape, as thousands are made for each key press. */
function opener({ at, end }: Range, kind: Open['kind'], closer: string, region?: Region): Open {
  return { at, end, kind, closer, region };
}

/** Compiled patterns, by owner and closer. Code belongs to its rules, text to its region. */
const patterns = new WeakMap<LexicalRules | Region, Map<string, RegExp>>();

/** Returns the compiled pattern of an owner and a closer. `alternatives` is called with the closer's pattern. */
function compiledPattern(
  owner: LexicalRules | Region,
  closer: string,
  alternatives: (closes: string) => readonly string[],
): RegExp {
  const compiled = patterns.get(owner) ?? new Map<string, RegExp>();
  patterns.set(owner, compiled);
  const found = compiled.get(closer) ?? new RegExp(alternatives(closerPattern(closer)).join('|'), 'gmu');
  compiled.set(closer, found);
  return found;
}

/**
 * Returns a pattern of delimiters in code: group 1 ends the code, the last group is a bracket, and those between begin
 * the regions.
 */
function codePattern(rules: LexicalRules, closer = ''): RegExp {
  const { regions, atoms = [], isProse } = rules;
  const opens = regions.map((region) => `(${region.opens})`);
  const line = isProse ? ['\n'] : [];
  return compiledPattern(rules, closer, (closes) => [
    `(${closes})`,
    ...atoms,
    ...opens,
    `(${BRACKET})`,
    ...line,
  ]);
}

/** Returns a pattern of delimiters in a string or comment: group 1 ends it, 2 begins code in it, and 3 is a bracket. */
function textPattern({ closer, region }: OpenText): RegExp {
  const { skipped = NEVER, field = NEVER } = region;
  return compiledPattern(region, closer, (closes) => [
    skipped,
    `(${closes})`,
    `(${field})`,
    '\n',
    `(${BRACKET})`,
  ]);
}

/** Returns the pattern of a closer; one that never matches for ''. A closer on its own line can be indented. */
function closerPattern(closer: string): string {
  if (closer === '') return NEVER;
  return closer.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/^\n/, '^[ \\t]*');
}

/** Scans a text from an offset at which the open delimiters are known; from its start by default. */
export function scan(text: string, languageId: string, start: ScanStart = { from: 0, open: [] }): Scan {
  const scanner = new Scanner(text, languageId, start);
  for (let at = start.from; at < text.length;) at = scanner.step(at);
  return scanner;
}

/** Counts the faults of `after`, and the delimiters that it leaves open. `open` are those open at the end of `head`. */
export function countFaults(head: string, open: readonly Open[], after: string, languageId: string): number {
  const rest = scan(head + after, languageId, { from: head.length, open });
  return rest.faults + rest.open.filter(mustClose).length;
}
