// Types a program into VS Code as a person does: at a person's pace, through closers of the editor, with pauses at
// which suggestions are judged and accepted. Returns what was on the screen.
import { basename } from 'node:path';
import { Rng } from '../../bench/rng';
import { isAllWanted, stopsOf, judge, type Judgement } from '../../bench/typing/pauses';
import type { KeyCounts } from '../../bench/typing/typingReport';
import {
  flickers,
  misplaced,
  readTrace,
  watchGhost,
  withoutClosers,
  type GhostFrame,
  type GhostTrace,
} from './ghostTrace';
import type { TypingState } from './probe';
import { ONLY_TAB_TAKES, type Settings } from './profile';
import type { Session } from './session';
import { pause, until } from './waiting';

export interface TypedPause {
  /** Line up to the cursor. */
  readonly line: string;
  readonly shown: string;
  readonly judgement: Judgement;
  /** Selected entry of the list of completions, if that is open. */
  readonly selected: string | undefined;
  /**
   * Why nothing was shown: `other entry` if the selected one is not what comes next, as VS Code shows only texts that
   * continue it; otherwise the outcome.
   */
  readonly cause?: string;
  /** Whether the engine had a suggestion. */
  readonly isSuggested: boolean;
  /** Milliseconds from the last key to the suggestion. */
  readonly waitedMs: number | undefined;
}

export interface TypedProgram {
  readonly text: string;
  readonly pauses: readonly TypedPause[];
  readonly trace: GhostTrace;
  /** Frames with ghost text in the wrong place. */
  readonly misplaced: readonly string[];
  readonly flickers: readonly string[];
}

export const TYPED_SETTINGS: Settings = {
  // Indentation of the programs, whose files begin empty.
  '[typescript]': { 'editor.tabSize': 2 },
  '[javascript]': { 'editor.tabSize': 2 },
  '[typescriptreact]': { 'editor.tabSize': 2 },
  '[html]': { 'editor.tabSize': 2 },
  ...ONLY_TAB_TAKES,
};
/** Bounds of the time between two keys. */
const KEY_MS = [60, 110] as const;
/** Time of a pause before its suggestion is judged. */
const LOOK_MS = 800;
/**
 * Time after which a key without a running request counts as answered. VS Code 1.139 stops waiting for suggestions after
 * 750 ms, and requests them again only if there are any.
 */
const UNANSWERED_MS = 5000;
/** Widgets that would get the arrow keys. */
const POPUPS = '.suggest-widget.visible, .parameter-hints-widget.visible';
/** Round trips to VS Code without a change on the screen after which everything counts as drawn. */
const DRAWN = 3;
const QUOTES = ['"', "'"];
const BRACKETS = [')', ']', '}'];
/** Matches keys after which VS Code inserts quotes, an end tag or the rest of one in HTML, after 100 ms. */
const INSERTS_MARKUP = /[=>/]/;
/** Time in which that text is certain to be inserted. */
const INSERTED_MS = 400;
const END_TAG = /^<\/[A-Za-z][\w.:-]*>/;

/** Types a program into an empty file, with about `pauses` pauses. */
export async function typeProgram(
  session: Session,
  file: string,
  program: string,
  pauses: number,
): Promise<TypedProgram> {
  session.profile.write(session.profile.file(file), '');
  await session.probe.show(session.profile.file(file), 0);
  await session.workbench.editor.waitFor();
  await watchGhost(session.window.page);
  return await new Typist(session, file, program, pauses).run();
}

class Typist {
  readonly #rng: Rng;
  readonly #stops: ReadonlySet<number>;
  readonly #pauses: TypedPause[] = [];
  readonly #isMarkup: boolean;
  /** Length of the program's text before the cursor. */
  #at = 0;
  /** Time of the last key, in milliseconds of Date.now(). */
  #pressedAt = 0;

  constructor(
    private readonly session: Session,
    private readonly file: string,
    private readonly program: string,
    pauses: number,
  ) {
    this.#isMarkup = file.endsWith('.html');
    this.#rng = new Rng(program.length);
    this.#stops = stopsOf(program, pauses);
  }

  async run(): Promise<TypedProgram> {
    while (this.#at < this.program.length) {
      const next = this.program[this.#at] ?? '';
      if (next === '\n') await this.#newLine();
      else if (!(await this.#skipEndTag())) {
        await this.#press((await this.#isClosed(next)) ? 'ArrowRight' : next);
        this.#at += 1;
        if (await this.#hasExtraCloser(next)) await this.#press('Delete');
        if (this.#isMarkup && INSERTS_MARKUP.test(next)) await this.#waitForMarkup();
      }
      if (this.#stops.has(this.#at)) await this.#judgeSuggestion();
    }
    const { text } = await this.#waitForTypedText();
    const trace = await readTrace(this.session.window.page);
    return {
      text,
      pauses: this.#pauses,
      trace,
      misplaced: misplaced(trace),
      flickers: flickers(trace),
    };
  }

  /**
   * Returns whether the editor has already inserted `key`, a closing backtick. An arrow key passes it, since VS Code
   * types over a backtick only while the template has one line.
   */
  async #isClosed(key: string): Promise<boolean> {
    if (key !== '`') return false;
    const { text, cursor } = await this.#waitForTypedText();
    return text[cursor] === key;
  }

  /**
   * Returns whether VS Code has added a quote or bracket after the cursor that a person deletes: a quote as in a
   * regular expression, or a bracket that closes one of a line above. VS Code types over an added bracket only in the
   * line of its opening one.
   */
  async #hasExtraCloser(key: string): Promise<boolean> {
    const [lineBefore = ''] = /.*$/.exec(this.program.slice(0, this.#at)) ?? [];
    if (!QUOTES.includes(key) && !(BRACKETS.includes(key) && lineBefore.trim() === key)) return false;
    const [line = ''] = /^.*/.exec(this.program.slice(this.#at)) ?? [];
    if (line.includes(key)) return false;
    const { text, cursor } = await this.#waitForTypedText();
    // Three quotes can be closed in another line.
    return text[cursor] === key && text[cursor + 1] !== key;
  }

  /** Goes past an end tag that the editor has inserted; returns false if there is none. */
  async #skipEndTag(): Promise<boolean> {
    const rest = this.program.slice(this.#at);
    if (!this.#isMarkup || !rest.startsWith('</')) return false;
    const { text, cursor } = await this.#waitForTypedText();
    const [tag = ''] = END_TAG.exec(text.slice(cursor)) ?? [];
    if (tag === '' || !rest.startsWith(tag)) return false;
    const { length } = tag;
    for (let i = 0; i < length; i += 1) await this.#press('ArrowRight');
    this.#at += length;
    return true;
  }

  /** Waits for the quotes or the rest of an end tag that the editor inserts, as a person who sees them does. */
  async #waitForMarkup(): Promise<void> {
    await pause(INSERTED_MS);
    const { text, cursor } = await this.session.probe.typingState();
    const before = text.slice(0, cursor);
    if (cursor > this.#at && this.program.startsWith(before)) this.#at = cursor;
  }

  async #press(key: string): Promise<void> {
    this.#pressedAt = Date.now();
    if (key === '\t') await this.session.window.page.keyboard.insertText(key);
    else await this.session.workbench.press(key === ' ' ? 'Space' : key);
    await pause(this.#rng.integer(...KEY_MS));
  }

  /** Waits until the typed text is in the document, and returns its text and cursor. Throws if another text arrives. */
  async #waitForTypedText(): Promise<TypingState> {
    const expected = this.program.slice(0, this.#at);
    let place: TypingState | undefined;
    try {
      return await until('the keys have arrived', async () => {
        place = await this.session.probe.typingState();
        return place.text.slice(0, place.cursor) === expected && place;
      });
    } catch (cause) {
      const { text = '', cursor = 0 } = place ?? {};
      const got = `${text.slice(0, cursor)}‸${text.slice(cursor)}`;
      throw new Error(`Expected ${this.file} to begin with\n${expected}\ngot\n${got}`, { cause });
    }
  }

  /** Moves to the next line with text, at its indentation: a new line, or past closers of the editor. */
  async #newLine(): Promise<void> {
    const rest = this.program.slice(this.#at);
    const { text, cursor } = await this.#waitForTypedText();
    // Without closers below the cursor, a text that the rest of the program cannot begin with.
    const closers = /^\n[ \t]*(?:[)\]}]|<\/).*/.exec(text.slice(cursor))?.[0] ?? rest + rest;
    if (rest.startsWith(closers)) {
      // With the list or the hints of parameters open, the arrow would move in them.
      if (await this.session.window.page.locator(POPUPS).count()) await this.#press('Escape');
      await this.#press('ArrowDown');
      await this.#press('End');
      this.#at += closers.length;
      return;
    }
    const [blank = ''] = /^\n+[ \t]*/.exec(rest) ?? [];
    const lines = blank.lastIndexOf('\n') + 1;
    for (let i = 0; i < lines; i += 1) await this.#press('Enter');
    const indented = await until('the new line has arrived', async () => {
      const place = await this.session.probe.typingState();
      const indent = indentBefore(place);
      const arrived = place.text.slice(0, place.cursor - indent.length);
      return arrived === this.program.slice(0, this.#at + lines) && { indent };
    });
    await this.#indent(indented.indent, blank.slice(lines));
    this.#at += blank.length;
  }

  /** Changes the indentation before the cursor from `from` to `to`. */
  async #indent(from: string, to: string): Promise<void> {
    let indent = from;
    while (!to.startsWith(indent)) {
      await this.#press('Backspace');
      const { length } = indent;
      const left = await until('the line has less indentation', async () => {
        const less = indentBefore(await this.session.probe.typingState());
        return less.length < length && { less };
      });
      indent = left.less;
    }
    // Backspace deletes up to the tab stop, which can be further left than the end of `to`.
    for (const blank of to.slice(indent.length)) await this.#press(blank);
  }

  /** Pauses, and judges the suggestion once it can have arrived. */
  async #judgeSuggestion(): Promise<void> {
    const { page } = this.session.window;
    const { at = 0 } = (await readTrace(page)).keys.at(-1) ?? {};
    await pause(LOOK_MS);
    const place = await until('the last key is answered', async () => {
      const current = await this.session.probe.typingState();
      const { list } = await this.#screen();
      const isAnswered = current.isAnswered && list === (current.selected !== undefined);
      const isForgotten = !current.isRequesting && Date.now() - this.#pressedAt > UNANSWERED_MS;
      return (isAnswered || isForgotten) && current;
    });
    const outcome = await this.#outcome();
    const isSuggested = place.texts.length > 0 || outcome === 'shown';
    const screen = await this.#drawn();
    const shown = screen.below === '' ? screen.ghost : `${screen.ghost}\n${screen.below}`;
    const rest = this.program.slice(this.#at);
    const { frames } = await readTrace(page);
    const frame = frames.find((candidate) => candidate.at >= at && candidate.ghost !== '');
    this.#pauses.push({
      line: screen.before,
      shown,
      judgement: judge(shown, screen.after, rest),
      selected: place.selected,
      isSuggested,
      ...(shown === '' && { cause: this.#isOther(place.selected) ? 'other entry' : outcome }),
      waitedMs: shown === '' ? undefined : frame && frame.at - at,
    });
    if (isAllWanted(shown, screen.after, rest)) await this.#acceptWithTab(place, screen.before);
  }

  /** Returns the cursor's line once VS Code has drawn everything. */
  async #drawn(): Promise<Omit<GhostFrame, 'at'>> {
    let screen = await this.#screen();
    for (let unchanged = 0; unchanged < DRAWN; unchanged += 1) {
      await this.session.probe.typingState();
      const next = await this.#screen();
      if (JSON.stringify(next) !== JSON.stringify(screen)) unchanged = 0;
      screen = next;
    }
    return screen;
  }

  /** Returns the cursor's line after the next frame. */
  async #screen(): Promise<Omit<GhostFrame, 'at'>> {
    const { page } = this.session.window;
    return await until('the cursor shows', () =>
      page.evaluate<Omit<GhostFrame, 'at'> | undefined>(
        'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(ghostNow()))))',
      ),
    );
  }

  /** Returns whether an entry of the list, of which a part can be typed, is not what comes next. */
  #isOther(entry: string | undefined): boolean {
    if (entry === undefined) return false;
    const [typed = ''] = /[\w$]*$/.exec(this.program.slice(0, this.#at)) ?? [];
    return !(typed + this.program.slice(this.#at)).startsWith(entry.replace(/^\./, ''));
  }

  /**
   * Returns the outcome of the latest suggestion for the file that ended after the last key; `shown` if any was, `not
   * asked` if there is none.
   */
  async #outcome(): Promise<string> {
    const { rows } = await this.session.probe.state();
    const outcomes = rows
      .filter(
        ({ file, at, kind }) => file === basename(this.file) && at >= this.#pressedAt && kind === 'inline',
      )
      .map(({ outcome }) => outcome);
    return outcomes.includes('shown') ? 'shown' : (outcomes.at(-1) ?? 'not asked');
  }

  /**
   * Presses Tab to accept a suggestion. If the list is open, Tab accepts its entry instead, which changes nothing if
   * the entry is already typed in full.
   */
  async #acceptWithTab({ cursor, selected }: TypingState, before: string): Promise<void> {
    // An entry that is not typed in full is inserted some time after the list has closed.
    const isTyped = selected !== undefined && before.endsWith(selected);
    await this.session.workbench.press('Tab');
    const { frames, keys } = await readTrace(this.session.window.page);
    const { at = 0 } = keys.at(-1) ?? {};
    const hadList = frames.findLast((frame) => frame.at <= at)?.list === true;
    const place = await until('Tab has accepted a suggestion or an entry', async () => {
      const current = await this.session.probe.typingState();
      if (current.cursor !== cursor) return current;
      const screen = hadList && isTyped && (await this.#drawn());
      return screen && !screen.list && screen.before === before && current;
    });
    this.#at = place.cursor;
    await this.#waitForTypedText();
  }
}

/**
 * Counts the keys that insert a character or a line end, those of them pressed while ghost text was visible, those
 * that the ghost text predicted, and the predicted ones after which it was gone by the next key, although it had more
 * to show than closers.
 */
export function keyCounts({ frames, keys }: GhostTrace): KeyCounts {
  const frameAt = (time: number): GhostFrame | undefined => frames.findLast(({ at }) => at <= time);
  const shownIn = (frame: GhostFrame | undefined): string => (frame ? frame.ghost + frame.below : '');
  const pressed = keys.flatMap(({ key, at }, i) => {
    if (key.length !== 1 && key !== 'Enter') return [];
    const shown = shownIn(frameAt(at));
    const agrees = frameAt(at)?.ghost.startsWith(key) === true;
    const rest = shownIn(frameAt(keys[i + 1]?.at ?? Infinity));
    const isLost = agrees && rest === '' && withoutClosers(shown.slice(1)) !== '';
    return [{ hasGhost: shown !== '', agrees, isLost }];
  });
  return {
    all: pressed.length,
    withGhost: pressed.filter(({ hasGhost }) => hasGhost).length,
    agreed: pressed.filter(({ agrees }) => agrees).length,
    lost: pressed.filter(({ isLost }) => isLost).length,
  };
}

/** Returns the indentation before the cursor, in a line with nothing else before it; empty in another line. */
function indentBefore({ text, cursor }: TypingState): string {
  return /(?<=\n)[ \t]*$/.exec(text.slice(0, cursor))?.[0] ?? '';
}
