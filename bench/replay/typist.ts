// Plays a trace in an editor at the speed of a person, and decides which part of each suggestion to accept.
import { setTimeout as pauseFor } from 'node:timers/promises';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { LocalRow } from '../localRow';
import { agreeingParts } from './agreeingParts';
import { Editor, type EditorRequest } from './editor';
import { editFor, type EditEvent, type Progress } from './progress';
import type { ReplayClient } from './replayClient';
import type { Trace, TraceEvent } from './trace';
import type { LookEvent } from './typePassage';

export interface TypistOptions {
  /** Number by which all pauses and `patienceMs` are divided. */
  readonly speed: number;
  /** Time limit for waiting for a suggestion to look at; undefined waits for the answer. */
  readonly patienceMs?: number | undefined;
  /** Signal that ends the typing early. */
  readonly signal: AbortSignal;
  /** Called at each key of the trace with its number from 1, also if an accepted suggestion has typed it already. */
  readonly onProgress?: (keys: number) => void;
}

export interface Played {
  readonly requests: readonly EditorRequest[];
  /** All decodes, including those without a pending request. */
  readonly rows: readonly LocalRow[];
  /** Count of typing keys. */
  readonly typedCharacters: number;
  readonly acceptedCharacters: number;
  /** Count of accepted parts. */
  readonly accepts: number;
  readonly seconds: number;
  /** Texts of the trace's documents at the end; undefined for those that were never opened. */
  readonly texts: readonly (string | undefined)[];
  readonly interrupted: boolean;
}

const FOLDER = 'file:///replay/';
/** Pause between accepted words or lines. */
const ACCEPT_PAUSE_MS = 180;
/** Maximum number of complete suggestions accepted one after the other. */
const MAX_CHAIN = 3;
const KEY_EVENTS: readonly string[] = ['key', 'newline', 'slip'] satisfies EditEvent['kind'][];

export class Typist {
  readonly #editor: Editor;
  readonly #documents = new Map<number, TextDocument>();
  readonly #texts: (string | undefined)[];
  #passage = '';
  #progress: Progress = { done: 0, wrong: 0 };
  #typedCharacters = 0;
  #acceptedCharacters = 0;
  #accepts = 0;
  #keys = 0;

  constructor(
    private readonly client: ReplayClient,
    private readonly trace: Trace,
    private readonly options: TypistOptions,
  ) {
    this.#editor = new Editor(client, (ghost) => this.#partsOf(ghost, 'word').length > 0);
    this.#texts = trace.documents.map(() => undefined);
  }

  async play(): Promise<Played> {
    const { signal } = this.options;
    const startedAt = performance.now();
    for (const event of this.trace.events) {
      if (signal.aborted) break;
      await this.#perform(event);
    }
    await this.#editor.settled();
    await this.client.idle();
    for (const [i, document] of this.#documents) this.#texts[i] = document.getText();
    return {
      requests: this.#editor.requests,
      rows: this.client.rows,
      typedCharacters: this.#typedCharacters,
      acceptedCharacters: this.#acceptedCharacters,
      accepts: this.#accepts,
      seconds: (performance.now() - startedAt) / 1000,
      texts: this.#texts,
      interrupted: signal.aborted,
    };
  }

  async #perform(event: TraceEvent): Promise<void> {
    switch (event.kind) {
      case 'open':
        await this.#pause(event.pauseMs);
        return this.#open(event.document);
      case 'close':
        return this.#close(event.document);
      case 'passage':
        await this.#pause(event.pauseMs);
        this.#passage = event.text;
        this.#progress = { done: 0, wrong: 0 };
        return this.#editor.show(this.#document(event.document), event.offset);
      case 'generate':
        await this.#pause(event.pauseMs);
        return this.#editor.generate(event.instruction);
      case 'look':
        return await this.#look(event);
      case 'key':
      case 'newline':
      case 'slip':
      case 'backspace':
      case 'deleteLine':
      case 'undo':
        return await this.#edit(event);
    }
  }

  #open(index: number): void {
    const { fileName = '', languageId = '', start = '' } = this.trace.documents[index] ?? {};
    const document = TextDocument.create(FOLDER + encodeURIComponent(fileName), languageId, 1, start);
    this.#documents.set(index, document);
    this.client.open(document);
  }

  #close(index: number): void {
    const document = this.#document(index);
    this.#texts[index] = document.getText();
    this.#documents.delete(index);
    this.client.close(document);
  }

  async #edit(event: EditEvent): Promise<void> {
    const typesKey = KEY_EVENTS.includes(event.kind);
    if (typesKey) {
      this.#keys += 1;
      this.options.onProgress?.(this.#keys);
    }
    const edit = editFor(event, this.#progress, this.#passage);
    if (edit === undefined) return;
    await this.#pause(event.pauseMs);
    this.#progress = edit.progress;
    if (typesKey) this.#typedCharacters += 1;
    this.#editor.change(edit, 'typing');
  }

  /**
   * Waits for the suggestion, at most `patienceMs`, and accepts its correct part. After a complete one, looks at the
   * next.
   */
  async #look({ at, mode, pauseMs }: LookEvent): Promise<void> {
    if (this.#progress.done !== at || this.#progress.wrong > 0) return;
    for (let i = 0; i < MAX_CHAIN; i++) {
      await this.#answered();
      if (this.#editor.ghost === '') return;
      await this.#pause(pauseMs);
      if (this.options.signal.aborted) return;
      const parts = this.#partsOf(this.#editor.ghost, mode);
      for (const [n, part] of parts.entries()) {
        if (n > 0) await this.#pause(ACCEPT_PAUSE_MS);
        // A newer response can have replaced the ghost text.
        if (!this.#editor.ghost.startsWith(part)) return;
        this.#accept(part);
      }
      if (parts.length === 0 || this.#editor.ghost !== '') return;
    }
  }

  async #answered(): Promise<void> {
    const { patienceMs } = this.options;
    const answered = this.#editor.answered();
    if (patienceMs === undefined) return await answered;
    // End the timer, as it would keep the process alive.
    const looked = new AbortController();
    await Promise.race([answered, this.#pause(patienceMs, looked.signal)]);
    looked.abort();
  }

  /** Returns the parts of a suggestion that the user accepts; none next to a slip. */
  #partsOf(ghost: string, mode: LookEvent['mode']): string[] {
    const { done, wrong } = this.#progress;
    return wrong > 0 ? [] : agreeingParts(ghost, this.#passage.slice(done), mode);
  }

  #accept(part: string): void {
    this.#accepts += 1;
    this.#acceptedCharacters += part.length;
    this.#progress = { done: this.#progress.done + part.length, wrong: 0 };
    this.#editor.change({ removed: 0, inserted: part }, 'accepting');
  }

  #document(index: number): TextDocument {
    const document = this.#documents.get(index);
    if (document === undefined) throw new Error(`Document ${String(index)} of the trace is not open`);
    return document;
  }

  async #pause(milliseconds: number, until?: AbortSignal): Promise<void> {
    const { speed, signal: ended } = this.options;
    const signal = until ? AbortSignal.any([ended, until]) : ended;
    // An abort only ends the pause; `play` stops before the next event.
    await pauseFor(milliseconds / speed, undefined, { signal }).catch(() => undefined);
  }
}
