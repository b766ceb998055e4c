// Pauses without an editor: what would be suggested at each, with what was typed so far and what the editor would have
// closed behind the cursor.
import { languageIdOf } from '../replay/sources';
import { completionContext } from '../../server/completion/prompt/context';
import { replacedAfterCursor } from '../../server/completion/suggestion/replacedClosers';
import { scan } from '../../server/completion/syntax/scanner';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { ServedEngine } from '../../server/hosting/model';
import { documentOf, fillHoles, type FillOptions } from '../holes/fillHoles';
import type { Hole } from '../holes/holes';
import { stopsOf, worthOf, type Worth } from './pauses';
import type { Program } from './programs';

export interface JudgedPause {
  readonly program: Program;
  /** The line up to the cursor. */
  readonly line: string;
  readonly shown: string;
  readonly worth: Worth;
  /** Why nothing is shown. */
  readonly cause?: string;
  readonly keepProbability?: number | undefined;
}

interface PauseOptions extends Pick<FillOptions, 'draftLength' | 'recorded' | 'signal'> {
  readonly pauses: number;
  /** Whether the lines below the cursor are there already, as where a person edits. */
  readonly isWithin?: boolean;
}

/** In the order of the program; ends early when the signal aborts. The engine must have a tokenizer. */
export async function* quickPauses(
  engine: ServedEngine,
  program: Program,
  { pauses, isWithin = false, ...options }: PauseOptions,
): AsyncGenerator<JudgedPause, void, undefined> {
  const holes = [...stopsOf(program.text, pauses)].map((at) =>
    isWithin ? restOfLineAt(program, at) : holeAt(program, at),
  );
  const asked = { ...options, hideBelow: DEFAULT_SETTINGS.hideBelow };
  for await (const { hole, text: shown, outcome, ...told } of fillHoles(engine, holes, asked)) {
    const { source, start, end } = hole;
    const [typed, rest] = [source.slice(0, start), source.slice(start, end)];
    const after = source.slice(end);
    const replaced =
      shown === '' ? 0 : replacedAfterCursor(shown, completionContext(documentOf(hole), start));
    const kept = after.slice(replaced).split('\n', 1).join();
    const line = typed.slice(typed.lastIndexOf('\n') + 1);
    const cause = outcome === 'shown' ? undefined : (told.cause ?? outcome);
    const { keepProbability } = told;
    yield {
      program,
      line,
      shown,
      worth: worthOf(shown, kept, rest),
      ...(cause && { cause }),
      keepProbability,
    };
  }
}

/** What is missing is all that has not been typed yet. */
function holeAt({ path, language, file, text }: Program, at: number): Hole {
  const typed = text.slice(0, at);
  const source = text + closedByEditor(typed, languageIdOf(path));
  const line = typed.split('\n').length;
  return { path, file, language, kind: 'rest', line, source, start: at, end: text.length };
}

/** What is missing is the rest of the line. */
function restOfLineAt({ path, language, file, text }: Program, at: number): Hole {
  const [rest = ''] = /^.*/.exec(text.slice(at)) ?? [];
  const line = text.slice(0, at).split('\n').length;
  return { path, file, language, kind: 'rest', line, source: text, start: at, end: at + rest.length };
}

/** The innermost first; on a line of its own where the line broke right behind what it closes. */
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
