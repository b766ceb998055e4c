// Whether a suggestion is shown while it is computed: decided once, by its first line, so that nothing that was shown
// disappears, and nothing more is computed of what is not.
import type { HealedOutput } from './healing';
import { firstLine, isUnlikely, keepSigns, type HideSettings, type KeepSigns } from './keepProbability';

interface JudgedRequest {
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: Partial<HideSettings>;
}

export class KeepJudge {
  /** Undefined until a text was judged, where nobody asks and where the engine tells nothing. */
  signs: KeepSigns | undefined;
  #hides: boolean | undefined;

  constructor(
    private readonly request: JudgedRequest,
    private readonly output: Pick<HealedOutput, 'logprobs'>,
  ) {}

  /** Judges the first text that it is given; later ones begin with it. What was asked for is never hidden. */
  hides(text: string): boolean {
    const { trigger, settings } = this.request;
    if (this.#hides !== undefined) return this.#hides;
    const line = firstLine(text);
    this.signs = keepSigns(line, this.output.logprobs(line.length));
    const unlikely = this.signs !== undefined && isUnlikely(this.signs, settings);
    return (this.#hides = unlikely && trigger === 'automatic');
  }

  /** The pieces, up to the one that shows that they are in vain. */
  async *unlessHidden(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const piece of pieces) {
      yield piece;
      if (this.#hides) return;
    }
  }
}
