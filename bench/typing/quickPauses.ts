// Requests suggestions at pauses without an editor, from the text typed so far and the closers that an editor would
// have added after the cursor.
import { languageIdOf } from '../replay/sources';
import { completionContext } from '../../server/completion/prompt/context';
import { replacedAfterCursor } from '../../server/completion/suggestion/replacedClosers';
import { scan } from '../../server/completion/syntax/scanner';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { ServedEngine } from '../../server/hosting/model';
import { documentOf, fillHoles, type FillOptions } from '../holes/fillHoles';
import type { Hole } from '../holes/holes';
import { stopsOf, judge, type Judgement } from './pauses';
import type { Program } from './programs';

export interface JudgedPause {
  /** Line up to the cursor. */
  readonly line: string;
  /** Text of the suggestion; empty if nothing is shown. */
  readonly shown: string;
  readonly judgement: Judgement;
  /** Reason why nothing is shown. */
  readonly cause?: string;
  /** Estimated probability that a user keeps the suggestion, from 0 to 1. */
  readonly keepProbability?: number | undefined;
}

interface PauseOptions extends Pick<FillOptions, 'draftLength' | 'recorded' | 'signal'> {
  readonly pauses: number;
  /** True if the lines below the cursor already exist, as in edits of existing code. */
  readonly isWithin?: boolean;
}

/** Yields pauses in the order of the program; ends early on abort. The engine must have a tokenizer. */
export async function* quickPauses(
  engine: ServedEngine,
  program: Program,
  { pauses, isWithin = false, ...options }: PauseOptions,
): AsyncGenerator<JudgedPause, void, undefined> {
  const holes = [...stopsOf(program.text, pauses)].map((at) =>
    isWithin ? restOfLineAt(program, at) : holeAt(program, at),
  );
  const pauseOptions = { ...options, hideBelow: DEFAULT_SETTINGS.hideBelow };
  for await (const { hole, text: shown, outcome, ...fill } of fillHoles(engine, holes, pauseOptions)) {
    const { source, start, end } = hole;
    const typed = source.slice(0, start);
    const rest = source.slice(start, end);
    const after = source.slice(end);
    const replaced =
      shown === '' ? 0 : replacedAfterCursor(shown, completionContext(documentOf(hole), start));
    const kept = after.slice(replaced).split('\n', 1).join();
    const line = typed.slice(typed.lastIndexOf('\n') + 1);
    const cause = outcome === 'shown' ? undefined : (fill.cause ?? outcome);
    const { keepProbability } = fill;
    yield {
      line,
      shown,
      judgement: judge(shown, kept, rest),
      ...(cause && { cause }),
      keepProbability,
    };
  }
}

/** Returns a hole for the whole text that is not typed yet. */
function holeAt({ path, language, file, text }: Program, at: number): Hole {
  const typed = text.slice(0, at);
  const source = text + closedByEditor(typed, languageIdOf(path));
  const line = typed.split('\n').length;
  return { path, file, language, kind: 'rest', line, source, start: at, end: text.length };
}

/** Returns a hole for the rest of the line. */
function restOfLineAt({ path, language, file, text }: Program, at: number): Hole {
  const [rest = ''] = /^.*/.exec(text.slice(at)) ?? [];
  const line = text.slice(0, at).split('\n').length;
  return { path, file, language, kind: 'rest', line, source: text, start: at, end: at + rest.length };
}

/** Returns the closers that an editor adds, innermost first; on a separate line if the opener ends its line. */
function closedByEditor(typed: string, languageId: string): string {
  const { open } = scan(typed, languageId);
  return open
    .toReversed()
    .filter(({ kind }) => kind !== 'comment' && kind !== 'lineComment')
    .map(({ at, end, closer }) => {
      const [indent = ''] = /^[ \t]*/.exec(typed.slice(typed.lastIndexOf('\n', at) + 1)) ?? [];
      return typed[end] === '\n' && /^[)\]}]/.test(closer) ? `\n${indent}${closer}` : closer;
    })
    .join('');
}
