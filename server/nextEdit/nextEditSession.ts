// The next edits of one client: when a model is asked, answers that are kept, and edits that the person dismissed. Knows
// neither messages nor engines; models are lent to it for each request.
import type { DocumentSnapshot } from '../completion/prompt/context';
import { lineEndOf } from '../completion/prompt/lineEnds';
import { failureLine } from '../rules/inputError';
import { changedLines, withChange, type LineChange } from '../rules/lineDiff';
import type { EditDisplay } from '../protocol/nextEditMessages';
import { digest, EditLog, linesOf, quotable, type EditEvent } from './editLog';
import type { EditFormat } from './editFormat';
import { editWindow, type EditPrompt } from './editWindow';
import { propose, type EditDecoder, type Proposal } from './proposal';
import { RejectedEdits } from './rejectedEdits';
import { isRevert } from './reverts';
import { displayed, textEdit, trimmed, type Place, type TextEdit } from './textEdit';

/** A model for one request. */
export interface EditModel {
  readonly format: EditFormat;
  readonly decoder: EditDecoder;
  /** Tokens that a prompt has at most. */
  readonly promptTokens: number;
}

export interface SessionParts {
  /** Lends the model; `work` gets undefined if there is none that makes edits. */
  readonly use: <T>(uri: string, work: (model: EditModel | undefined) => Promise<T>) => Promise<T>;
  /** Resolves once no ghost text is being computed, which comes first. */
  readonly quiet: (signal: AbortSignal) => Promise<void>;
  readonly log: (line: string) => void;
  readonly now?: () => number;
}

export interface EditRequest {
  readonly uri: string;
  readonly cursor: Place;
  /** automatic: not after undo, formatting or a long paste. */
  readonly trigger: 'automatic' | 'explicit';
  /** Whether events of other files may enter the prompt. */
  readonly useOpenFiles: boolean;
  readonly signal: AbortSignal;
}

export interface NextEdit {
  readonly id: string;
  /** In the document's own line ends. */
  readonly edit: TextEdit;
  readonly display: EditDisplay;
  readonly probability: number | undefined;
}

/** A proposal for one text of a document; undefined if that needs no edit. */
interface Answer {
  readonly id: string;
  readonly uri: string;
  readonly lines: readonly string[];
  readonly proposal: Proposal | undefined;
  /** Where the cursor was: without a proposal, the answer counts for this line. */
  readonly line: number;
}

interface Running {
  readonly uri: string;
  readonly lines: readonly string[];
  readonly line: number;
  readonly controller: AbortController;
  /** Never rejects. */
  answer: Promise<Answer | undefined>;
  /** First line that the output rewrites, and the output so far. */
  start: number;
  output: string;
}

const MOST_ANSWERS = 50;
const CHARACTERS_PER_TOKEN = 3;

export class NextEditSession {
  readonly #log = new EditLog();
  readonly #rejected = new RejectedEdits();
  readonly #documents = new Map<string, DocumentSnapshot>();
  /** By the digest of a text, the newest last. */
  readonly #answers = new Map<string, Answer>();
  #running: Running | undefined;
  #count = 0;

  constructor(private readonly parts: SessionParts) {}

  /** A document was opened or has changed. */
  changed(document: DocumentSnapshot): void {
    const { uri, text } = document;
    this.#documents.set(uri, document);
    const lines = linesOf(text);
    const isPrediction = [...this.#answers.values()].some(
      (answer) => answer.uri === uri && answer.proposal && isAccepted(answer, answer.proposal, lines),
    );
    const change = this.#log.changed(document, this.#now(), isPrediction);
    if (change) this.#rejected.moved(uri, change);
    const running = this.#running;
    if (running?.uri === uri && !isBeingTyped(running, lines)) running.controller.abort('superseded');
  }

  /** The document must not be quoted any more. */
  closed(uri: string): void {
    this.#documents.delete(uri);
    this.#log.closed(uri);
    this.#rejected.closed(uri);
    for (const [key, answer] of this.#answers) if (answer.uri === uri) this.#answers.delete(key);
    if (this.#running?.uri === uri) this.#running.controller.abort('cancelled');
  }

  /** Forgets all documents, as the setting is off or the client has gone. */
  end(): void {
    for (const uri of this.#documents.keys()) this.closed(uri);
    this.#log.clear();
  }

  /** Returns the next edit; undefined if there is none, for whatever reason. Ends the request before. Never rejects. */
  async ask(request: EditRequest): Promise<NextEdit | undefined> {
    const { uri, cursor, signal, trigger } = request;
    const document = this.#documents.get(uri);
    const lines = this.#log.lines(uri);
    const isDue = trigger === 'explicit' ? this.#log.events().length > 0 : this.#log.mayAsk(uri);
    if (document === undefined || document.ineligible !== undefined || lines === undefined || !isDue)
      return undefined;
    const known = this.#known(uri, lines, cursor);
    if (known !== undefined) return this.#shown(known, document, cursor);
    const running = this.#running;
    if (running?.uri === uri && isBeingTyped(running, lines)) {
      const answer = await this.#followed(running, signal);
      const typed = answer && rebased(answer, lines);
      if (signal.aborted || this.#documents.get(uri) !== document) return undefined;
      if (typed) return this.#shown(typed, document, cursor);
    }
    this.#running?.controller.abort('superseded');
    const next = this.#start(request, document, lines);
    const answer = await this.#followed(next, signal);
    return answer && !signal.aborted ? this.#shown(answer, document, cursor) : undefined;
  }

  /** The person dismissed an edit that was visible. */
  rejected(id: string): void {
    const answer = this.#answerOf(id);
    if (answer?.proposal) this.#rejected.add(answer.uri, answer.proposal.change, answer.lines);
  }

  /** An edit is visible: computes what follows once it is accepted, so that this appears at once. */
  async shown(id: string, request: Omit<EditRequest, 'uri' | 'cursor' | 'trigger'>): Promise<void> {
    const answer = this.#answerOf(id);
    const document = answer && this.#documents.get(answer.uri);
    if (!answer?.proposal || !document || this.#running || this.#log.lines(answer.uri) !== answer.lines)
      return;
    const { at, added, removed } = answer.proposal.change;
    const lines = accepted(answer, answer.proposal);
    const event: EditEvent = {
      ...{ uri: answer.uri, path: document.fileName, line: at, above: lines[at - 1], isPrediction: true },
      ...{ before: answer.lines.slice(at, at + removed), after: added, at: this.#now() },
    };
    const line = Math.max(0, Math.min(at + added.length, lines.length) - 1);
    const cursor = { line, character: lines[line]?.length ?? 0 };
    const next = { ...request, uri: answer.uri, cursor, trigger: 'automatic' } as const;
    await this.#followed(this.#start(next, document, lines, event), request.signal);
  }

  #now(): number {
    return (this.parts.now ?? Date.now)();
  }

  #answerOf(id: string): Answer | undefined {
    return [...this.#answers.values()].find((answer) => answer.id === id);
  }

  /** Returns what was found for this text, or for one that typing has led here from. */
  #known(uri: string, lines: readonly string[], cursor: Place): Answer | undefined {
    const answer = this.#answers.get(`${uri}\n${digest(lines)}`);
    if (answer && (answer.proposal !== undefined || answer.line === cursor.line)) return answer;
    const last = [...this.#answers.values()].findLast((each) => each.uri === uri);
    return last && rebased(last, lines);
  }

  /** Waits for an answer; a request that is given up ends it, unless the text has changed and another one follows. */
  async #followed(running: Running, signal: AbortSignal): Promise<Answer | undefined> {
    const onAbort = (): void => {
      const lines = this.#log.lines(running.uri);
      if (lines === undefined || lines === running.lines) running.controller.abort('cancelled');
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const answer = await running.answer;
    signal.removeEventListener('abort', onAbort);
    return answer;
  }

  /** `event` is the last one of the text, if the log does not have it yet. */
  #start(
    request: EditRequest,
    document: DocumentSnapshot,
    lines: readonly string[],
    event?: EditEvent,
  ): Running {
    const { uri, cursor } = request;
    const controller = new AbortController();
    const answer = Promise.resolve(undefined);
    const running: Running = {
      ...{ uri, lines, line: cursor.line, controller, answer, start: Infinity, output: '' },
    };
    this.#running = running;
    running.answer = this.#answer(running, request, document, event)
      .catch((error: unknown) => {
        this.parts.log(failureLine('next edit', error));
        return undefined;
      })
      .finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    return running;
  }

  async #answer(
    running: Running,
    request: EditRequest,
    document: DocumentSnapshot,
    event?: EditEvent,
  ): Promise<Answer | undefined> {
    const { uri, lines, controller } = running;
    const { signal } = controller;
    await this.parts.quiet(signal);
    if (signal.aborted) return undefined;
    return await this.parts.use(uri, async (model) => {
      if (model === undefined || signal.aborted || document.ineligible !== undefined) return undefined;
      const { format, decoder } = model;
      const prompt = this.#prompt(running, request, model, event);
      if (prompt === undefined) return undefined;
      running.start = prompt.window.from + prompt.window.head;
      const onOutput = (output: string): void => void (running.output = output);
      const found = await propose(prompt, format, decoder, { signal, onOutput });
      const isGood = typeof found !== 'string' && !isRevert(this.#log, uri, lines, found.change);
      decoder.record(document.fileName, isGood ? 'shown' : found === 'no change' ? 'empty' : 'filtered');
      if (signal.aborted) return undefined;
      return this.#keep({ id: '', uri, lines, line: running.line, proposal: isGood ? found : undefined });
    });
  }

  #prompt(
    { uri, lines }: Running,
    { cursor, useOpenFiles }: EditRequest,
    { format, promptTokens }: EditModel,
    event?: EditEvent,
  ): EditPrompt | undefined {
    const logged = quotable(this.#log.events(useOpenFiles ? undefined : uri));
    const events = event ? [...logged, event] : logged;
    const own = events.findLast((each) => each.uri === uri);
    const isLast = own === event || own === this.#log.events(uri).at(-1);
    const place = { ...cursor, line: Math.min(cursor.line, lines.length - 1) };
    const window = editWindow(lines, place, format.span(lines, place), isLast ? own : undefined);
    const path = this.#documents.get(uri)?.fileName ?? '';
    const used = [window?.lines, window?.original, ...events.flatMap(({ before, after }) => [before, after])];
    const room = promptTokens * CHARACTERS_PER_TOKEN - used.flat().join('\n').length;
    return window && { path, lines, cursor: place, window, events, room };
  }

  #keep(found: Answer): Answer {
    const answer = { ...found, id: String((this.#count += 1)) };
    const key = `${answer.uri}\n${digest(answer.lines)}`;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  #shown(answer: Answer, { uri, text }: DocumentSnapshot, cursor: Place): NextEdit | undefined {
    const { id, proposal, lines } = answer;
    if (proposal === undefined || this.#rejected.has(uri, proposal.change, lines)) return undefined;
    const { edit, display } = displayed(textEdit(proposal.change, lines), cursor, lines);
    const own = { ...edit, text: edit.text.replaceAll('\n', lineEndOf(text)) };
    return { id, edit: own, display, probability: proposal.probability };
  }
}

function accepted({ lines }: Answer, { change }: Proposal): readonly string[] {
  return withChange(lines, change);
}

/** Whether `now` has the proposal. Compares the changed lines first, as this runs for each answer at each key. */
function isAccepted(answer: Answer, proposal: Proposal, now: readonly string[]): boolean {
  const { at, removed, added } = proposal.change;
  return (
    now.length === answer.lines.length - removed + added.length &&
    added.every((line, i) => line === now[at + i]) &&
    isSame(accepted(answer, proposal), now)
  );
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return changedLines(a, b) === undefined;
}

/** Returns what is left of an answer after some of it was typed; undefined if something else was. */
function rebased(answer: Answer, lines: readonly string[]): Answer | undefined {
  if (answer.proposal === undefined) return undefined;
  if (isSame(answer.lines, lines)) return answer;
  const target = accepted(answer, answer.proposal);
  const [typed, left] = [changedLines(answer.lines, lines), changedLines(lines, target)];
  if (typed === undefined || left === undefined) return undefined;
  const whole = textOf(answer.lines, answer.proposal.change);
  const [done, rest] = [textOf(answer.lines, typed), textOf(lines, left)];
  const isProgress =
    done.removed === '' &&
    rest.removed === whole.removed &&
    done.inserted.length + rest.inserted.length === whole.inserted.length;
  return isProgress ? { ...answer, lines, proposal: { ...answer.proposal, change: left } } : undefined;
}

/** Whether typing since the request agrees with the output so far: its answer may still be of use. */
function isBeingTyped({ lines, start, output }: Running, now: readonly string[]): boolean {
  const typed = changedLines(lines, now);
  if (typed === undefined) return true;
  const { start: offset, removed, inserted } = textOf(lines, typed);
  if (removed !== '' || typed.removed !== 1) return false;
  const text = typed.added.join('\n').slice(0, offset + inserted.length);
  const rewritten = output
    .replace(/^\n/, '')
    .split('\n')
    .slice(typed.at - start)
    .join('\n');
  return typed.at >= start && rewritten.startsWith(text);
}

function textOf(lines: readonly string[], { at, removed, added }: LineChange) {
  return trimmed(lines.slice(at, at + removed).join('\n'), added.join('\n'));
}
