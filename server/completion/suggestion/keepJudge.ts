// How likely a person is to keep some of a suggestion, judged by its first line, as that is shown before the rest is
// known: a logistic function of the target's own probabilities, and of where the cursor is. Its weights were fitted to
// pauses in typed programs (docs/internals/results.md).
import type { ServerSettings } from '../../rules/serverSettings';
import type { CompletionContext } from '../prompt/context';
import { isFiller } from './fillers';
import type { HealedOutput } from '../prompt/healedOutput';
import { ENDS_IN_NAME } from '../syntax/language';

const WEIGHTS = { constant: 1.5, firstLogprob: 1.5, lineLogprob: 0.1, isInName: 1.2 };
/** Nothing is certain, so that a threshold of 100 % hides everything. */
const MOST = 0.99;

/**
 * From 0 to 1, by the natural logarithms of the probabilities of the first line's tokens; undefined without them. Behind
 * the beginning of a name, as where a word is half typed, more is kept.
 */
function keepProbability(logprobs: readonly number[], { lineBefore }: CompletionContext): number | undefined {
  const [first] = logprobs;
  if (first === undefined) return undefined;
  const line = logprobs.reduce((sum, each) => sum + each);
  const weighed = WEIGHTS.firstLogprob * first + WEIGHTS.lineLogprob * line;
  const logit = WEIGHTS.constant + weighed + (ENDS_IN_NAME.test(lineBefore) ? WEIGHTS.isInName : 0);
  return Math.min(MOST, 1 / (1 + Math.exp(-logit)));
}

/** Up to the end of the first line that is not blank. */
function firstLine(text: string): string {
  return /^\s*?[^\n]*\S[^\n]*/.exec(text)?.[0] ?? text;
}

interface JudgedRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  /** In percent. 0 hides nothing, and no probability is computed. */
  readonly settings: Partial<Pick<ServerSettings, 'hideBelow'>>;
}

/**
 * Whether a suggestion is shown while it is computed. That is decided once, by its first line, so that nothing that was
 * shown disappears, and nothing more is computed of what is not.
 */
export class KeepJudge {
  /** Undefined until a text was judged, where nobody asks and where the engine tells nothing. */
  probability: number | undefined;
  #isUnlikely: boolean | undefined;

  constructor(
    private readonly request: JudgedRequest,
    private readonly output: Pick<HealedOutput, 'logprobs'>,
  ) {}

  /** Later texts begin with the first one, whose likelihood counts. What was asked for is never hidden. */
  hides(text: string): boolean {
    const { context, trigger, settings } = this.request;
    if (this.#isUnlikely === undefined) {
      this.probability = keepProbability(this.output.logprobs(firstLine(text).length), context);
      this.#isUnlikely = 100 * (this.probability ?? 1) < (settings.hideBelow ?? 0);
    }
    return trigger === 'automatic' && (this.#isUnlikely || isFiller(text, context));
  }

  /** Why the last text was hidden. */
  get cause(): 'unlikely' | 'filler' {
    return this.#isUnlikely === true ? 'unlikely' : 'filler';
  }

  /** The pieces, up to the one that shows that they are in vain. */
  async *unlessHidden(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const piece of pieces) {
      yield piece;
      if (this.#isUnlikely && this.request.trigger === 'automatic') return;
    }
  }
}
