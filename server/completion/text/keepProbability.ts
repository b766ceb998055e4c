// How likely a person is to keep some of a suggestion, judged by its first line, as that is shown before the rest is
// known: a logistic function of the target's own probabilities, and of where the cursor is. Its weights were fitted to
// pauses in typed programs (docs/internals/results.md).
import type { CompletionContext } from '../prompt/context';
import { isFiller } from './filters';
import type { HealedOutput } from './healing';
import { ENDS_IN_NAME } from './language';

/** What is known of a first line when it can be shown. */
export interface KeepSigns {
  /** Natural logarithms of probabilities: of its first token, and of all together. */
  readonly firstLogprob: number;
  readonly lineLogprob: number;
  /** Whether the cursor is behind the beginning of a name, as where a word is half typed. */
  readonly isInName: boolean;
}

/** Up to the end of the first line that is not blank. */
function firstLine(text: string): string {
  return /^\s*?[^\n]*\S[^\n]*/.exec(text)?.[0] ?? text;
}

/** Undefined without log-probabilities. */
function keepSigns(logprobs: readonly number[], { lineBefore }: CompletionContext): KeepSigns | undefined {
  const [firstLogprob] = logprobs;
  if (firstLogprob === undefined) return undefined;
  const lineLogprob = logprobs.reduce((sum, each) => sum + each);
  return { firstLogprob, lineLogprob, isInName: ENDS_IN_NAME.test(lineBefore) };
}

/** Settings that decide what is hidden. */
export interface HideSettings {
  /** Percent. 0 hides nothing, and no probability is computed. */
  readonly hideBelow: number;
}

const WEIGHTS = { constant: 1.5, firstLogprob: 1.5, lineLogprob: 0.1, isInName: 1.2 };
/** Nothing is certain, so that a threshold of 100 % hides everything. */
const MOST = 0.99;

/** From 0 to 1. */
export function keepProbability({ firstLogprob, lineLogprob, isInName }: KeepSigns): number {
  const weighed = WEIGHTS.firstLogprob * firstLogprob + WEIGHTS.lineLogprob * lineLogprob;
  const logit = WEIGHTS.constant + weighed + (isInName ? WEIGHTS.isInName : 0);
  return Math.min(MOST, 1 / (1 + Math.exp(-logit)));
}

/** Whether it falls short of the threshold. */
function isUnlikely(signs: KeepSigns, { hideBelow = 0 }: Partial<HideSettings>): boolean {
  return 100 * keepProbability(signs) < hideBelow;
}

interface JudgedRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: Partial<HideSettings>;
}

/**
 * Whether a suggestion is shown while it is computed. That is decided once, by its first line, so that nothing that was
 * shown disappears, and nothing more is computed of what is not.
 */
export class KeepJudge {
  /** Undefined until a text was judged, where nobody asks and where the engine tells nothing. */
  signs: KeepSigns | undefined;
  #isUnlikely: boolean | undefined;

  constructor(
    private readonly request: JudgedRequest,
    private readonly output: Pick<HealedOutput, 'logprobs'>,
  ) {}

  /** Later texts begin with the first one, whose likelihood counts. What was asked for is never hidden. */
  hides(text: string): boolean {
    const { context, trigger, settings } = this.request;
    if (this.#isUnlikely === undefined) {
      this.signs = keepSigns(this.output.logprobs(firstLine(text).length), context);
      this.#isUnlikely = this.signs !== undefined && isUnlikely(this.signs, settings);
    }
    return trigger === 'automatic' && (this.#isUnlikely || isFiller(text, context));
  }

  /** The pieces, up to the one that shows that they are in vain. */
  async *unlessHidden(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const piece of pieces) {
      yield piece;
      if (this.#isUnlikely && this.request.trigger === 'automatic') return;
    }
  }
}
