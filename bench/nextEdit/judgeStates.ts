// Runs sessions of next edits on states, and judges their suggestions.
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { NextEditSession, type EditModel } from '../../server/nextEdit/nextEditSession';
import { lineDiff } from '../../server/rules/lineDiff';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditState, Stratum } from './editStates';

export interface Judged {
  readonly stratum: Stratum;
  /** True if an edit is shown. */
  readonly isFire: boolean;
  readonly isExact: boolean;
  /** True if exact apart from white space. */
  readonly isExactText: boolean;
  /** True if the edit brings the text nearer to the wanted one. */
  readonly isUseful: boolean;
  /** True if the edit restores an earlier text. */
  readonly isReversal: boolean;
  readonly ms: number;
}

const URI = 'file:///bench/';
/** Pause between two hunks, so that each is a separate event. */
const PAUSE_MS = 2000;

export async function judged(state: EditState, model: EditModel): Promise<Judged> {
  let now = 0;
  const session = new NextEditSession({
    use: (_, work) => work(model),
    quiet: () => Promise.resolve(),
    log: (line) => {
      process.stderr.write(`${line}\n`);
    },
    now: () => (now += PAUSE_MS),
  });
  const uri = URI + state.path;
  for (const lines of state.texts)
    session.changed(documentSnapshot({ uri, fileName: state.path, languageId: '', text: lines.join('\n') }));
  const { cursor, stratum, wanted, texts } = state;
  const startedAt = performance.now();
  const found = await session.nextEdit({
    ...{ uri, cursor, useOpenFiles: true, trigger: 'explicit', signal: new AbortController().signal },
  });
  const ms = performance.now() - startedAt;
  const text = texts.at(-1)?.join('\n') ?? '';
  const after = found ? applied(text, found.edit) : text;
  const goal = wanted.join('\n');
  const isFire = found !== undefined;
  return {
    ...{ stratum, isFire, ms },
    isExact: isFire && after === goal,
    isExactText: isFire && withoutSpace(after) === withoutSpace(goal),
    isUseful: isFire && distance(after, goal) < distance(text, goal),
    isReversal: isFire && texts.slice(0, -1).some((earlier) => earlier.join('\n') === after),
  };
}

function applied(
  text: string,
  { start, end, text: newText }: { start: object; end: object; text: string },
): string {
  const range = { start, end } as Parameters<typeof TextDocument.applyEdits>[1][number]['range'];
  return TextDocument.applyEdits(TextDocument.create(URI, '', 1, text), [{ range, newText }]);
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

/** Counts differing lines. */
function distance(a: string, b: string): number {
  return lineDiff(a.split('\n'), b.split('\n')).reduce(
    (sum, { removed, added }) => sum + removed + added.length,
    0,
  );
}
