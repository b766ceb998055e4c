// Replays the states of editStates.ts in sessions of next edits, and judges the suggested edits.
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { NextEditSession, type EditModel } from '../../server/nextEdit/nextEditSession';
import { lineDiff, sameLines } from '../../server/rules/lineDiff';
import type { TextEdit } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditState, Stratum } from './editStates';

export interface Judged {
  readonly stratum: Stratum;
  /** True if an edit is shown. */
  readonly isShown: boolean;
  /** True if the edit is the next hunk, or several hunks from the next one on. */
  readonly isExact: boolean;
  /** True if exact apart from white space. */
  readonly isExactText: boolean;
  /** True if the edit brings the text nearer to that of the commit. */
  readonly isUseful: boolean;
  /** True if the edit brings the text nearer to an earlier one. */
  readonly isReversal: boolean;
  readonly ms: number;
}

const URI = 'file:///bench/';
/** Pause between two hunks, so that each is a separate event. */
const PAUSE_MS = 2000;

/** Replays the texts of a state in a new session, requests the next edit and judges it. */
export async function judgeState(state: EditState, model: EditModel): Promise<Judged> {
  let clockMs = 0;
  const session = new NextEditSession({
    use: (_, work) => work(model),
    quiet: () => Promise.resolve(),
    log: (line) => {
      process.stderr.write(`${line}\n`);
    },
    now: () => (clockMs += PAUSE_MS),
  });
  const uri = URI + state.path;
  for (const lines of state.texts)
    session.changed(documentSnapshot({ uri, fileName: state.path, languageId: '', text: lines.join('\n') }));
  const { cursor, stratum, nextTexts, texts } = state;
  const startedAt = performance.now();
  const found = await session.nextEdit({
    uri,
    cursor,
    useOpenFiles: true,
    trigger: 'explicit',
    signal: new AbortController().signal,
  });
  const ms = performance.now() - startedAt;
  const isShown = found !== undefined;
  const before = texts.at(-1) ?? [];
  const after = found ? withEdit(before, found.edit) : before;
  const isNearer = (goal: readonly string[]): boolean => distance(after, goal) < distance(before, goal);
  return {
    stratum,
    isShown,
    ms,
    isExact: isShown && nextTexts.some((goal) => sameLines(after, goal)),
    isExactText: isShown && nextTexts.some((goal) => withoutSpace(after) === withoutSpace(goal)),
    isUseful: isNearer(nextTexts.at(-1) ?? before),
    isReversal: texts.slice(0, -1).some(isNearer),
  };
}

function withEdit(lines: readonly string[], edit: TextEdit): readonly string[] {
  const document = TextDocument.create(URI, '', 1, lines.join('\n'));
  return TextDocument.applyEdits(document, [edit]).split('\n');
}

function withoutSpace(lines: readonly string[]): string {
  return lines.join('').replace(/\s/g, '');
}

/** Counts differing lines. */
function distance(a: readonly string[], b: readonly string[]): number {
  return lineDiff(a, b).reduce((sum, { removed, added }) => sum + removed + added.length, 0);
}
