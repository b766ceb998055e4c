// Judges how likely a user is to keep some of a suggestion, by its first line, which is shown before the rest is known:
// a logistic function of the target's own probabilities and of the cursor's place. Its weights were fitted to pauses in
// typed programs (docs/internals/results.md).
import type { ServerSettings } from '../../rules/serverSettings';
import type { CompletionContext } from '../prompt/context';
import { isFiller } from './fillers';
import type { CursorOutput } from '../prompt/cursorOutput';
import { ENDS_IN_NAME } from '../syntax/language';

const WEIGHTS = { constant: 1.3, firstLogprob: 1.5, lineLogprob: 0.1, isInName: 1.2 };
/** Maximum of the probability, so that a threshold of 100 % hides everything. */
const MAX_PROBABILITY = 0.99;

/**
 * Returns the probability, 0 to 1, from the log-probabilities (base e) of the first line's tokens; undefined without
 * any. Users keep more after the beginning of a name, such as a half-typed word.
 */
function keepProbability(logprobs: readonly number[], { lineBefore }: CompletionContext): number | undefined {
  const [first] = logprobs;
  if (first === undefined) return undefined;
  const line = logprobs.reduce((sum, logprob) => sum + logprob);
  const weighed = WEIGHTS.firstLogprob * first + WEIGHTS.lineLogprob * line;
  const logit = WEIGHTS.constant + weighed + (ENDS_IN_NAME.test(lineBefore) ? WEIGHTS.isInName : 0);
  return Math.min(MAX_PROBABILITY, 1 / (1 + Math.exp(-logit)));
}

/** Returns the text up to the end of the first line that is not blank. */
function firstLine(text: string): string {
  return /^\s*?[^\n]*\S[^\n]*/.exec(text)?.[0] ?? text;
}

interface JudgedRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  /** Threshold in percent. At 0, no suggestion is hidden and no probability is computed. */
  readonly settings: Partial<Pick<ServerSettings, 'hideBelow'>>;
}

/**
 * Decides once, by the first line, whether a suggestion is shown: a shown text never disappears, and the rest of a
 * hidden one is never computed.
 */
export class KeepFilter {
  /**
   * Probability that the first text is kept; undefined before it was judged, without a threshold, and if the engine
   * reports no log-probabilities.
   */
  probability: number | undefined;
  #isUnlikely: boolean | undefined;

  constructor(
    private readonly request: JudgedRequest,
    private readonly output: Pick<CursorOutput, 'logprobs'>,
  ) {}

  /**
   * Returns whether to hide a text; with `isPart`, whether to hide it so far. The first call decides on the
   * probability, as later texts begin with the first one. Never hides texts of explicit requests.
   */
  hides(text: string, isPart = false): boolean {
    const { context, trigger, settings } = this.request;
    if (this.#isUnlikely === undefined) {
      this.probability = keepProbability(this.output.logprobs(firstLine(text).length), context);
      this.#isUnlikely = 100 * (this.probability ?? 1) < (settings.hideBelow ?? 0);
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
