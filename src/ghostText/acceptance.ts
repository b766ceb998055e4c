// Acceptance: what happens to suggestions: offered, accepted in full or in part. Only counts, stored on this machine.
// VS Code does not report partial accepts to extensions, so they are derived from document changes.
import * as vscode from 'vscode';
import { isRecord } from '../../server/rules/json';

const STORED = 'flashline.acceptance';
/** Offers come with every other key, so that they are stored together. */
const STORED_AFTER_MS = 10_000;

export const NO_ACCEPTANCE = {
  /** Suggestions shown, accepted or not; one that the person types into or accepts in parts counts once. */
  offered: 0,
  accepted: 0,
  /** A word or a line at a time. */
  acceptedParts: 0,
  acceptedCharacters: 0,
};

export type AcceptanceCounts = Readonly<typeof NO_ACCEPTANCE>;
/** Of one event: positions in the text before it, not overlapping. */
type Changes = vscode.TextDocumentChangeEvent['contentChanges'];

/** Text that was inserted into a document. */
export interface Insertion {
  readonly uri: string;
  readonly text: string;
}

interface Offer {
  readonly uri: string;
  readonly offset: number;
  /** For each alternative, what would follow the cursor. */
  readonly remaining: readonly string[];
}

// What typing a bracket or a quote inserts: not an accepted part.
const AUTO_CLOSED = /^(\(\)|\[\]|\{\}|''|""|``|<>)$/;

export class Acceptance implements vscode.Disposable {
  /** What this window has counted and not stored yet. */
  #unsaved: AcceptanceCounts = NO_ACCEPTANCE;
  #offer: Offer | undefined;
  #id = 0;
  #storing: NodeJS.Timeout | undefined;
  #last: Insertion | undefined;

  constructor(private readonly memory: vscode.Memento) {}

  /** Of all windows, as far as they have stored them. */
  get counts(): AcceptanceCounts {
    const stored = this.memory.get<Partial<AcceptanceCounts>>(STORED);
    return added({ ...NO_ACCEPTANCE, ...stored }, this.#unsaved);
  }

  /** Returns the id of the offer, for accept(). */
  offer(
    document: vscode.TextDocument,
    position: vscode.Position,
    items: readonly vscode.InlineCompletionItem[],
  ): number {
    const uri = document.uri.toString();
    const offset = document.offsetAt(position);
    const remaining = items.map((item) => followingText(item, position));
    const before = this.#offer;
    // One that has grown meanwhile is the same.
    const same =
      before?.uri === uri &&
      before.offset === offset &&
      remaining[0]?.startsWith(before.remaining[0] ?? '\0');
    this.#offer = remaining.length > 0 ? { uri, offset, remaining } : undefined;
    if (same || this.#offer === undefined) return this.#id;
    this.#add({ offered: 1 });
    this.#storing ??= setTimeout(() => {
      this.#store();
    }, STORED_AFTER_MS);
    this.#id += 1;
    return this.#id;
  }

  /** Whether something was offered there and neither accepted nor given up by other changes. */
  isOffered(document: vscode.TextDocument, position: vscode.Position): boolean {
    const { uri, offset } = this.#offer ?? {};
    return uri === document.uri.toString() && offset === document.offsetAt(position);
  }

  /** Gives up what is offered there; returns the texts, none if nothing is. */
  dismiss(document: vscode.TextDocument, position: vscode.Position): readonly string[] {
    if (!this.isOffered(document, position)) return [];
    const { remaining = [] } = this.#offer ?? {};
    this.#offer = undefined;
    return remaining;
  }

  /** Counts what the change has accepted, if that is a part of a suggestion. */
  change({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    if (this.#offer?.uri === uri) this.#follow(this.#offer, contentChanges);
  }

  /** VS Code ran the command of an accepted item, after inserting its text, which is returned if it was seen. */
  accept(id: number): Insertion | undefined {
    const seen = id === this.#id ? this.#last : undefined;
    this.#last = undefined;
    this.#offer = undefined;
    this.#add({ accepted: 1, acceptedCharacters: seen?.text.length ?? 0 });
    this.#store();
    return seen;
  }

  dispose(): void {
    if (this.#storing) this.#store();
  }

  /** Works out whether a change accepts a part of the offer, all of it, or something else. */
  #follow({ uri, offset, remaining }: Offer, changes: Changes): void {
    const [change] = changes;
    if (change === undefined) return;
    const { inserted, start } = newPart(change, offset, remaining);
    const text = unixLines(inserted);
    const whole = remaining.includes(text);
    const followed = whole ? [] : remaining.filter((each) => each.startsWith(text));
    // An entry of the list also replaces what was typed of it.
    const isBefore = change.rangeLength === 0 || change.rangeOffset < offset;
    const typed = changes.length === 1 && isBefore && start === offset;
    if (!typed || text === '' || followed.length === 0) {
      this.#last = { uri, text: inserted };
      this.#offer = undefined;
      return;
    }
    const left = followed.map((each) => each.slice(text.length));
    const isPart = text.length >= 2 && change.rangeLength === 0 && !AUTO_CLOSED.test(text);
    this.#offer = { uri, offset: start + inserted.length, remaining: left };
    if (!isPart) return;
    this.#add({ acceptedParts: 1, acceptedCharacters: text.length });
    this.#store();
  }

  #add(more: Partial<AcceptanceCounts>): void {
    this.#unsaved = added(this.#unsaved, more);
  }

  /** On top of what other windows have stored since. */
  #store(): void {
    clearTimeout(this.#storing);
    this.#storing = undefined;
    const { counts } = this;
    this.#unsaved = NO_ACCEPTANCE;
    void this.memory.update(STORED, counts);
  }
}

function added(counts: AcceptanceCounts, more: Partial<AcceptanceCounts>): AcceptanceCounts {
  const sum = { ...counts };
  for (const [name, count] of Object.entries(more) as [keyof AcceptanceCounts, number][]) sum[name] += count;
  return sum;
}

/**
 * VS Code writes again what was accepted of an item before, if the rest is accepted quickly, and what was typed of an
 * entry of the list.
 */
function newPart(
  { rangeOffset, rangeLength, text }: Changes[number],
  offset: number,
  remaining: readonly string[],
) {
  const rest = text.slice(rangeLength);
  const isNext = remaining.some((each) => rest !== '' && each.startsWith(unixLines(rest)));
  const isRest = rangeOffset + rangeLength === offset && isNext;
  return isRest ? { inserted: rest, start: offset } : { inserted: text, start: rangeOffset };
}

/** What a suggestion would add behind the cursor, with \n for line ends. */
export function followingText(
  { insertText, range }: vscode.InlineCompletionItem,
  { character }: vscode.Position,
): string {
  const text = typeof insertText === 'string' ? insertText : insertText.value;
  return unixLines(text.slice(range === undefined ? 0 : Math.max(0, character - range.start.character)));
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

// Imports for the names of an accepted suggestion, from the language's own quick fixes: only those that VS Code would
// apply without a question, and in the undo step of the suggestion. Later keys are never held up.

const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact'];
/** "Cannot find name", with and without a proposal. */
const UNKNOWN_NAMES: readonly unknown[] = [2304, 2552];
const NAMES = /[\p{L}_$][\p{L}\p{N}_$]*/gu;
/** Language support has looked at the text by then. */
const LONGEST_MS = 5000;
/** Statements and names in their braces are all that an import adds. */
const IMPORTS = /\bimport\b|\brequire\s*\(/;

export class MissingImports implements vscode.Disposable {
  #stop: (() => void) | undefined;

  constructor(private readonly log: Pick<vscode.LogOutputChannel, 'warn'>) {}

  /** A suggestion was accepted in the active editor. */
  accepted({ uri, text }: Insertion): void {
    this.#stop?.();
    const editor = vscode.window.activeTextEditor;
    const names = new Set(text.match(NAMES));
    if (String(editor?.document.uri) !== uri || !editor || names.size === 0) return;
    if (!LANGUAGES.includes(editor.document.languageId)) return;
    const told = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((each) => String(each) === uri)) return;
      this.#add(editor, names).catch((error: unknown) => {
        this.log.warn(`Imports could not be added: ${String(error)}`);
      });
    });
    const timer = setTimeout(() => this.#stop?.(), LONGEST_MS);
    this.#stop = () => {
      told.dispose();
      clearTimeout(timer);
    };
  }

  dispose(): void {
    this.#stop?.();
  }

  /** Each name is tried once. */
  async #add(editor: vscode.TextEditor, names: Set<string>): Promise<void> {
    const { document } = editor;
    for (const diagnostic of vscode.languages.getDiagnostics(document.uri)) {
      const name = document.getText(diagnostic.range);
      if (!UNKNOWN_NAMES.includes(codeOf(diagnostic)) || !names.delete(name)) continue;
      const { version } = document;
      const edits = await importOf(document, diagnostic.range);
      if (edits === undefined || document.version !== version) continue;
      // Other changes to the file since would stand between the two.
      await editor.edit(
        (builder) => {
          for (const { range, newText } of edits) builder.replace(range, newText);
        },
        { undoStopBefore: false, undoStopAfter: false },
      );
    }
  }
}

/** The edits of the only import that would do. */
async function importOf(
  document: vscode.TextDocument,
  range: vscode.Range,
): Promise<readonly vscode.TextEdit[] | undefined> {
  const actions = await vscode.commands.executeCommand<readonly vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
    vscode.CodeActionKind.QuickFix.value,
  );
  const imports = actions.flatMap(({ edit, isPreferred }) => {
    const [[uri, edits = []] = []] = edit?.entries() ?? [];
    const isHere = edit?.size === 1 && String(uri) === String(document.uri);
    return isPreferred === true && isHere && edits.every((each) => addsImport(document, each)) ? [edits] : [];
  });
  return imports.length === 1 ? imports[0] : undefined;
}

/** A new statement, or one more name in the line of another. */
function addsImport(document: vscode.TextDocument, { range, newText }: vscode.TextEdit): boolean {
  return IMPORTS.test(newText) || IMPORTS.test(document.lineAt(range.start.line).text);
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return isRecord(code) ? code.value : code;
}
