// The n-gram drafter (prompt lookup decoding): it looks up where the last few tokens occurred before and drafts
// what followed them there. Plain search over token ids; knows no weights, and MLX not at all.
import type { Drafter, DraftState, Proposal } from './drafter';

// Counted on completions of code: after a match of one token a third of the first drafts are right, which pays where
// another row costs next to nothing; matches of 16 tokens are still more reliable than of 8. Among longer ones the most
// recent wins.
const MAX_MATCH = 16;
const MAX_DRAFT_TOKENS = 15;
/** Confidence by the minimum length of a match, the anchor included: about as many of its drafts are right. */
const CONFIDENCE = [
  [1, 0.35],
  [2, 0.5],
  [3, 0.7],
  [5, 0.8],
  [8, 0.9],
  [16, 0.97],
] as const;

/** A place in `source`: its `length` tokens before `end` are the last tokens of the text. */
interface Match {
  readonly source: readonly number[];
  readonly end: number;
  readonly length: number;
}

/**
 * Drafts what followed the longest match of the last tokens, among equally long ones the most recent. Related text is
 * used only if it matches more tokens than the text itself. All drafts of one proposal have the same confidence: it
 * rises with the length of their match.
 */
export function ngramDrafter(): Drafter {
  return {
    name: 'ngram',
    isFree: true,
    maxDraftTokens: MAX_DRAFT_TOKENS,
    taps: [],
    newState: () => new NgramState([]),
    dispose: () => undefined,
  };
}

class NgramState implements DraftState {
  /** `text`: committed tokens. */
  constructor(private readonly text: number[]) {}

  get offset(): number {
    return this.text.length;
  }

  commit(tokens: readonly number[]): void {
    this.text.push(...tokens);
  }

  propose(anchor: number, count: number, related: readonly number[] = []): Proposal {
    const text = [...this.text, anchor];
    const own = longestMatch(text, text, 1);
    const match = longestMatch(text, related, (own?.length ?? 0) + 1) ?? own;
    if (match === undefined) return { tokens: [], confidence: [] };
    const tokens = continuation(match, text, count);
    const [, confidence = 0] = CONFIDENCE.findLast(([length]) => match.length >= length) ?? [];
    return { tokens, confidence: tokens.map(() => confidence) };
  }

  reachable(length: number): number {
    return Math.min(length, this.offset);
  }

  trimTo(length: number): void {
    if (length < 0 || length > this.offset) {
      throw new RangeError(`Expected a length of 0 to ${String(this.offset)}, got ${String(length)}`);
    }
    this.text.length = length;
  }

  fork(length: number): DraftState {
    return new NgramState(this.text.slice(0, length));
  }

  arrays(): [] {
    return [];
  }

  dispose(): void {
    this.text.length = 0;
  }
}

/** The longest match in `source` for the end of `text`, of at least `least` tokens; something has to follow it. */
function longestMatch(text: readonly number[], source: readonly number[], least: number): Match | undefined {
  let best: Match | undefined;
  let wanted = least;
  for (let end = source.length - 1; end >= wanted && wanted <= MAX_MATCH; end--) {
    const most = Math.min(MAX_MATCH, end);
    let length = 0;
    while (length < most && source[end - 1 - length] === text[text.length - 1 - length]) length++;
    if (length < wanted) continue;
    best = { source, end, length };
    wanted = length + 1;
  }
  return best;
}

/** Up to `count` tokens that follow a match. After the end of `text` come the drafts themselves, as in LZ77. */
function continuation({ source, end }: Match, text: readonly number[], count: number): number[] {
  const tokens: number[] = [];
  while (tokens.length < count) {
    const at = end + tokens.length;
    const token = source[at] ?? (source === text ? tokens[at - text.length] : undefined);
    if (token === undefined) break;
    tokens.push(token);
  }
  return tokens;
}
