// The output of one choice while it is decoded: filtered text with the client's line ends, and its log-probabilities.
// Characters that the output repeats from a healed prompt are removed.
import { HealedOutput, type OutputLimits } from '../completion/prompt/healedOutput';
import type { HealedPrompt } from '../completion/prompt/healing';
import type { DecodeChunk } from '../engine/decode/decode';
import type { ServedEngine } from '../hosting/model';
import { AlignedLogprobs, type SentLogprobs } from './alignedLogprobs';
import type { Choice, Piece } from './generation';

export class ChoiceOutput {
  text = '';
  readonly #healed: HealedOutput;
  readonly #aligned: AlignedLogprobs | undefined;
  readonly #logprobs: SentLogprobs[] = [];

  constructor(
    private readonly choice: Choice,
    { ids, removed }: HealedPrompt,
    { config, tokenizer }: ServedEngine,
  ) {
    this.#healed = new HealedOutput(removed, tokenizer);
    const { request } = choice;
    if (request.sampling?.logprobs === undefined || tokenizer === undefined) return;
    const endTokenIds = [...config.eosTokenIds, ...(request.stopTokenIds ?? [])];
    this.#aligned = new AlignedLogprobs(tokenizer, ids, endTokenIds, request.spelledTokenIds);
  }

  /** Limits of the decode: those of the request, adapted to the removed characters. */
  get limits(): OutputLimits {
    return this.#healed.limits(this.choice.request);
  }

  /** Number of tokens at the start of the output that only repeat characters removed from the prompt. */
  get skipped(): number {
    return this.#healed.skipped;
  }

  /** Whether the output is still too short to contain the removed characters. */
  get isIncomplete(): boolean {
    return !this.#healed.isRepeated;
  }

  /** Whether the filter has ended the text. */
  get isCut(): boolean {
    return this.choice.filter?.ended ?? false;
  }

  /** Log-probabilities of the text's tokens so far; undefined if not requested. */
  get logprobs(): readonly SentLogprobs[] | undefined {
    return this.#aligned && this.#logprobs;
  }

  /** Adds a chunk. Returns undefined if the output does not begin with the removed characters. */
  push(chunk: DecodeChunk): Piece | undefined {
    this.#aligned?.push(chunk);
    const rest = this.#healed.push(chunk);
    if (rest === undefined) return undefined;
    const { filter } = this.choice;
    const text = filter ? filter.push(rest.text) : rest.text;
    return this.#append(text, rest.tokens, this.#aligned?.take(this.skipped));
  }

  /** Returns the text held back, once the output has ended. */
  flush(): Piece {
    return this.#append(this.choice.filter?.flush() ?? '', [], this.#aligned?.takeRest(this.skipped));
  }

  #append(output: string, tokens: readonly number[], logprobs: readonly SentLogprobs[] | undefined): Piece {
    const { filter, lineEnd = '\n' } = this.choice;
    const thinking = filter?.takeThinking?.() ?? '';
    const text = output.replaceAll('\n', lineEnd);
    this.text += text;
    this.#logprobs.push(...(logprobs ?? []));
    return { text, tokens, logprobs, thinking };
  }
}
