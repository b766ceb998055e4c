// Creates the events that type one passage: characters, Enter with the indentation that an editor adds, corrected
// slips, undone words, retyped lines, and looks at the suggestion.
import { indentUnit } from '../../server/completion/prompt/indentUnit';
import { usualIndentation } from '../../server/completion/syntax/language';
import type { Rng } from '../rng';
import type { EditEvent, Progress } from './progress';

export interface Passage {
  /** Document above the passage. */
  readonly before: string;
  readonly text: string;
  readonly languageId: string;
}

/** The user looks at the suggestion and accepts its correct part. */
export interface LookEvent {
  readonly kind: 'look';
  readonly pauseMs: number;
  /** Characters of the passage typed at this event. */
  readonly at: number;
  /** Largest part to accept at a time. */
  readonly mode: 'whole' | 'line' | 'word';
}

export interface TypedPassage {
  readonly events: readonly (EditEvent | LookEvent)[];
  /** Text at the end: the passage, or its beginning. */
  readonly text: string;
  /** Count of typing keys. */
  readonly keys: number;
}

/** Probabilities of the actions of the user, each where it is possible. */
const SLIPS = 0.02;
const UNDOES = 0.04;
const DELETES_LINE = 0.08;
const THINKS = 0.03;
const LOOKS_IN_LINE = 0.2;
const LOOKS_AT_START = 0.5;
const LETTERS = [...'etaoinshrdlu'];
const OPENS = /(?:[{([:]|=>)\s*$/;
const WORD_END = /[\p{L}\p{N}_]+$/u;

class PassageTyping {
  readonly #events: (EditEvent | LookEvent)[] = [];
  #progress: Progress = { done: 0, wrong: 0 };
  #keys = 0;
  /** Offset before which nothing is undone again, so that typing ends. */
  #retaken = 0;

  constructor(
    private readonly passage: Passage,
    private readonly rng: Rng,
  ) {}

  isUnfinished(maxKeys: number): boolean {
    return this.#progress.done < this.passage.text.length && this.#keys < maxKeys;
  }

  step(): void {
    const { rng } = this;
    const next = this.#next();
    if (next === '\n') return this.#newline();
    if (/[\p{L}\p{N}]/u.test(next) && rng.happens(SLIPS)) this.#slip(next);
    const startsWord = !WORD_END.test(this.#line());
    const thinks = startsWord && rng.happens(THINKS);
    const pauseMs = thinks ? 1000 + 1000 * rng.next() : rng.logNormal(startsWord ? 190 : 140, 0.4);
    this.#edit('key', { pauseMs, inserted: next, right: next.length });
    this.#takeBack();
    if (!WORD_END.test(this.#line())) this.#look(LOOKS_IN_LINE);
  }

  finish(): TypedPassage {
    this.#backspace(this.#progress.wrong);
    return {
      events: this.#events,
      text: this.passage.text.slice(0, this.#progress.done),
      keys: this.#keys,
    };
  }

  /** Types Enter and the indentation that an editor adds: that of the line, and a level more after a block opener. */
  #newline(): void {
    const { text, before, languageId } = this.passage;
    const { done, wrong } = this.#progress;
    const indent = /^[ \t]*/.exec(this.#line())?.[0] ?? '';
    const opened = OPENS.test(this.#line()) ? (indentUnit(before, text) ?? usualIndentation(languageId)) : '';
    const added = indent + opened;
    const expected = /^[ \t]*/.exec(text.slice(done + 1))?.[0] ?? '';
    const right = added.startsWith(expected) ? expected : expected.startsWith(added) ? added : '';
    // Enter removes white space that the editor added to a blank line.
    const edit = { inserted: `\n${added}`, right: 1 + right.length, removed: wrong };
    this.#edit('newline', { ...edit, pauseMs: this.rng.logNormal(450, 0.5) });
    if (this.#next() === '\n') return;
    this.#backspace(this.#progress.wrong);
    const missing = expected.slice(right.length);
    if (missing !== '') this.#edit('key', { pauseMs: 150, inserted: missing, right: missing.length });
    this.#look(LOOKS_AT_START);
  }

  /** Types and corrects a wrong letter, sometimes only after another one. */
  #slip(next: string): void {
    const { rng } = this;
    const wrong = rng.pick(LETTERS.filter((letter) => letter !== next)) ?? '#';
    const more = rng.happens(0.5) ? [next] : [];
    for (const inserted of [wrong, ...more])
      this.#edit('slip', { pauseMs: rng.logNormal(140, 0.4), inserted, right: 0 });
    while (this.#progress.wrong > 0) this.#backspace(1);
  }

  /** Undoes a word or deletes a line, to type it again. */
  #takeBack(): void {
    const { done } = this.#progress;
    const { text } = this.passage;
    if (done <= this.#retaken) return;
    const typed = text.slice(0, done);
    const atLineEnd = done === text.length || this.#next() === '\n';
    const word = WORD_END.exec(typed)?.[0] ?? '';
    const line = /\n[ \t]*(\S.*)$/.exec(typed)?.[1] ?? '';
    const wordEnds = word !== '' && !/[\p{L}\p{N}_]/u.test(this.#next());
    const [kind, taken] =
      atLineEnd && line !== '' && this.rng.happens(DELETES_LINE)
        ? (['deleteLine', line] as const)
        : wordEnds && this.rng.happens(UNDOES)
          ? (['undo', word] as const)
          : (['undo', ''] as const);
    if (taken === '') return;
    this.#retaken = done;
    this.#edit(kind, {
      pauseMs: this.rng.logNormal(600, 0.4),
      inserted: '',
      right: -taken.length,
      removed: taken.length,
    });
  }

  /** Adds a look with a probability; always before the first key of a passage. */
  #look(probability: number): void {
    const first = !this.#events.some(({ kind }) => kind === 'look');
    if (!first && !this.rng.happens(probability)) return;
    const mode = this.rng.pick(['whole', 'whole', 'whole', 'line', 'word'] as const) ?? 'whole';
    const pauseMs = this.rng.logNormal(500, 0.4);
    this.#events.push({ kind: 'look', pauseMs, at: this.#progress.done, mode });
  }

  #backspace(count: number): void {
    if (count === 0) return;
    this.#edit('backspace', {
      pauseMs: this.rng.logNormal(220, 0.4),
      inserted: '',
      right: 0,
      removed: count,
    });
  }

  /** Adds an edit. `right` is the count of correct inserted characters; below 0, of correct characters removed. */
  #edit(
    kind: EditEvent['kind'],
    edit: {
      readonly pauseMs: number;
      readonly inserted: string;
      readonly right: number;
      readonly removed?: number;
    },
  ): void {
    const { pauseMs, inserted, right, removed = 0 } = edit;
    const before = this.#progress;
    const wrong = before.wrong - (right < 0 ? 0 : removed) + inserted.length - Math.max(right, 0);
    const after = { done: before.done + right, wrong };
    this.#events.push({ kind, pauseMs, before, after, removed, inserted });
    this.#progress = after;
    if (kind === 'key' || kind === 'newline' || kind === 'slip') this.#keys += 1;
  }

  /** Returns the next complete character; empty at the end. */
  #next(): string {
    return String.fromCodePoint(
      ...[this.passage.text.codePointAt(this.#progress.done)].filter((code) => code !== undefined),
    );
  }

  /** Returns the line up to the cursor, without wrong characters. */
  #line(): string {
    const text = this.passage.before + this.passage.text.slice(0, this.#progress.done);
    return text.slice(text.lastIndexOf('\n') + 1);
  }
}

/** Types the passage to its end, or until `maxKeys` keys are typed. */
export function typePassage(passage: Passage, rng: Rng, maxKeys: number): TypedPassage {
  const typing = new PassageTyping(passage, rng);
  while (typing.isUnfinished(maxKeys)) typing.step();
  return typing.finish();
}
