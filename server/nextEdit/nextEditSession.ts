// The next edits of one client: decides when to run a model, and keeps its answers and the edits that the user
// dismissed. Knows neither messages nor engines; the caller lends a model for each request.
import type { TextEdit } from 'vscode-languageserver/node';
import type { DocumentSnapshot } from '../completion/prompt/context';
import { whyIneligible } from '../completion/prompt/eligibility';
import { withLf } from '../completion/prompt/lineEnds';
import { failureLine } from '../rules/failure';
import { changedLines, sameLines, withChange } from '../rules/lineDiff';
import { Answers, type Answer } from './answers';
import { EditLog, quotable, type EditEvent } from './editLog';
import type { EditFormat } from './editFormat';
import { EditRun, type EditRequest } from './editRun';
import { editWindow, type EditPrompt } from './editWindow';
import { propose, type EditDecoder } from './proposal';
import { RejectedEdits } from './rejectedEdits';
import { isRevert } from './reverts';
import { endOfLine, textEdit } from './textEdit';

/** A model that makes edits, lent for one request. */
export interface EditModel {
  readonly format: EditFormat;
  readonly decoder: EditDecoder;
  /** Maximum length of a prompt, in tokens. */
  readonly promptTokens: number;
}

export interface SessionParts {
  /** Runs `work` with a model; with undefined if no model makes edits. */
  readonly use: <T>(uri: string, work: (model: EditModel | undefined) => Promise<T>) => Promise<T>;
  /** Waits, for a limited time, until no ghost text is being computed, because ghost text comes first. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  readonly log: (line: string) => void;
  readonly now?: () => number;
}

export interface NextEdit {
  readonly id: string;
  /** Edit with the line ends of the document. */
  readonly edit: TextEdit;
}

/** Estimate, by which a limit of tokens becomes one of characters. */
const CHARACTERS_PER_TOKEN = 3;

export class NextEditSession {
  #log = new EditLog();
  #rejected = new RejectedEdits();
  readonly #answers = new Answers();
  /** Last suggestions of ghost text, with \n for line ends. */
  #offered: { readonly uri: string; readonly texts: readonly string[] } | undefined;
  #running: EditRun | undefined;
  /** Number of the newest request. */
  #turn = 0;

  constructor(private readonly parts: SessionParts) {}

  /** Records a document that was opened or has changed, and cancels an answer that the change makes useless. */
  changed(document: DocumentSnapshot): void {
    const { uri } = document;
    const isAcceptedEdit = (lines: readonly string[]): boolean => this.#answers.isAccepted(uri, lines);
    const offered = this.#offered?.uri === uri ? this.#offered.texts : [];
    const change = this.#log.changed(document, this.#now(), isAcceptedEdit, offered);
    if (change) this.#rejected.moved(uri, change);
    const running = this.#running;
    const lines = this.#log.lines(uri);
    if (running?.request.uri === uri && !(lines && running.agreesWith(lines)))
      running.controller.abort('superseded');
  }

  /** Records suggestions of ghost text, so that accepting one does not count as a paste. */
  offered(uri: string, texts: readonly string[]): void {
    if (texts.length > 0) this.#offered = { uri, texts: texts.map(withLf) };
  }

  /** Forgets a closed document, so that prompts no longer quote it, and cancels its running answer. */
  closed(uri: string): void {
    if (this.#offered?.uri === uri) this.#offered = undefined;
    this.#log.closed(uri);
    this.#rejected.closed(uri);
    this.#answers.closed(uri);
    if (this.#running?.request.uri === uri) this.#running.controller.abort('cancelled');
  }

  /** Forgets all answers, as another model can have better ones. */
  forgetAnswers(): void {
    this.#answers.clear();
    this.#running?.controller.abort('superseded');
  }

  /** Forgets all documents, as the setting is off or the client has gone. */
  end(): void {
    this.#log = new EditLog();
    this.#rejected = new RejectedEdits();
    this.#answers.clear();
    this.#offered = undefined;
    this.#running?.controller.abort('cancelled');
  }

  /**
   * Returns the next edit; undefined if there is none or the request is cancelled. Supersedes an earlier request,
   * unless typing agrees with its output. Never rejects.
   */
  async nextEdit(request: EditRequest): Promise<NextEdit | undefined> {
    const { uri, cursor, signal, trigger } = request;
    const turn = (this.#turn += 1);
    const document = this.#log.document(uri);
    const lines = this.#log.lines(uri);
    const isDue = trigger === 'explicit' ? this.#log.events().length > 0 : this.#log.isEditDue(uri);
    if (document === undefined || whyIneligible(document) !== undefined || lines === undefined || !isDue)
      return undefined;
    const kept = this.#answers.find(uri, lines, cursor);
    if (kept !== undefined) return this.#toNextEdit(kept, document);
    const running = this.#running;
    if (running?.request.uri === uri && running.agreesWith(lines)) {
      await this.#waitFor(running, signal);
      if (signal.aborted || this.#log.document(uri) !== document) return undefined;
      const found = this.#answers.find(uri, lines, cursor);
      if (found !== undefined) return this.#toNextEdit(found, document);
      if (turn !== this.#turn) return undefined;
    }
    this.#running?.controller.abort('superseded');
    const answer = await this.#waitFor(this.#start(new EditRun(request, document, lines)), signal);
    return answer && !signal.aborted ? this.#toNextEdit(answer, document) : undefined;
  }

  /** Records that the user dismissed a visible edit, of which a part can have been typed. */
  rejected(id: string): void {
    const answer = this.#answers.get(id);
    if (answer?.change === undefined) return;
    const { uri, change } = answer;
    this.#rejected.add(uri, change, answer.lines);
    const lines = this.#log.lines(uri) ?? answer.lines;
    const rest = changedLines(lines, withChange(answer.lines, change));
    if (rest && !sameLines(lines, answer.lines)) this.#rejected.add(uri, rest, lines);
  }

  /** Computes the edit after a visible one, so that it appears immediately once the visible one is accepted. */
  async shown(id: string, request: Omit<EditRequest, 'uri' | 'cursor' | 'trigger'>): Promise<void> {
    const answer = this.#answers.get(id);
    const document = answer && this.#log.document(answer.uri);
    if (!answer?.change || !document || this.#running || this.#log.lines(answer.uri) !== answer.lines) return;
    const { at, added, removed } = answer.change;
    const lines = withChange(answer.lines, answer.change);
    const event: EditEvent = {
      uri: answer.uri,
      path: document.fileName,
      line: at,
      above: lines[at - 1],
      before: answer.lines.slice(at, at + removed),
      after: added,
      at: this.#now(),
      isPrediction: true,
    };
    const cursor = endOfLine(Math.max(0, at + added.length - 1), lines);
    const next = { ...request, uri: answer.uri, cursor, trigger: 'automatic' } as const;
    await this.#waitFor(this.#start(new EditRun(next, document, lines, event)), request.signal);
  }

  #now(): number {
    return (this.parts.now ?? Date.now)();
  }

  /**
   * Waits for an answer. An aborted request cancels it, unless the text has changed since the request: then another one
   * follows.
   */
  async #waitFor(running: EditRun, signal: AbortSignal): Promise<Answer | undefined> {
    const { uri } = running.request;
    const requestedLines = this.#log.lines(uri);
    const onAbort = (): void => {
      if (this.#log.lines(uri) === requestedLines) running.controller.abort('cancelled');
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const answer = await running.answer;
    signal.removeEventListener('abort', onAbort);
    return answer;
  }

  #start(run: EditRun): EditRun {
    this.#running = run;
    run.answer = this.#computeAnswer(run)
      .catch((error: unknown) => {
        this.parts.log(failureLine('next edit', error));
        return undefined;
      })
      .finally(() => {
        if (this.#running === run) this.#running = undefined;
      });
    return run;
  }

  async #computeAnswer(run: EditRun): Promise<Answer | undefined> {
    const { request, document, lines, controller } = run;
    const { uri, cursor } = request;
    const { signal } = controller;
    await this.parts.quiet(signal);
    if (signal.aborted) return undefined;
    return await this.parts.use(uri, async (model) => {
      // Read again: while the request waited, a link to a secret can have replaced the file.
      if (model === undefined || signal.aborted || whyIneligible(document) !== undefined) return undefined;
      const { format, decoder } = model;
      const prompt = this.#prompt(run, model);
      if (prompt === undefined) return undefined;
      run.start = prompt.window.from + prompt.window.head;
      const onOutput = (output: string): void => {
        run.output = output;
      };
      const reading = await propose(prompt, format, decoder, { signal, onOutput });
      const isGood = reading.kind === 'change' && !isRevert(this.#log, uri, lines, reading.change);
      decoder.record(document.fileName, isGood ? 'shown' : reading.kind === 'same' ? 'empty' : 'filtered');
      if (signal.aborted) return undefined;
      const change = isGood ? reading.change : undefined;
      return this.#answers.add({ uri, lines, change, cursorLine: cursor.line });
    });
  }

  #prompt(
    { request, document, lines, event }: EditRun,
    { format, promptTokens }: EditModel,
  ): EditPrompt | undefined {
    const { uri, cursor, useOpenFiles } = request;
    const logged = quotable(this.#log.events(useOpenFiles ? undefined : uri));
    const events = event ? [...logged, event] : logged;
    const documentEvent = events.findLast((quoted) => quoted.uri === uri);
    // The window can only undo the document's last event, which `quotable` might have left out.
    const isLast = documentEvent === event || documentEvent === this.#log.events(uri).at(-1);
    const place = { ...cursor, line: Math.min(cursor.line, lines.length - 1) };
    const window = editWindow(lines, place, format.span(lines, place), isLast ? documentEvent : undefined);
    const used = [window?.lines, window?.original, ...events.flatMap(({ before, after }) => [before, after])];
    const room = promptTokens * CHARACTERS_PER_TOKEN - used.flat().join('\n').length;
    return window && { path: document.fileName, lines, cursor: place, window, events, room };
  }

  /** Returns the edit of an answer for the client; undefined without a change, or if the user has dismissed it. */
  #toNextEdit(answer: Answer, { uri, text }: DocumentSnapshot): NextEdit | undefined {
    const { id, change, lines } = answer;
    if (change === undefined || this.#rejected.has(uri, change, lines)) return undefined;
    const { range, newText } = textEdit(change, lines);
    return { id, edit: { range, newText: newText.replaceAll('\n', lineEndAt(text, range.start.line)) } };
  }
}

/** Returns the line end of a line; that of the line before if it is the last one. */
function lineEndAt(text: string, line: number): string {
  const ends = text.match(/\r\n|\r|\n/g) ?? [];
  return ends[line] ?? ends.at(-1) ?? '\n';
}
