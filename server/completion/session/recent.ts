// Recent suggestions: while the user types along one of them, or deletes part of it again, no model is needed. An entry
// fits if the text around the cursor is the same as when it was stored, with the beginning of a suggestion in between.
import type { CompletionContext } from '../prompt/context';
import { addsEntry, lengthensEntry } from '../prompt/selectedEntry';
import { cleanSuggestion } from '../suggestion/cleanSuggestion';

export interface RecentMatch {
  /**
   * Rest of each suggestion that begins with the typed text, in the order of the suggestions; at least one. A rest is
   * empty only if the selected entry of the IntelliSense list is the whole suggestion. Line ends are \n.
   */
  readonly texts: readonly string[];
  /** Probability that the first text is kept, 0 to 1, judged when it was suggested; undefined if it was not judged. */
  readonly keepProbability: number | undefined;
}

interface Entry extends RecentMatch {
  readonly uri: string;
  /** The last PREFIX_TAIL characters before the cursor, or all of them. */
  readonly prefixTail: string;
  /** The first SUFFIX_HEAD characters after the cursor. */
  readonly suffixHead: string;
}

const KEPT_ENTRIES = 64;
const PREFIX_TAIL = 512;
const SUFFIX_HEAD = 256;
/** Matches brackets and quotes, or an end tag, that an editor can have inserted after the cursor. */
export const AUTO_CLOSED = /^(?:[)\]}'"`]{1,4}|<\/[A-Za-z][\w.:-]*>)/;

export class RecentSuggestions {
  /** Entries, newest first. */
  #entries: readonly Entry[] = [];

  /** Stores texts for the cursor, with \n for line ends. Replaces earlier texts for the same cursor. */
  remember(context: CompletionContext, texts: readonly string[], keepProbability?: number): void {
    const entry = {
      uri: context.uri,
      prefixTail: context.prefix.slice(-PREFIX_TAIL),
      suffixHead: context.suffix.slice(0, SUFFIX_HEAD),
      texts,
      keepProbability,
    };
    const isSame = ({ uri, prefixTail, suffixHead }: Entry): boolean =>
      uri === entry.uri && prefixTail === entry.prefixTail && suffixHead === entry.suffixHead;
    const kept = this.#entries.filter((candidate) => !isSame(candidate));
    this.#entries = [entry, ...kept].slice(0, KEPT_ENTRIES);
  }

  /** Returns the rest of the newest suggestion that fits at the cursor, and makes it the newest. */
  match(context: CompletionContext): RecentMatch | undefined {
    for (const entry of this.#entries) {
      const match = entry.uri === context.uri ? matchEntry(entry, context) : undefined;
      if (match === undefined) continue;
      this.#entries = [entry, ...this.#entries.filter((candidate) => candidate !== entry)];
      return match;
    }
    return undefined;
  }

  /** Forgets the suggestions in a document. */
  forget(uri: string): void {
    this.#entries = this.#entries.filter((entry) => entry.uri !== uri);
  }
}

function matchEntry(entry: Entry, context: CompletionContext): RecentMatch | undefined {
  const { suffix } = context;
  const isSameSuffix = suffix.slice(0, SUFFIX_HEAD) === entry.suffixHead;
  // Since then, the editor can have closed brackets automatically.
  const afterClosers = suffix.slice(AUTO_CLOSED.exec(suffix)?.[0].length ?? 0);
  if (!isSameSuffix && afterClosers.slice(0, SUFFIX_HEAD) !== entry.suffixHead) return undefined;
  const typed = typedSince(entry, context.prefix);
  if (typed === undefined) return undefined;
  const restsOf = (texts: readonly string[]): string[] =>
    texts
      .filter((text) => text.startsWith(typed))
      .map((text) => text.slice(typed.length))
      .filter((text) => !lengthensEntry(text, context))
      .map((text) => (isSameSuffix ? text : cleanSuggestion(text, context)))
      .filter((text) => text.trim() !== '' || (text === '' && addsEntry(context)));
  const rests = restsOf(entry.texts);
  if (rests.length === 0) return undefined;
  // Only the first text of the entry was judged.
  const isJudged = restsOf(entry.texts.slice(0, 1)).length > 0;
  return { texts: [...new Set(rests)], keepProbability: isJudged ? entry.keepProbability : undefined };
}

/**
 * Returns the text typed since the entry was stored, between its cursor and the present one; undefined if no suggestion
 * of the entry begins with it.
 */
function typedSince({ prefixTail, texts }: Entry, prefix: string): string | undefined {
  const longest = Math.max(0, ...texts.map((text) => text.length));
  for (let length = 0; length <= Math.min(longest, prefix.length); length++) {
    const typed = prefix.slice(prefix.length - length);
    if (!texts.some((text) => text.startsWith(typed))) continue;
    const before = prefix.slice(0, prefix.length - length);
    const isWholePrefix = prefixTail.length < PREFIX_TAIL;
    if (isWholePrefix ? before === prefixTail : before.endsWith(prefixTail)) return typed;
  }
  return undefined;
}
