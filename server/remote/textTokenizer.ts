// Replaces the unknown tokenizer of a remote model, so that prompts are built, cut and healed as usual. Its tokens are
// short pieces of text, which the server tokenizes again, and the special tokens of one fill-in-the-middle format.
import type { DecodeOptions, PromptPart, Tokenizer } from '../models/text/tokenizer';

/** Matches up to six letters or digits after at most one space, about a token of code; blanks; or another character. */
const PIECES = / ?[\p{L}\p{N}_$]{1,6}|[ \t]+(?=[ \t])|[^]/gu;
/** Special tokens; their ids are their indices. There is none for file names, as the API has no field for them. */
const SPECIAL: readonly string[] = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];
const PREFIX = 0;
const SUFFIX = 1;
const MIDDLE = 2;

/** A prompt that is sent as text. */
export interface PromptText {
  readonly prompt: string;
  /** Text after the gap; undefined for a prompt to be continued. */
  readonly suffix?: string | undefined;
}

export class TextTokenizer implements Tokenizer {
  readonly textStart = { ids: [], space: '' } as const;
  /** Ids by piece; only distinct pieces are kept, so the map stays small. */
  readonly #ids = new Map<string, number>();
  /** Pieces by id; special tokens have no text. */
  readonly #pieces: string[] = SPECIAL.map(() => '');

  encodePrompt(text: string): number[] {
    return this.encodeText(text);
  }

  encodeParts(parts: readonly PromptPart[]): number[] {
    return this.encodeText(parts.map(({ text }) => text).join(''));
  }

  encodeText(text: string): number[] {
    return (text.match(PIECES) ?? []).map((piece) => {
      const id = this.#ids.get(piece) ?? this.#pieces.push(piece) - 1;
      this.#ids.set(piece, id);
      return id;
    });
  }

  decode(ids: readonly number[]): string {
    return ids.map((id) => this.#pieces[id] ?? '').join('');
  }

  spell(ids: readonly number[]): string {
    return ids.map((id) => SPECIAL[id] ?? this.#pieces[id] ?? '').join('');
  }

  bytes(id: number, { skipSpecialTokens = false }: DecodeOptions = {}): Uint8Array {
    return Buffer.from(skipSpecialTokens ? this.decode([id]) : this.spell([id]));
  }

  specialTokenId(content: string): number | undefined {
    const id = SPECIAL.indexOf(content);
    return id < 0 ? undefined : id;
  }

  /** Splits a prompt at its fill-in-the-middle tokens into the text before the cursor and the text after it. */
  texts(ids: readonly number[]): PromptText {
    const suffixAt = ids.indexOf(SUFFIX);
    const middleAt = ids.indexOf(MIDDLE);
    if (ids[0] !== PREFIX || suffixAt < 0) return { prompt: this.decode(ids) };
    const suffix = this.decode(ids.slice(suffixAt + 1, middleAt));
    return { prompt: this.decode(ids.slice(1, suffixAt)), suffix };
  }
}
