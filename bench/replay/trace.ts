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

/**
 * Creates a trace that types the gaps of the files until `keys` are typed, and reopens the files with other gaps if
 * there are too few.
 */
export function newTrace(files: readonly SourceText[], { seed, keys, generate }: TraceOptions): Trace {
  const rng = new Rng(seed);
  const events: TraceEvent[] = [];
  const typedFiles: TypedFile[] = [];
  let typed = 0;
  while (typed < keys) {
    const first = typedFiles.length;
    typedFiles.push(...files.map((source) => typedFileOf(source, rng)));
    let current: number | undefined;
    for (;;) {
      const indexes = [...typedFiles.keys()].slice(first);
      const unfinished = indexes.filter((i) => typedFiles[i]?.missing[0] !== undefined);
      if (unfinished.length === 0 || typed >= keys) break;
      if (current === undefined || !unfinished.includes(current) || rng.happens(SWITCHES))
        current = rng.pick(unfinished.filter((i) => i !== current)) ?? unfinished[0] ?? first;
      const file = typedFiles[current];
      if (file === undefined) break;
      if (!file.isOpen) events.push({ kind: 'open', document: current, pauseMs: rng.logNormal(800, 0.4) });
      file.isOpen = true;
      typed += fillGap(events, { file, document: current }, rng, keys - typed);
      if (generate && rng.happens(GENERATES))
        events.push({ kind: 'generate', instruction: INSTRUCTION, pauseMs: rng.logNormal(800, 0.4) });
    }
    if (typed >= keys) break;
    for (const [i, { isOpen }] of typedFiles.entries())
      if (i >= first && isOpen) events.push({ kind: 'close', document: i, pauseMs: 0 });
  }
  return { documents: typedFiles.map(documentOf), events, keys: typed };
}

function typedFileOf(source: SourceText, rng: Rng): TypedFile {
  const found = gaps(source.text, rng);
  return { source, gaps: found, missing: [...found], isOpen: false };
}

/** Types the first missing gap of a file, or as much of it as `maxKeys` allows; returns the number of keys. */
function fillGap(
  events: TraceEvent[],
  { file: { source, missing }, document }: { readonly file: TypedFile; readonly document: number },
  rng: Rng,
  maxKeys: number,
): number {
  const gap = missing.shift();
  if (gap === undefined) return 0;
  const { from, to } = gap;
  const before = source.text.slice(0, from);
  const text = source.text.slice(from, to);
  const typed = typePassage({ before, text, languageId: source.languageId }, rng, maxKeys);
  // All gaps above are filled, so offsets in the complete text are offsets in the document.
  const pauseMs = rng.logNormal(700, 0.4);
  events.push({ kind: 'passage', document, offset: from, text: typed.text, pauseMs }, ...typed.events);
  if (from + typed.text.length < to) missing.unshift({ from: from + typed.text.length, to });
  return typed.keys;
}

function documentOf({ source, gaps: found, missing }: TypedFile): TraceDocument {
  const { fileName, languageId, text } = source;
  return { fileName, languageId, start: without(text, found), end: without(text, missing) };
}
