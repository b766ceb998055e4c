// Follows the suggestion that is offered until it is accepted, in full or in part, or ends. VS Code does not report
// partial accepts to extensions, so they are derived from document changes.
import type * as vscode from 'vscode';
import { AcceptanceCounter } from './acceptanceCounter';

/** Changes of one event: offsets are from before the event, and ranges do not overlap. */
type Changes = vscode.TextDocumentChangeEvent['contentChanges'];

/** Text that was inserted into a document. */
export interface Insertion {
  readonly uri: string;
  readonly text: string;
}

interface Offer {
  readonly uri: string;
  readonly offset: number;
  /** Text that each alternative would add after the cursor. */
  readonly remaining: readonly string[];
}

/** Matches text that VS Code inserts for a typed bracket or quote; that is not an accepted part. */
const AUTO_CLOSED = /^(\(\)|\[\]|\{\}|''|""|``|<>)$/;

export class Acceptance implements vscode.Disposable {
  readonly counter: AcceptanceCounter;
  #offer: Offer | undefined;
  /** Id of the last offer. */
  #offerId = 0;
  /** Last change that ended an offer. */
  #lastInsertion: Insertion | undefined;

  constructor(memory: vscode.Memento) {
    this.counter = new AcceptanceCounter(memory);
  }

  /**
   * Records the items shown at a position as the current offer, and counts it unless it is the last offer, which can
   * have grown. Returns the id of the offer, for accept().
   */
  offer(
    document: vscode.TextDocument,
    position: vscode.Position,
    items: readonly vscode.InlineCompletionItem[],
  ): number {
    const uri = document.uri.toString();
    const offset = document.offsetAt(position);
    const remaining = items.map((item) => followingText(item, position));
    const before = this.#offer;
    const isSameOffer =
      before?.uri === uri &&
      before.offset === offset &&
      remaining[0]?.startsWith(before.remaining[0] ?? '\0');
    this.#offer = remaining.length > 0 ? { uri, offset, remaining } : undefined;
    if (isSameOffer || this.#offer === undefined) return this.#offerId;
    this.counter.countOffer();
    this.#offerId += 1;
    // Text that ended an earlier offer does not belong to this one.
    this.#lastInsertion = undefined;
    return this.#offerId;
  }

  /** Returns whether a suggestion is still open at a position: neither accepted nor ended by another change. */
  isOffered(document: vscode.TextDocument, position: vscode.Position): boolean {
    const { uri, offset } = this.#offer ?? {};
    return uri === document.uri.toString() && offset === document.offsetAt(position);
  }

  /** Ends the offer at a position and returns its texts; none if there is no offer. */
  dismiss(document: vscode.TextDocument, position: vscode.Position): readonly string[] {
    if (!this.isOffered(document, position)) return [];
    const { remaining = [] } = this.#offer ?? {};
    this.#offer = undefined;
    return remaining;
  }

  /**
   * Called with each change of a document: moves the offer along with it or ends it. Counts an accepted part, and
   * returns whether there was one.
   */
  change({ document, contentChanges }: vscode.TextDocumentChangeEvent): boolean {
    const uri = document.uri.toString();
    return this.#offer?.uri === uri && this.#follow(this.#offer, contentChanges);
  }

  /**
   * Counts an item of an offer, accepted in full in a document of the given language. Returns the text that VS Code
   * inserted, if its change was reported before.
   */
  accept(id: number, languageId: string): Insertion | undefined {
    const inserted = id === this.#offerId ? this.#lastInsertion : undefined;
    this.#lastInsertion = undefined;
    this.#offer = undefined;
    this.counter.countAccepted(languageId);
    return inserted;
  }

  dispose(): void {
    this.counter.dispose();
  }

  /**
   * Keeps the rest of the offer if a change types its beginning or accepts a part of it; otherwise ends it. Returns
   * whether a part was accepted.
   */
  #follow({ uri, offset, remaining }: Offer, changes: Changes): boolean {
    const [change] = changes;
    if (change === undefined) return false;
    const { inserted, start } = newPart(change, offset, remaining);
    const text = unixLines(inserted);
    const isComplete = remaining.includes(text);
    const continued = isComplete ? [] : remaining.filter((candidate) => candidate.startsWith(text));
    // An entry of the completion list also replaces its typed part.
    const isAtCursor = change.rangeLength === 0 || change.rangeOffset < offset;
    const isTyped = changes.length === 1 && isAtCursor && start === offset;
    if (!isTyped || text === '' || continued.length === 0) {
      this.#lastInsertion = { uri, text: inserted };
      this.#offer = undefined;
      return false;
    }
    const rest = continued.map((candidate) => candidate.slice(text.length));
    this.#offer = { uri, offset: start + inserted.length, remaining: rest };
    const isAcceptedPart = text.length >= 2 && change.rangeLength === 0 && !AUTO_CLOSED.test(text);
    if (isAcceptedPart) this.counter.countPart();
    return isAcceptedPart;
  }
}

/**
 * Returns the text that a change adds, and its offset. Some changes also replace text before the cursor by itself: the
 * accepted parts of an item whose rest is accepted quickly, or the typed part of an entry of the completion list.
 */
function newPart(
  { rangeOffset, rangeLength, text }: Changes[number],
  offset: number,
  remaining: readonly string[],
) {
  const rest = text.slice(rangeLength);
  const isNext = remaining.some((candidate) => rest !== '' && candidate.startsWith(unixLines(rest)));
  const isRest = rangeOffset + rangeLength === offset && isNext;
  return isRest ? { inserted: rest, start: offset } : { inserted: text, start: rangeOffset };
}

/** Returns the text that a suggestion would add after the cursor, with \n line ends. */
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
