// A run of a model for one text of a document: what was requested, the output so far, and the answer.
import type { Position } from 'vscode-languageserver/node';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { changedLines } from '../rules/lineDiff';
import type { Answer } from './answers';
import type { EditEvent } from './editLog';
import { changedText } from './textEdit';

export interface EditRequest {
  readonly uri: string;
  readonly cursor: Position;
  /** An automatic request gets no edit after undo, redo or a large insertion that was neither typed nor suggested. */
  readonly trigger: 'automatic' | 'explicit';
  /** Whether the prompt can quote events of other files. */
  readonly useOpenFiles: boolean;
  readonly signal: AbortSignal;
}

export class EditRun {
  readonly controller = new AbortController();
  /** Result of the run. Never rejects. */
  answer: Promise<Answer | undefined> = Promise.resolve(undefined);
  /** First line that an output in Sweep's formats rewrites; Infinity before the prompt is built. */
  start = Infinity;
  /** Output so far. */
  output = '';

  constructor(
    readonly request: EditRequest,
    readonly document: DocumentSnapshot,
    readonly lines: readonly string[],
    /** Last event of the text if the log does not have it yet. */
    readonly event?: EditEvent,
  ) {}

  /**
   * Returns whether everything typed since the request agrees with the output so far: then the answer can still fit.
   */
  agreesWith(newLines: readonly string[]): boolean {
    const typed = changedLines(this.lines, newLines);
    if (typed === undefined) return true;
    const { start: offset, removed, inserted } = changedText(typed, this.lines);
    if (removed !== '' || typed.removed !== 1) return false;
    const text = typed.added.join('\n').slice(0, offset + inserted.length);
    const rewritten = this.output
      .replace(/^\n/, '')
      .split('\n')
      .slice(typed.at - this.start)
      .join('\n');
    return typed.at >= this.start && rewritten.startsWith(text);
  }
}
