// Both halves of healing for one decode: makes room in the limits for the text that `healing` has removed from the
// prompt, and removes it from the output with HealingPrefix. If the output does not begin with that text, decodes the
// next prompt instead.
import type { DecodeLimits } from '../decoder';
import type { Spelling } from './healing';
import { HealingPrefix, repeats, type Chunk } from './healingPrefix';

/** A prompt without the last characters before the cursor, `removed`, which its output must begin with. */
export interface HealedPrompt {
  readonly ids: readonly number[];
  readonly removed: string;
}

/** Limits of the text after the cursor. */
export type OutputLimits = Pick<DecodeLimits, 'maxTokens' | 'isComplete'>;

export class HealedDecode<D extends AsyncIterable<Chunk>> {
  /** Decodes so far, one for each prompt that was tried. */
  readonly decodes: D[] = [];
  /** Whether the latest output has begun with the text removed from its prompt; known once it has ended. */
  isRepeated = false;
  #healing: HealingPrefix | undefined;

  /**
   * `start` begins the decode of a prompt within limits that make room for the removed text. With `spelling`, tokens of
   * that text are counted for the limits, and left out of the chunks.
   */
  constructor(
    private readonly limits: OutputLimits & { readonly signal?: AbortSignal | undefined },
    private readonly start: (prompt: HealedPrompt, limits: OutputLimits) => D,
    private readonly spelling?: Spelling,
  ) {}

  /** Number of tokens left out of the latest decode's chunks, because they only repeat removed text. */
  get skipped(): number {
    return this.#healing?.skipped ?? 0;
  }

  /** Latest decode. */
  get latest(): D {
    const decode = this.decodes.at(-1);
    if (decode === undefined) throw new Error('The result is not known before the output is read.');
    return decode;
  }

  /** Yields the output after the cursor of the first prompt whose output begins with the text removed from it. */
  async *read(prompts: Iterable<HealedPrompt>): AsyncGenerator<Chunk, void, undefined> {
    for (const prompt of prompts) {
      yield* this.readOne(prompt);
      if (this.isRepeated || this.limits.signal?.aborted) return;
    }
  }

  /** Yields the output of one prompt after the cursor; no text if it does not begin with the removed text. */
  async *readOne(prompt: HealedPrompt): AsyncGenerator<Chunk, void, undefined> {
    const healing = new HealingPrefix(prompt.removed, this.spelling);
    this.#healing = healing;
    this.isRepeated = false;
    for await (const chunk of this.begin(prompt)) {
      const rest = healing.without(chunk);
      if (rest === undefined) return;
      yield rest;
    }
    this.isRepeated = healing.missing === '';
  }

  /** Begins the decode of a prompt; its output can be read as it is. */
  begin(prompt: HealedPrompt): D {
    const decode = this.start(prompt, healedLimits(this.limits, prompt.removed, this.spelling));
    this.decodes.push(decode);
    return decode;
  }
}

/** Makes room for the removed text in the limits of an output; by tokens only with `spelling`. */
export function healedLimits(
  { maxTokens, isComplete }: OutputLimits,
  removed: string,
  spelling?: Spelling,
): OutputLimits {
  if (removed === '') return { maxTokens, isComplete };
  return {
    maxTokens: maxTokens + (spelling?.encodeText(removed).length ?? 0),
    // An output that does not repeat the removed text is not read any further.
    isComplete: (output) =>
      !repeats(output, removed) || (isComplete?.(output.slice(removed.length)) ?? false),
  };
}
