// The latest answers of models. An answer is used again for the text for which it was computed, and the last one also
// for what is left of its change while the user types it.
import type { Position } from 'vscode-languageserver/node';
import { changedLines, sameLines, withChange, type LineChange } from '../rules/lineDiff';
import { changedText } from './textEdit';

/** The result of a model for one text of a document. */
export interface Answer {
  readonly id: string;
  readonly uri: string;
  readonly lines: readonly string[];
  readonly change: LineChange | undefined;
  /** Line of the cursor. An answer without a change holds for this line only: from another one, a model can see more. */
  readonly cursorLine: number;
}

const MAX_ANSWERS = 50;

export class Answers {
  /** Oldest first. */
  #answers: readonly Answer[] = [];
  #count = 0;

  /** Keeps an answer, and gives it an id. */
  add(result: Omit<Answer, 'id'>): Answer {
    this.#count += 1;
    const answer = { id: String(this.#count), ...result };
    this.#answers = [...this.#answers, answer].slice(-MAX_ANSWERS);
    return answer;
  }

  get(id: string): Answer | undefined {
    return this.#answers.find((answer) => answer.id === id);
  }

  /** Returns the answer for this text, or what is left of the latest answer if typing has followed it. */
  find(uri: string, lines: readonly string[], cursor: Position): Answer | undefined {
    const answers = this.#answers.filter((answer) => answer.uri === uri);
    const fits = (answer: Answer): boolean =>
      (answer.change !== undefined || answer.cursorLine === cursor.line) && sameLines(answer.lines, lines);
    const last = answers.at(-1);
    return answers.findLast(fits) ?? (last && restOf(last, lines));
  }

  /** Returns whether a document has these lines because the change of an answer was applied to it. */
  isAccepted(uri: string, lines: readonly string[]): boolean {
    return this.#answers.some(
      (answer) => answer.uri === uri && answer.change && isResult(lines, answer.lines, answer.change),
    );
  }

  /** Forgets the answers for a closed document. */
  closed(uri: string): void {
    this.#answers = this.#answers.filter((answer) => answer.uri !== uri);
  }

  clear(): void {
    this.#answers = [];
  }
}

/**
 * Returns whether `after` is `before` with the change applied. Compares the changed lines first, because this runs for
 * each answer at each key press.
 */
function isResult(after: readonly string[], before: readonly string[], change: LineChange): boolean {
  const { at, removed, added } = change;
  return (
    after.length === before.length - removed + added.length &&
    added.every((line, i) => line === after[at + i]) &&
    sameLines(withChange(before, change), after)
  );
}

/** Returns the rest of an answer after a part of it was typed; undefined if all or something else was typed. */
function restOf(answer: Answer, lines: readonly string[]): Answer | undefined {
  if (answer.change === undefined) return undefined;
  const target = withChange(answer.lines, answer.change);
  const typed = changedLines(answer.lines, lines);
  const left = changedLines(lines, target);
  if (typed === undefined || left === undefined) return undefined;
  const full = changedText(answer.change, answer.lines);
  const done = changedText(typed, answer.lines);
  const rest = changedText(left, lines);
  const isProgress =
    done.removed === '' &&
    rest.removed === full.removed &&
    done.inserted.length + rest.inserted.length === full.inserted.length;
  return isProgress ? { ...answer, lines, change: left } : undefined;
}
