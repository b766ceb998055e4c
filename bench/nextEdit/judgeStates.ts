// Runs sessions of next edits over states, and judges what they suggest.
import { documentSnapshot } from '../../server/completion/prompt/eligibility';
import { NextEditSession, type EditModel } from '../../server/nextEdit/nextEditSession';
import { lineDiff } from '../../server/rules/lineDiff';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { EditState, Stratum } from './editStates';

export interface Judged {
  readonly stratum: Stratum;
  /** Whether an edit is shown. */
  readonly isFire: boolean;
  readonly isExact: boolean;
  /** Exact but for white space. */
  readonly isExactText: boolean;
  /** Whether the edit leads nearer to the wanted text. */
  readonly isUseful: boolean;
  /** Whether it leads back to an earlier text. */
  readonly isReversal: boolean;
  readonly ms: number;
}

const URI = 'file:///bench/';
/** Between two hunks, so that each is an event. */
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
  const found = await session.ask({
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

/** Lines that differ. */
function distance(a: string, b: string): number {
  return lineDiff(a.split('\n'), b.split('\n')).reduce(
    (sum, { removed, added }) => sum + removed + added.length,
    0,
  );
}
