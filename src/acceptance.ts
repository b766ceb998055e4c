// Acceptance: what happens to suggestions: offered, accepted in full or in part, kept. Only counts, stored on this
// machine. VS Code does not report partial accepts to extensions, so they are derived from document changes.
import * as vscode from 'vscode';

const STORED = 'flashline.acceptance';
const KEPT_AFTER_MS = 30_000;

export const NO_ACCEPTANCE = {
  /** Suggestions passed to VS Code; one that the user types into counts once. */
  offered: 0,
  accepted: 0,
  /** A word or a line at a time. */
  acceptedParts: 0,
  acceptedCharacters: 0,
  /** Accepted texts looked at again after 30 s, and those that were still there, apart from white space. */
  reviewed: 0,
  kept: 0,
};

export type AcceptanceCounts = Readonly<typeof NO_ACCEPTANCE>;

/** Text that was inserted into a document, and where it is now. */
export interface Insertion {
  readonly uri: string;
  readonly text: string;
  span: TextSpan;
}

interface TextSpan {
  readonly start: number;
  readonly end: number;
}

interface Offer {
  readonly uri: string;
  readonly offset: number;
  /** For each alternative, what would follow the cursor. */
  readonly remaining: readonly string[];
}

/** Of one event: positions in the text before it, not overlapping. */
type Changes = vscode.TextDocumentChangeEvent['contentChanges'];

/** What typing a bracket or a quote inserts: not an accepted part. */
const AUTO_CLOSED = /^(\(\)|\[\]|\{\}|''|""|``|<>)$/;

export class Acceptance implements vscode.Disposable {
  /** What this window has counted and not stored yet. */
  #unsaved: AcceptanceCounts = NO_ACCEPTANCE;
  #offer: Offer | undefined;
  #id = 0;
  #last: Insertion | undefined;
  /** Accepted texts, until they are reviewed. */
  readonly #watched = new Map<Insertion, NodeJS.Timeout>();

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
    const remaining = items.map(({ insertText, range }) => {
      const text = typeof insertText === 'string' ? insertText : insertText.value;
      const typed = range === undefined ? 0 : Math.max(0, position.character - range.start.character);
      return unixLines(text.slice(typed));
    });
    const before = this.#offer;
    // One that has grown meanwhile is the same.
    const same =
      before?.uri === uri &&
      before.offset === offset &&
      remaining[0]?.startsWith(before.remaining[0] ?? '\0');
    this.#offer = remaining.length > 0 ? { uri, offset, remaining } : undefined;
    if (same || this.#offer === undefined) return this.#id;
    this.#add({ offered: 1 });
    this.#id += 1;
    return this.#id;
  }

  /** Whether something was offered there and neither accepted nor given up by other changes. */
  isOffered(document: vscode.TextDocument, position: vscode.Position): boolean {
    const { uri, offset } = this.#offer ?? {};
    return uri === document.uri.toString() && offset === document.offsetAt(position);
  }

  change({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    for (const watched of this.#watched.keys())
      if (watched.uri === uri) watched.span = movedSpan(watched.span, contentChanges);
    if (this.#offer?.uri === uri) this.#follow(this.#offer, contentChanges);
  }

  /** VS Code ran the command of an accepted item, after inserting its text, which is returned if it was seen. */
  accept(id: number): Insertion | undefined {
    const seen = id === this.#id ? this.#last : undefined;
    this.#last = undefined;
    this.#offer = undefined;
    this.#add({ accepted: 1, acceptedCharacters: seen?.text.length ?? 0 });
    if (seen !== undefined) this.#watch(seen);
    this.#store();
    return seen;
  }

  /** The last chance to review what was accepted in it. */
  close(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const watched of [...this.#watched.keys()]) if (watched.uri === uri) this.#review(watched, document);
  }

  dispose(): void {
    for (const timer of this.#watched.values()) clearTimeout(timer);
    this.#watched.clear();
  }

  /** Works out whether a change accepts a part of the offer, all of it, or something else. */
  #follow({ uri, offset, remaining }: Offer, changes: Changes): void {
    const [change] = changes;
    if (change === undefined) return;
    const text = unixLines(change.text);
    const start = change.rangeOffset;
    const insertion = { uri, text: change.text, span: { start, end: start + change.text.length } };
    const whole = remaining.includes(text);
    const followed = whole ? [] : remaining.filter((each) => each.startsWith(text));
    const typed = changes.length === 1 && change.rangeLength === 0 && start === offset;
    if (!typed || text === '' || followed.length === 0) {
      this.#last = insertion;
      this.#offer = undefined;
      return;
    }
    const left = followed.map((each) => each.slice(text.length));
    this.#offer = { uri, offset: insertion.span.end, remaining: left };
    if (text.length < 2 || AUTO_CLOSED.test(text)) return;
    this.#add({ acceptedParts: 1, acceptedCharacters: text.length });
    this.#watch(insertion);
    this.#store();
  }

  #watch(insertion: Insertion): void {
    const look = (): void => {
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === insertion.uri);
      this.#review(insertion, document);
    };
    this.#watched.set(insertion, setTimeout(look, KEPT_AFTER_MS));
  }

  #review(watched: Insertion, document: vscode.TextDocument | undefined): void {
    clearTimeout(this.#watched.get(watched));
    this.#watched.delete(watched);
    if (document === undefined) return;
    const { start, end } = watched.span;
    const now = document.getText(new vscode.Range(document.positionAt(start), document.positionAt(end)));
    this.#add({ reviewed: 1, kept: withoutSpace(watched.text) === withoutSpace(now) ? 1 : 0 });
    this.#store();
  }

  #add(more: Partial<AcceptanceCounts>): void {
    this.#unsaved = added(this.#unsaved, more);
  }

  /** On top of what other windows have stored since. */
  #store(): void {
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
 * A stretch of a document that follows its changes: moved by those before it, stretched by those inside; an insertion at
 * either end stays outside.
 */
export function movedSpan(span: TextSpan, changes: Changes): TextSpan {
  let { start, end } = span;
  for (const { rangeOffset: from, rangeLength, text } of changes) {
    const to = from + rangeLength;
    const growth = text.length - rangeLength;
    if (from >= span.end) continue;
    end += to > span.end ? from + text.length - span.end : growth;
    if (to <= span.start) start += growth;
    // A change across the start now begins the span.
    else if (from < span.start) start += from - span.start;
  }
  return { start, end: Math.max(start, end) };
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
