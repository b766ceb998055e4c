// Decides whether to show a suggestion: hides fillers, and suggestions of which the user is unlikely to keep a part.
// Their probability is estimated from the first line, since that is shown before the rest is known.
import type { CompletionContext } from '../prompt/context';
import { isFiller } from '../suggestion/fillers';
import { ENDS_IN_NAME } from '../syntax/language';
import type { SuggestionRequest } from './suggestionRequest';

/** Weights of the logistic function, fitted to pauses in typed programs (docs/internals/results.md). */
const WEIGHTS = { constant: 1.3, firstLogprob: 1.5, lineLogprob: 0.1, isInName: 1.2 };

/**
 * Returns the probability, 0 to 1, that a user keeps some of a suggestion. `logprobs` are the log-probabilities (base
 * e) of the first line's tokens; without any, returns undefined. Users keep more after the beginning of a name, such as
 * a half-typed word.
 */
function keepProbability(logprobs: readonly number[], { lineBefore }: CompletionContext): number | undefined {
  const [first] = logprobs;
  if (first === undefined) return undefined;
  const line = logprobs.reduce((sum, logprob) => sum + logprob);
  const weighed = WEIGHTS.firstLogprob * first + WEIGHTS.lineLogprob * line;
  const logit = WEIGHTS.constant + weighed + (ENDS_IN_NAME.test(lineBefore) ? WEIGHTS.isInName : 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Returns the text up to the end of the first line that is not blank. */
function firstLine(text: string): string {
  return /^\s*?[^\n]*\S[^\n]*/.exec(text)?.[0] ?? text;
}

/**
 * Judges the probability of one suggestion once: a text that is shown does not disappear, and the rest of a hidden one
 * is not computed.
 */
export class KeepFilter {
  /**
   * Probability, 0 to 1, that the first text is kept; undefined before `hides` was called, at a threshold of 0, and if
   * the engine reports no log-probabilities.
   */
  probability: number | undefined;
  #isUnlikely: boolean | undefined;

  /** `logprobs` returns the log-probabilities of the tokens in the first `length` characters of the output. */
  constructor(
    private readonly request: SuggestionRequest,
    private readonly logprobs: (length: number) => readonly number[],
  ) {}

  /**
   * Returns whether to hide a text; with `isPart`, a text that still grows. Only the first call computes the
   * probability: all later texts begin with the same line or, if only its first words were shown early, with these.
   * Never hides texts of explicit requests.
   */
  hides(text: string, isPart = false): boolean {
    const { context, trigger, settings } = this.request;
    if (this.#isUnlikely === undefined) {
      this.probability = keepProbability(this.logprobs(firstLine(text).length), context);
      this.#isUnlikely = 100 * (this.probability ?? 1) < settings.hideBelow;
    }
    return trigger === 'automatic' && (this.#isUnlikely || isFiller(text, context, isPart));
  }

  /** Reason why the last text was hidden. */
  get cause(): 'unlikely' | 'filler' {
    return this.#isUnlikely === true ? 'unlikely' : 'filler';
  }

  /** Yields the pieces until one shows that the text is hidden. */
  async *unlessHidden(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const piece of pieces) {
      yield piece;
      if (this.#isUnlikely && this.request.trigger === 'automatic') return;
    }
  }
}
