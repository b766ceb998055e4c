// Recent suggestions, so that typing along one of them, or deleting part of it again, needs no model. An entry fits while
// the document reads as it did then, followed by the start of the suggestion.
import type { CompletionContext } from '../prompt/context';
import { entryIsComplete } from '../prompt/selectedEntry';
import { cleanSuggestion } from '../suggestion/cleanSuggestion';

export interface RecentMatch {
  /** What is left of the suggestions, starting with the one shown; never empty. */
  readonly texts: readonly string[];
  /** Of the first line as it was suggested. */
  readonly keepProbability: number | undefined;
}

interface Entry extends RecentMatch {
  readonly uri: string;
  readonly prefixTail: string;
  readonly suffixHead: string;
}

const KEPT = 64;
const PREFIX_TAIL = 512;
const SUFFIX_HEAD = 256;
const AUTO_CLOSED = /^[)\]}'"`]{1,4}/;

export class RecentSuggestions {
  /** Newest first. */
  #entries: readonly Entry[] = [];

  /** Texts as they would be inserted at the cursor, with \n for line ends. */
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
    const others = this.#entries.filter((other) => !isSame(other));
    this.#entries = [entry, ...others].slice(0, KEPT);
  }

  match(context: CompletionContext): RecentMatch | undefined {
    for (const entry of this.#entries) {
      const match = entry.uri === context.uri ? remaining(entry, context) : undefined;
      if (match === undefined) continue;
      this.#entries = [entry, ...this.#entries.filter((other) => other !== entry)];
      return match;
    }
    return undefined;
  }

  forget(uri: string): void {
    this.#entries = this.#entries.filter((entry) => entry.uri !== uri);
  }
}

function remaining(entry: Entry, context: CompletionContext): RecentMatch | undefined {
  const { suffix } = context;
  // The editor may have closed brackets automatically.
  const sameSuffix = suffix.slice(0, SUFFIX_HEAD) === entry.suffixHead;
  const behind = suffix.slice(AUTO_CLOSED.exec(suffix)?.[0].length ?? 0);
  // The suffix may have been cut at a different length and still be the same.
  if (!sameSuffix && behind.slice(0, SUFFIX_HEAD) !== entry.suffixHead) return undefined;
  const typed = typedOf(entry, context.prefix);
  if (typed === undefined) return undefined;
  const texts = entry.texts
    .filter((text) => text.startsWith(typed))
    .map((text) => entryIsComplete(text.slice(typed.length), context))
    .map((text) => (sameSuffix ? text : cleanSuggestion(text, context)))
    .filter((text) => text.trim() !== '');
  return texts.length === 0
    ? undefined
    : { texts: [...new Set(texts)], keepProbability: entry.keepProbability };
}

/** The text before the cursor after the entry's own prefix, if one of its texts starts with it. */
function typedOf({ prefixTail, texts }: Entry, prefix: string): string | undefined {
  const longest = Math.max(0, ...texts.map((text) => text.length));
  for (let length = 0; length <= Math.min(longest, prefix.length); length++) {
    const typed = prefix.slice(prefix.length - length);
    if (!texts.some((text) => text.startsWith(typed))) continue;
    const before = prefix.slice(0, prefix.length - length);
    const whole = prefixTail.length < PREFIX_TAIL;
    if (whole ? before === prefixTail : before.endsWith(prefixTail)) return typed;
  }
  return undefined;
}
