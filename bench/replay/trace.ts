// Creates traces: the actions of a user in some files, event by event, with pauses. A trace determines the typed text,
// but not which suggestions are accepted, which depends on the server. Pure; the same seed gives the same trace.
import { Rng } from '../rng';
import { gaps, without, type Gap } from './gaps';
import type { EditEvent } from './progress';
import type { SourceText } from './sources';
import { typePassage, type LookEvent } from './typePassage';

export type TraceEvent =
  | EditEvent
  | LookEvent
  | { readonly kind: 'open' | 'close'; readonly document: number; readonly pauseMs: number }
  /** Moves the cursor to a place in an open document, where `text` is then typed. */
  | {
      readonly kind: 'passage';
      readonly document: number;
      readonly offset: number;
      readonly text: string;
      readonly pauseMs: number;
    }
  /** Sends a generate request at the cursor, which runs while the user continues. Its output is not used. */
  | { readonly kind: 'generate'; readonly instruction: string; readonly pauseMs: number };

export interface TraceDocument {
  readonly fileName: string;
  readonly languageId: string;
  /** Texts when the document is opened, and after the last event. */
  readonly start: string;
  readonly end: string;
}

export interface Trace {
  readonly documents: readonly TraceDocument[];
  readonly events: readonly TraceEvent[];
  /** Count of typing keys if nothing is accepted. */
  readonly keys: number;
}

export interface TraceOptions {
  readonly seed: number;
  readonly keys: number;
  /** True to add a generate request now and then. */
  readonly generate: boolean;
}

/** A document while its trace is created. */
interface TypedFile {
  readonly source: SourceText;
  readonly gaps: readonly Gap[];
  /** Gaps that are not yet filled, in the order of the text. */
  readonly missing: Gap[];
  isOpen: boolean;
}

const INSTRUCTION = 'Write a short comment about the code at the cursor.';
/** Probabilities after a gap: that the user goes to another file, and that they send a generate request. */
const SWITCHES = 0.6;
const GENERATES = 0.25;

/** Adds events to a trace until it has the requested number of keys. */
class TraceWriter {
  readonly #rng: Rng;
  readonly #events: TraceEvent[] = [];
  /** Each time that a file is typed, with other gaps. The index is the number of the document. */
  readonly #typedFiles: TypedFile[] = [];
  #keys = 0;

  constructor(private readonly options: TraceOptions) {
    this.#rng = new Rng(options.seed);
  }

  get isComplete(): boolean {
    return this.#keys >= this.options.keys;
  }

  /** Opens new documents for the files, and fills their gaps, switching between them. */
  typeFiles(files: readonly SourceText[]): void {
    const rng = this.#rng;
    const typedFiles = files.map((source) => typedFileOf(source, rng));
    const first = this.#typedFiles.push(...typedFiles) - typedFiles.length;
    let current: TypedFile | undefined;
    while (!this.isComplete) {
      current = this.#nextFile(typedFiles, current);
      if (current === undefined) return;
      const document = first + typedFiles.indexOf(current);
      if (!current.isOpen) this.#events.push({ kind: 'open', document, pauseMs: rng.logNormal(800, 0.4) });
      current.isOpen = true;
      this.#fillGap(current, document);
      if (this.options.generate && rng.happens(GENERATES))
        this.#events.push({ kind: 'generate', instruction: INSTRUCTION, pauseMs: rng.logNormal(800, 0.4) });
    }
  }

  /** Returns the file to go on with: `current` or another one with a gap; undefined if no file has one. */
  #nextFile(typedFiles: readonly TypedFile[], current: TypedFile | undefined): TypedFile | undefined {
    const unfinished = typedFiles.filter(({ missing }) => missing.length > 0);
    if (unfinished.length === 0) return undefined;
    const mayStay = current !== undefined && unfinished.includes(current);
    if (mayStay && !this.#rng.happens(SWITCHES)) return current;
    return this.#rng.pick(unfinished.filter((file) => file !== current)) ?? unfinished[0];
  }

  /** Types the first missing gap of a file, or as much of it as keys remain. */
  #fillGap({ source, missing }: TypedFile, document: number): void {
    const gap = missing.shift();
    if (gap === undefined) return;
    const { from, to } = gap;
    const before = source.text.slice(0, from);
    const text = source.text.slice(from, to);
    const maxKeys = this.options.keys - this.#keys;
    const typed = typePassage({ before, text, languageId: source.languageId }, this.#rng, maxKeys);
    // All gaps above are filled, so offsets in the complete text are offsets in the document.
    const pauseMs = this.#rng.logNormal(700, 0.4);
    this.#events.push(
      { kind: 'passage', document, offset: from, text: typed.text, pauseMs },
      ...typed.events,
    );
    if (from + typed.text.length < to) missing.unshift({ from: from + typed.text.length, to });
    this.#keys += typed.keys;
  }

  closeFiles(): void {
    for (const [document, file] of this.#typedFiles.entries()) {
      if (file.isOpen) this.#events.push({ kind: 'close', document, pauseMs: 0 });
      file.isOpen = false;
    }
  }

  trace(): Trace {
    return { documents: this.#typedFiles.map(documentOf), events: this.#events, keys: this.#keys };
  }
}

/**
 * Creates a trace that types the gaps of the files until `keys` are typed, and reopens the files with other gaps if
 * there are too few.
 */
export function newTrace(files: readonly SourceText[], options: TraceOptions): Trace {
  const writer = new TraceWriter(options);
  writer.typeFiles(files);
  while (!writer.isComplete) {
    writer.closeFiles();
    writer.typeFiles(files);
  }
  return writer.trace();
}

function typedFileOf(source: SourceText, rng: Rng): TypedFile {
  const found = gaps(source.text, rng);
  return { source, gaps: found, missing: [...found], isOpen: false };
}

function documentOf({ source, gaps: found, missing }: TypedFile): TraceDocument {
  const { fileName, languageId, text } = source;
  return { fileName, languageId, start: without(text, found), end: without(text, missing) };
}
