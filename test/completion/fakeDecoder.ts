// A decoder that yields scripted pieces. Its tokens are words with the space before them, as in real vocabularies, so
// that prompts can end inside a token.
import type { DecodeLimits, Decoder, Tokenizer } from '../../server/completion/decoder';
import type { ChatMessage } from '../../server/protocol/conversation';
import type { FinishReason } from '../../server/engine/request/stats';
import { FIM_TOKENS } from '../support/fimTokens';

/** Pieces of an output, or a function that returns them for a prompt. */
export type Answer = readonly string[] | ((prompt: string) => readonly string[]);

export interface FakeOptions {
  readonly infill?: Decoder['infill'];
  /** Special tokens; those of the Qwen family by default. */
  readonly fimTokens?: readonly string[];
  readonly hasChat?: boolean;
  readonly contextTokens?: number;
  /** Finish reason of outputs below the token limit. */
  readonly finishReason?: FinishReason;
  /** Called before each piece. */
  readonly beforePiece?: (index: number) => void;
}

const TOKENS = / ?[\p{L}\p{N}_$]+|[ \t]+(?![^ \t])|[ \t]+(?=[ \t])|[^]/gu;

class FakeTokenizer implements Tokenizer {
  readonly textStart = { ids: [], space: '' } as const;
  readonly #vocabulary: string[];

  constructor(private readonly special: readonly string[]) {
    this.#vocabulary = [...special];
  }

  /** Encodes text; special tokens written in it stay text. */
  encodeText(text: string): number[] {
    return (text.match(TOKENS) ?? []).map((token) => {
      const index = this.#vocabulary.indexOf(token, this.special.length);
      return index < 0 ? this.#vocabulary.push(token) - 1 : index;
    });
  }

  encodeParts(parts: readonly { readonly text: string }[]): number[] {
    return parts.flatMap(({ text }) => this.encodeText(text));
  }

  decode(ids: readonly number[]): string {
    return ids.map((id) => this.#vocabulary[id] ?? '').join('');
  }

  specialTokenId(content: string): number | undefined {
    const id = this.special.indexOf(content);
    return id < 0 ? undefined : id;
  }
}

export class FakeDecoder implements Decoder {
  readonly infill: Decoder['infill'];
  readonly contextTokens: number;
  readonly greedyLogprobs: boolean = false;
  readonly tokenizer: Tokenizer;
  /** Prompts as text, special tokens spelled out. */
  readonly prompts: string[] = [];
  readonly limits: DecodeLimits[] = [];
  /** Number of pieces that were read. */
  readCount = 0;

  /** Takes one answer for each decode; the last one also serves all later decodes. */
  constructor(
    private readonly answers: readonly Answer[],
    private readonly options: FakeOptions = {},
  ) {
    this.infill = options.infill ?? 'fim';
    this.tokenizer = new FakeTokenizer(options.fimTokens ?? FIM_TOKENS);
    this.contextTokens = options.contextTokens ?? 4096;
  }

  encodeChat(messages: readonly ChatMessage[]): number[] | undefined {
    if (this.options.hasChat !== true) return undefined;
    return messages.flatMap(({ role, content }) => this.tokenizer.encodeText(`[${role}]${content}`));
  }

  async *decode(
    promptIds: readonly number[],
    limits: DecodeLimits,
  ): AsyncGenerator<{ readonly text: string }> {
    const prompt = this.tokenizer.decode(promptIds);
    const answer = this.answers[Math.min(this.prompts.length, this.answers.length - 1)] ?? [];
    const pieces = typeof answer === 'function' ? answer(prompt) : answer;
    this.prompts.push(prompt);
    this.limits.push(limits);
    for (const [i, text] of pieces.entries()) {
      this.options.beforePiece?.(i);
      await Promise.resolve();
      if (limits.signal.aborted) return;
      this.readCount += 1;
      yield { text };
    }
    const isFull = this.tokenizer.encodeText(pieces.join('')).length >= limits.maxTokens;
    limits.onEnd?.(isFull ? 'length' : (this.options.finishReason ?? 'stop'));
  }
}
