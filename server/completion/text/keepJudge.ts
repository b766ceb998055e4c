// Whether a suggestion is shown while it is computed. How likely it is to be kept is decided once, by its first line, so
// that nothing that was shown disappears, and nothing more is computed of what is not.
import type { CompletionContext } from '../prompt/context';
import { isFiller } from './filler';
import type { HealedOutput } from './healing';
import { firstLine, isUnlikely, keepSigns, type HideSettings, type KeepSigns } from './keepProbability';

interface JudgedRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: Partial<HideSettings>;
}

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
      const line = firstLine(text);
      this.signs = keepSigns(line, this.output.logprobs(line.length));
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
