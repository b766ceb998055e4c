// Acceptance: what becomes of suggestions: offered, accepted whole or in part, kept. Counts only, kept on this machine.
// VS Code tells stable extensions nothing of partial accepts, so they are read off the document's changes.
import * as vscode from 'vscode';

const STORED = 'flashline.acceptance';
const KEPT_AFTER_MS = 30_000;

export interface AcceptanceCounts {
  /** Suggestions given to VS Code; the same one, typed into, counts once. */
  readonly offered: number;
  readonly accepted: number;
  /** A word or a line at a time. */
  readonly acceptedParts: number;
  readonly acceptedCharacters: number;
  /** Accepted texts looked at again after 30 s, and those that were still there, apart from white space. */
  readonly reviewed: number;
  readonly kept: number;
}

export const NO_ACCEPTANCE: AcceptanceCounts = {
  offered: 0,
  accepted: 0,
  acceptedParts: 0,
  acceptedCharacters: 0,
  reviewed: 0,
  kept: 0,
};

type TextChange = Pick<vscode.TextDocumentContentChangeEvent, 'rangeOffset' | 'rangeLength' | 'text'>;

/** What was accepted, and where it is. */
interface Insertion {
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
  /** For each alternative what would follow the cursor. */
  readonly remaining: readonly string[];
}

/** What typing a bracket or a quote inserts; not a part that was accepted. */
const AUTO_CLOSED = /^(\(\)|\[\]|\{\}|''|""|``|<>)$/;

export class Acceptance {
  #counts: AcceptanceCounts;
  #offer: Offer | undefined;
  #id = 0;
  #last: Insertion | undefined;

  constructor(counts: Partial<AcceptanceCounts> = {}) {
    this.#counts = { ...NO_ACCEPTANCE, ...counts };
  }

  get counts(): AcceptanceCounts {
    return this.#counts;
  }

  /** `remaining` begins at the cursor, which stands at `offset`. */
  offer(uri: string, offset: number, remaining: readonly string[]): number {
    const texts = remaining.map(unixLines);
    const before = this.#offer;
    const same = before?.uri === uri && before.offset === offset && before.remaining[0] === texts[0];
    this.#offer = texts.length > 0 ? { uri, offset, remaining: texts } : undefined;
    if (same || this.#offer === undefined) return this.#id;
    this.#add({ offered: 1 });
    this.#id += 1;
    return this.#id;
  }

  /** Follows the document; returns what was accepted in part by this change. */
  change(uri: string, changes: readonly TextChange[]): Insertion | undefined {
    const offer = this.#offer;
    const [change] = changes;
    if (offer?.uri !== uri || change === undefined) return undefined;
    const text = unixLines(change.text);
    const start = change.rangeOffset;
    const insertion = { uri, text: change.text, span: { start, end: start + change.text.length } };
    const whole = offer.remaining.includes(text);
    const followed = whole ? [] : offer.remaining.filter((each) => each.startsWith(text));
    const typed = changes.length === 1 && change.rangeLength === 0 && start === offer.offset;
    if (!typed || text === '' || followed.length === 0) {
      this.#last = insertion;
      this.#offer = undefined;
      return undefined;
    }
    this.#offer = {
      uri,
      offset: offer.offset + change.text.length,
      remaining: followed.map((each) => each.slice(text.length)),
    };
    if (text.length < 2 || AUTO_CLOSED.test(text)) return undefined;
    this.#add({ acceptedParts: 1, acceptedCharacters: text.length });
    return insertion;
  }

  /** VS Code ran the command of an accepted item; returns the text that came in, if it was seen. */
  accept(id: number): Insertion | undefined {
    const insertion = this.#last;
    this.#last = undefined;
    this.#offer = undefined;
    const seen = id === this.#id ? insertion : undefined;
    this.#add({ accepted: 1, acceptedCharacters: seen?.text.length ?? 0 });
    return seen;
  }

  review(accepted: string, now: string): void {
    this.#add({ reviewed: 1, kept: withoutSpace(accepted) === withoutSpace(now) ? 1 : 0 });
  }

  #add(more: Partial<AcceptanceCounts>): void {
    const sum = { ...this.#counts };
    for (const [name, count] of Object.entries(more) as [keyof AcceptanceCounts, number][])
      sum[name] += count;
    this.#counts = sum;
  }
}

/** Joins the counters to VS Code: follows documents, looks again after 30 s, and stores the counts. */
export class AcceptanceRecorder implements vscode.Disposable {
  readonly #acceptance: Acceptance;
  readonly #watched = new Map<Insertion, NodeJS.Timeout>();

  constructor(private readonly memory: vscode.Memento) {
    this.#acceptance = new Acceptance(memory.get<Partial<AcceptanceCounts>>(STORED));
  }

  get counts(): AcceptanceCounts {
    return this.#acceptance.counts;
  }

  /** The id of what is offered, for accept(). */
  offer(
    document: vscode.TextDocument,
    position: vscode.Position,
    items: readonly vscode.InlineCompletionItem[],
  ): number {
    const remaining = items.map(({ insertText, range }) => {
      const text = typeof insertText === 'string' ? insertText : insertText.value;
      return text.slice(range === undefined ? 0 : Math.max(0, position.character - range.start.character));
    });
    return this.#acceptance.offer(document.uri.toString(), document.offsetAt(position), remaining);
  }

  accept(id: number): void {
    this.#watch(this.#acceptance.accept(id));
    this.#store();
  }

  change({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const uri = document.uri.toString();
    for (const watched of this.#watched.keys())
      if (watched.uri === uri) watched.span = movedSpan(watched.span, contentChanges);
    const part = this.#acceptance.change(uri, contentChanges);
    if (part === undefined) return;
    this.#watch(part);
    this.#store();
  }

  /** The last chance to look at what was accepted in it. */
  close(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const watched of [...this.#watched.keys()]) if (watched.uri === uri) this.#review(watched, document);
  }

  dispose(): void {
    for (const timer of this.#watched.values()) clearTimeout(timer);
    this.#watched.clear();
  }

  #watch(insertion: Insertion | undefined): void {
    if (insertion === undefined) return;
    const look = (): void => {
      const { textDocuments } = vscode.workspace;
      this.#review(
        insertion,
        textDocuments.find(({ uri }) => uri.toString() === insertion.uri),
      );
    };
    this.#watched.set(insertion, setTimeout(look, KEPT_AFTER_MS));
  }

  #review(watched: Insertion, document: vscode.TextDocument | undefined): void {
    clearTimeout(this.#watched.get(watched));
    this.#watched.delete(watched);
    if (document === undefined) return;
    const { start, end } = watched.span;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    this.#acceptance.review(watched.text, document.getText(range));
    this.#store();
  }

  #store(): void {
    void this.memory.update(STORED, this.#acceptance.counts);
  }
}

/**
 * A stretch of a document that follows its changes: moved by those before it, stretched by those inside; an insertion at
 * either end stays outside. `changes` as VS Code reports one event: in positions of the text before, not overlapping.
 */
export function movedSpan(span: TextSpan, changes: readonly TextChange[]): TextSpan {
  let { start, end } = span;
  for (const { rangeOffset: from, rangeLength, text } of changes) {
    const to = from + rangeLength;
    const growth = text.length - rangeLength;
    if (from >= span.end) continue;
    if (to <= span.start) {
      start += growth;
      end += growth;
      continue;
    }
    // What reached over the start now begins it.
    if (from < span.start) start += from - span.start;
    end = to > span.end ? end + (from + text.length - span.end) : end + growth;
  }
  return { start, end: Math.max(start, end) };
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
