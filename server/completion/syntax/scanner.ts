// A scanner that tells what is open at a place in a source text: brackets, strings and comments, each within the one before
// it. Reads characters, not grammar: exact for common languages and harmless for the rest.
import { lexicalRules, NEVER, type LexicalRules, type Region } from './lexicalRules';

export interface Open {
  /** Where it begins and ends in the text. */
  readonly at: number;
  readonly end: number;
  readonly closer: string;
  /** field: code within a string; prose: a bracket in a string, a comment or a text, where it means nothing. */
  readonly kind: 'bracket' | 'field' | 'prose' | Region['kind'];
  readonly region?: Region | undefined;
}

export interface LexicalEvent {
  readonly at: number;
  readonly end: number;
  /**
   * - closed: an opener from before the place where events begin
   * - stray: a bracket without its opener, or a quote right behind a value
   * - mismatch: a bracket whose opener is not the last one
   * - broken: a string that the end of its line ends
   */
  readonly kind: 'closed' | 'stray' | 'mismatch' | 'broken';
  readonly opened?: Open | undefined;
}

export interface Scan {
  /** Outermost first. */
  readonly open: readonly Open[];
  readonly events: readonly LexicalEvent[];
  /** How many brackets lacked a partner and how many strings were broken, from the start on. */
  readonly faults: number;
}

interface ScanStart {
  readonly from: number;
  /** What is open there. */
  readonly open: readonly Open[];
  /** From where on events are told; `from` by default. */
  readonly eventsFrom?: number;
}

type Place = Pick<Open, 'at' | 'end'>;

/** How to read on. */
interface Mode {
  readonly pattern: RegExp;
  readonly rules: LexicalRules;
  /** The string or comment that is read. */
  readonly text: Open | undefined;
  /** The same, or the element whose code is read. */
  readonly within: Open | undefined;
}

const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const BRACKET = String.raw`[()[\]{}]`;

/** Reads a text from where it is known what is open; from its start by default. */
export function scan(text: string, languageId: string, start: ScanStart = { from: 0, open: [] }): Scan {
  const scanner = new Scanner(text, languageId, start);
  for (let at = start.from; at < text.length;) at = scanner.step(at);
  return scanner;
}

/** Whether what it holds is text, and not code. */
export function isText({ kind }: Open): boolean {
  return kind === 'string' || kind === 'comment' || kind === 'lineComment';
}

class Scanner implements Scan {
  readonly open: Open[];
  readonly events: LexicalEvent[] = [];
  faults = 0;
  readonly #eventsFrom: number;
  /** Known until something begins or ends that is not a bracket. */
  #mode: Mode | undefined;

  constructor(
    private readonly text: string,
    private readonly languageId: string,
    { from, open, eventsFrom = from }: ScanStart,
  ) {
    this.open = [...open];
    this.#eventsFrom = eventsFrom;
  }

  /** Reads up to the end of the next thing that matters, and returns where that is. */
  step(from: number): number {
    const { pattern, rules, text, within } = (this.#mode ??= this.#modeHere());
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    if (match === null) return this.text.length;
    const found = match[0];
    const at = match.index;
    const place = { at, end: at + found.length };
    const last = match.length - 1;
    if (match[last] !== undefined) this.#bracket(place, found, rules, text !== undefined);
    else if (found === '\n') this.#endLine(place, text);
    else if (match[1] !== undefined && within) this.#close(place, this.open.lastIndexOf(within));
    else {
      let group = 2;
      while (group < last && match[group] === undefined) group += 1;
      if (group < last) this.#begin(place, found, text ? undefined : rules.regions[group - 2]);
    }
    return Math.max(place.end, from + 1);
  }

  #modeHere(): Mode {
    const inner = this.open.findLast(({ kind }) => kind !== 'prose');
    const text = inner && isText(inner) ? inner : undefined;
    const within = text ?? this.open.findLast(({ kind }) => kind === 'embedded');
    const rules = lexicalRules(within?.region?.languageId ?? this.languageId);
    return { text, within, rules, pattern: text ? textPattern(text) : codePattern(rules, within?.closer) };
  }

  #begin(place: Place, found: string, region: Region | undefined): void {
    if (region?.kind === 'string' && found !== '`' && this.#isBehindValue(place.at))
      this.#tell({ ...place, kind: 'stray' }, 1);
    this.#mode = undefined;
    const closer = region ? region.closer(found) : (CLOSERS[found.at(-1) ?? ''] ?? '');
    this.open.push(opener(place, region?.kind ?? 'field', closer, region));
  }

  /** Where no string can begin, as nothing lies between it and a name, a number or a bracket. */
  #isBehindValue(at: number): boolean {
    const { values } = (this.#mode ?? this.#modeHere()).rules;
    return values?.test(this.text.slice(Math.max(0, at - 12), at)) === true;
  }

  #close(place: Place, index: number): void {
    const opened = this.open[index];
    // What is open within an element has no partner beyond it.
    for (let inner = index + 1; inner < this.open.length; inner += 1)
      if (this.open[inner]?.kind !== 'prose') this.faults += 1;
    this.#drop(index);
    if (opened?.kind !== 'bracket') this.#mode = undefined;
    if (opened && opened.at < this.#eventsFrom) this.#tell({ ...place, kind: 'closed', opened }, 0);
  }

  /** What is prose does not go on in the next line, so that a smiley has no effect there. */
  #endLine(place: Place, text: Open | undefined): void {
    while (this.open.at(-1)?.kind === 'prose') this.open.pop();
    if (text?.region?.oneLine !== true) return;
    this.open.pop();
    this.#mode = undefined;
    if (text.kind === 'string') this.#tell({ ...place, kind: 'broken', opened: text }, 1);
  }

  #bracket(place: Place, character: string, rules: LexicalRules, inText: boolean): void {
    const isProse = inText || rules.isProse === true;
    const closer = CLOSERS[character];
    if (closer !== undefined) {
      this.open.push(opener(place, isProse ? 'prose' : 'bracket', closer));
      return;
    }
    const top = this.open.length - 1;
    if (isProse) {
      if (this.open[top]?.kind === 'prose' && this.open[top].closer === character) this.#close(place, top);
      return;
    }
    let index = top;
    while (this.open[index]?.kind === 'bracket' && this.open[index]?.closer !== character) index -= 1;
    const opened = this.open[index];
    if (opened?.closer !== character || (opened.kind !== 'bracket' && opened.kind !== 'field')) {
      if (rules.hasLooseClosers !== true) this.#tell({ ...place, kind: 'stray' }, 1);
    } else if (index === top) this.#close(place, index);
    else {
      this.#drop(index);
      this.#mode = undefined;
      this.#tell({ ...place, kind: 'mismatch', opened }, top - index);
    }
  }

  /** Popping keeps the array's memory, as setting its length would not. */
  #drop(index: number): void {
    while (this.open.length > index) this.open.pop();
  }

  #tell(event: LexicalEvent, faults: number): void {
    this.faults += faults;
    if (event.at >= this.#eventsFrom) this.events.push(event);
  }
}

/** Always of one shape, as thousands are made for each key. */
function opener({ at, end }: Place, kind: Open['kind'], closer: string, region?: Region): Open {
  return { at, end, kind, closer, region };
}

/** By rules or region, and by what ends them. */
const patterns = new WeakMap<object, Map<string, RegExp>>();

function pattern(owner: object, end: string, alternatives: (ends: string) => readonly string[]): RegExp {
  const known = patterns.get(owner) ?? new Map<string, RegExp>();
  patterns.set(owner, known);
  const found = known.get(end) ?? new RegExp(alternatives(literal(end)).join('|'), 'gmu');
  known.set(end, found);
  return found;
}

/** Finds what matters in code: group 1 ends it, the last one is a bracket, and those between begin the regions. */
function codePattern(rules: LexicalRules, end = ''): RegExp {
  const { regions, atoms = [], isProse } = rules;
  const opens = regions.map((region) => `(${region.opens})`);
  const line = isProse ? ['\n'] : [];
  return pattern(rules, end, (ends) => [`(${ends})`, ...atoms, ...opens, `(${BRACKET})`, ...line]);
}

/** Finds what matters in a string or a comment: group 1 ends it, 2 begins code in it, and 3 is a bracket. */
function textPattern({ closer, region }: Open): RegExp {
  const { skipped = NEVER, field = NEVER } = region ?? {};
  return pattern(region ?? patterns, closer, (ends) => [
    skipped,
    `(${ends})`,
    `(${field})`,
    '\n',
    `(${BRACKET})`,
  ]);
}

/** The pattern of a closer, which never matches if there is none. A closer on a line of its own may be indented. */
function literal(closer: string): string {
  if (closer === '') return NEVER;
  return closer.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/^\n/, '^[ \\t]*');
}
