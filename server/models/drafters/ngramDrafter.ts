// The n-gram drafter (prompt lookup decoding): finds an earlier occurrence of the last few tokens and drafts the tokens
// that followed it. It searches token ids; it has no weights and does not use MLX.
import { requireReach } from '../decoder/layerCache';
import type { Drafter, DraftState, Proposal } from './drafter';

/**
 * Longest match, in tokens. Measured on code completions: matches of 16 tokens are more reliable than matches of 8;
 * beyond 16 the most recent match is best.
 */
const MAX_MATCH = 16;
/**
 * Shortest match, in tokens. A third of the first drafts after a match of one token are accepted, which pays if a row
 * costs little.
 */
const MIN_MATCH = 1;
const MAX_DRAFT_TOKENS = 31;
/** Confidence by minimum match length, the anchor included: the measured share of drafts that are accepted. */
const CONFIDENCE = [
  [1, 0.35],
  [2, 0.5],
  [3, 0.7],
  [5, 0.8],
  [8, 0.9],
  [16, 0.97],
] as const;

/** A position in `source`: the `length` tokens before `end` equal the last tokens of the text. */
interface Match {
  readonly source: readonly number[];
  readonly end: number;
  readonly length: number;
}

/**
 * Finds the longest match in `source` for the end of `text`, of at least `minLength` tokens and not at the very end.
 */
function longestMatch(
  text: readonly number[],
  source: readonly number[],
  minLength: number,
): Match | undefined {
  let best: Match | undefined;
  let needed = minLength;
  for (let end = source.length - 1; end >= needed && needed <= MAX_MATCH; end--) {
    const maxLength = Math.min(MAX_MATCH, end);
    let length = 0;
    while (length < maxLength && source[end - 1 - length] === text[text.length - 1 - length]) length++;
    if (length < needed) continue;
    best = { source, end, length };
    needed = length + 1;
  }
  return best;
}

/** Returns up to `count` tokens that follow a match. Past the end of `text` it copies its own drafts, as LZ77 does. */
function continuation({ source, end }: Match, text: readonly number[], count: number): number[] {
  const tokens: number[] = [];
  while (tokens.length < count) {
    const position = end + tokens.length;
    const token = source[position] ?? (source === text ? tokens[position - text.length] : undefined);
    if (token === undefined) break;
    tokens.push(token);
  }
  return tokens;
}

class NgramState implements DraftState {
  /** `text` are the committed tokens. */
  constructor(private readonly text: number[]) {}

  get offset(): number {
    return this.text.length;
  }

  commit(tokens: readonly number[]): void {
    this.text.push(...tokens);
  }

  propose(anchor: number, count: number, lookupIds: readonly number[] = []): Proposal {
    const text = [...this.text, anchor];
    const textMatch = longestMatch(text, text, MIN_MATCH);
    const match = longestMatch(text, lookupIds, textMatch ? textMatch.length + 1 : MIN_MATCH) ?? textMatch;
    if (match === undefined) return { tokens: [], confidence: [] };
    const tokens = continuation(match, text, count);
    const [, confidence = 0] = CONFIDENCE.findLast(([length]) => match.length >= length) ?? [];
    return { tokens, confidence: tokens.map(() => confidence) };
  }

  reachable(length: number): number {
    return Math.min(length, this.offset);
  }

  trimTo(length: number): void {
    requireReach(this, length);
    this.text.length = length;
  }

  fork(length: number): DraftState {
    requireReach(this, length);
    return new NgramState(this.text.slice(0, length));
  }

  arrays(): [] {
    return [];
  }

  dispose(): void {
    this.text.length = 0;
  }
}

/**
 * Creates a drafter that proposes the tokens after the longest match of the last tokens; of equally long matches, the
 * most recent. The additional look-up text is used only if its match is longer than any in the text itself. All tokens
 * of a proposal have the same confidence, which grows with the length of the match.
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
