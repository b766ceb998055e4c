// Judges how likely a user is to keep some of a suggestion, by its first line, which is shown before the rest is known:
// a logistic function of the target's own probabilities and of the cursor's place. Its weights were fitted to pauses in
// typed programs (docs/internals/results.md).
import type { ServerSettings } from '../../rules/serverSettings';
import type { CompletionContext } from '../prompt/context';
import { isFiller } from './fillers';
import type { HealedOutput } from '../prompt/healedOutput';
import { ENDS_IN_NAME } from '../syntax/language';

const WEIGHTS = { constant: 1.5, firstLogprob: 1.5, lineLogprob: 0.1, isInName: 1.2 };
/** Upper bound of the probability, so that a threshold of 100 % hides everything. */
const MOST = 0.99;

/**
 * Returns the probability, 0 to 1, from the log-probabilities (base e) of the first line's tokens; undefined without
 * any. Users keep more after the beginning of a name, such as a half-typed word.
 */
function keepProbability(logprobs: readonly number[], { lineBefore }: CompletionContext): number | undefined {
  const [first] = logprobs;
  if (first === undefined) return undefined;
  const line = logprobs.reduce((sum, each) => sum + each);
  const weighed = WEIGHTS.firstLogprob * first + WEIGHTS.lineLogprob * line;
  const logit = WEIGHTS.constant + weighed + (ENDS_IN_NAME.test(lineBefore) ? WEIGHTS.isInName : 0);
  return Math.min(MOST, 1 / (1 + Math.exp(-logit)));
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
 * Decides once, by the first line, whether a suggestion is shown, so that no shown text disappears, and the rest of a
 * hidden one is not computed.
 */
export class KeepJudge {
  /** Undefined before a text was judged, without a threshold, and if the engine reports no log-probabilities. */
  probability: number | undefined;
  #isUnlikely: boolean | undefined;

  constructor(
    private readonly request: JudgedRequest,
    private readonly output: Pick<HealedOutput, 'logprobs'>,
  ) {}

  /**
   * Whether a text is hidden; with `isPart`, so far. The first one decides on the probability, as later ones begin with
   * it. Explicit requests hide none.
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
