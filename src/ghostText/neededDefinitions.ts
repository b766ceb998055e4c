// Sends the server the definitions in other files that the code at a cursor needs, so that prompts quote their outlines:
// of imported names, of the receiver before a dot, and of the function whose arguments are being written. Decides what
// to look up, and when again. Suggestions do not wait for it.
import * as vscode from 'vscode';
import { setTimeout as pause } from 'node:timers/promises';
import { Method } from '../../server/protocol/messages';
import { HEAD_LINES, importedNames } from '../../server/rules/imports';
import { calledName, receiver } from './cursorNames';
import { DefinitionSearch, type Definition } from './definitionSearch';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../gate/gate';

/** Prefix of the keys of receivers and functions; no module begins with it. */
const AT_CURSOR = '\0';
/** Maximum number of imported names to look up; a prompt has room for a few definitions. */
const MAX_IMPORTS = 16;
/** Receivers and functions of earlier cursor positions that are kept. */
const MAX_EARLIER = 8;
/** Time limit of all look-ups of a request: language support can be busy, or never answer. */
const MAX_LOOKUP_MS = 1500;
/**
 * Pause before a name without a definition is looked up again, since language support can still be starting. It doubles
 * with each further try.
 */
const RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
/** Message without any definitions or cells, as JSON. A new server knows none. */
const NOTHING = JSON.stringify([[], []]);

/** A look-up, and the key under which its answer is kept. */
interface Lookup {
  readonly key: string;
  readonly find: () => Promise<readonly Definition[] | undefined>;
}

/** Answer to a look-up. */
interface Answer {
  readonly definitions: readonly Definition[];
  /** Time at which the look-up began, ms of performance.now(). */
  readonly at: number;
  /** Number of look-ups in a row that found nothing. */
  readonly tries: number;
}

interface DocumentDefinitions {
  /** Answers by the key of their look-up, in the order in which they were first needed and prompts quote them. */
  readonly found: Map<string, Answer>;
  /** Definitions and cells last sent to the server, as JSON. */
  sent: string;
  isLooking: boolean;
}

export class NeededDefinitions {
  #byDocument = new WeakMap<vscode.TextDocument, DocumentDefinitions>();
  /** Time of the last change of each document by URI, ms of performance.now(). */
  readonly #changedAt = new Map<string, number>();
  readonly #search: DefinitionSearch;

  constructor(
    private readonly gate: EditorGate,
    private readonly client: FlashlineClient,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#search = new DefinitionSearch(gate);
  }

  /** Forgets all definitions, for a new server. */
  reset(): void {
    this.#byDocument = new WeakMap();
  }

  changed(uri: vscode.Uri): void {
    this.#changedAt.set(uri.toString(), performance.now());
  }

  /** Drops definitions in a deleted file, or in the files of a deleted folder, as the server does. */
  deleted(uri: vscode.Uri): void {
    const isDeleted = (definition: Definition): boolean =>
      `${definition.uri}/`.startsWith(`${uri.toString()}/`);
    this.#drop(({ definitions }) => definitions.some(isDeleted));
    // A look-up in progress can have read the file.
    if ([...this.#states()].some(([, { isLooking }]) => isLooking)) this.changed(uri);
  }

  /**
   * Applies a change of the rules by which files are hidden: drops definitions that must not be quoted any more, and
   * has names without a definition looked up again.
   */
  rulesChanged(): void {
    const isHidden = ({ uri }: Definition): boolean => this.gate.isUnquotable(vscode.Uri.parse(uri));
    this.#drop(({ definitions }) => definitions.length === 0 || definitions.some(isHidden));
  }

  /** Looks up the definitions needed at `position`, in the background. Cheap once they are known. */
  requested(document: vscode.TextDocument, position: vscode.Position): void {
    const state = this.#byDocument.get(document) ?? { found: new Map(), sent: NOTHING, isLooking: false };
    this.#byDocument.set(document, state);
    if (state.isLooking) return;
    const lookups = this.#lookups(document, position);
    state.isLooking = true;
    this.#look(state, lookups)
      .then(() => {
        this.#send(document, state);
      })
      .catch((error: unknown) => {
        this.log.warn(`Definitions for ${document.languageId} could not be found: ${String(error)}`);
      })
      .finally(() => (state.isLooking = false));
  }

  /** Returns the look-ups for a position: those of imports first, since they change least. */
  #lookups(document: vscode.TextDocument, { line, character }: vscode.Position): Lookup[] {
    const typed = document.lineAt(line).text.slice(0, character);
    const object = receiver(typed);
    const call = calledName(typed);
    const imports = importedNames(headOf(document)).slice(0, MAX_IMPORTS);
    return [
      ...imports.map((name) => ({
        key: `${name.module ?? ''} ${name.name}`,
        find: () => this.#search.importedDefinitions(document, name),
      })),
      object && {
        key: `${AT_CURSOR}${object.text}.`,
        find: () => this.#search.typeDefinitionsAt(document, new vscode.Position(line, object.at)),
      },
      call && {
        key: `${AT_CURSOR}${call.text}(`,
        find: () => this.#search.definitionsAt(document, new vscode.Position(line, call.at)),
      },
    ].filter((lookup) => lookup !== undefined);
  }

  /** Runs the look-ups one after another until the time limit, since language support has other work to do. */
  async #look({ found }: DocumentDefinitions, lookups: readonly Lookup[]): Promise<void> {
    const end = performance.now() + MAX_LOOKUP_MS;
    for (const { key, find } of lookups) {
      const before = found.get(key);
      if (before && !this.#isDue(before)) continue;
      const at = performance.now();
      const definitions = (await within(end, find())) ?? [];
      const tries = definitions.length > 0 ? 0 : (before?.tries ?? 0) + 1;
      found.set(key, { definitions, at, tries });
      if (performance.now() >= end) break;
    }
    dropUnneeded(found, new Set(lookups.map(({ key }) => key)));
  }

  /** Yields the open documents with definitions. */
  *#states(): Generator<[vscode.TextDocument, DocumentDefinitions]> {
    for (const document of vscode.workspace.textDocuments) {
      const state = this.#byDocument.get(document);
      if (state) yield [document, state];
    }
  }

  /** Drops the answers that match in all open documents, and sends the remaining ones to the server. */
  #drop(isDropped: (answer: Answer) => boolean): void {
    for (const [document, state] of this.#states()) {
      const keys = [...state.found].filter(([, answer]) => isDropped(answer)).map(([key]) => key);
      for (const key of keys) state.found.delete(key);
      if (keys.length > 0) this.#send(document, state);
    }
  }

  #isDue({ definitions, at, tries }: Answer): boolean {
    if (definitions.length === 0)
      return performance.now() - at > Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** (tries - 1));
    return definitions.some(({ uri }) => (this.#changedAt.get(uri) ?? 0) > at);
  }

  #send(document: vscode.TextDocument, state: DocumentDefinitions): void {
    const definitions = [...state.found.values()].flatMap((answer) => answer.definitions);
    const above = cellsBefore(document).map(({ uri }) => uri.toString());
    const sent = JSON.stringify([definitions, above]);
    if (sent === state.sent) return;
    state.sent = sent;
    const uri = document.uri.toString();
    this.client.notify(Method.definitions, { uri, definitions, ...(above.length > 0 && { above }) });
  }
}

/**
 * Deletes definitions of imports that were removed from the file. Keeps the latest definitions for earlier cursor
 * positions, so that the beginning of prompts, which quotes them, stays the same for the prompt cache.
 */
function dropUnneeded(found: Map<string, Answer>, needed: ReadonlySet<string>): void {
  const unneeded = [...found.keys()].filter((key) => !needed.has(key));
  const ofImports = unneeded.filter((key) => !key.startsWith(AT_CURSOR));
  const ofCursors = unneeded.filter((key) => key.startsWith(AT_CURSOR));
  for (const key of [...ofImports, ...ofCursors.slice(0, -MAX_EARLIER)]) found.delete(key);
}

/** Returns the top of a document, in which its imports are looked for. */
function headOf(document: vscode.TextDocument): string {
  return document.getText(new vscode.Range(0, 0, Math.min(document.lineCount, HEAD_LINES), 0));
}

/** Returns the code cells above a cell of a notebook, in order; none for a file. */
function cellsBefore(document: vscode.TextDocument): vscode.TextDocument[] {
  if (document.uri.scheme !== 'vscode-notebook-cell') return [];
  for (const notebook of vscode.workspace.notebookDocuments) {
    const cells = notebook.getCells().filter(({ kind }) => kind === vscode.NotebookCellKind.Code);
    const index = cells.findIndex((cell) => cell.document === document);
    if (index >= 0) return cells.slice(0, index).map((cell) => cell.document);
  }
  return [];
}

/** Returns the result of `work`; undefined if it fails or has not ended by `end`. */
function within<T>(end: number, work: Promise<T>): Promise<T | undefined> {
  const late = pause(Math.max(0, end - performance.now()), undefined, { ref: false });
  return Promise.race([work.catch(() => undefined), late]);
}
