// The bytes of single tokens, so that a text can be decoded while it is generated. The decoder of a tokenizer.json
// works on whole texts: it can drop the first space, or put one before all words but the first. Each token is therefore
// decoded after some start tokens. At load, a probe decoded token by token is compared with the library's text of the
// whole.
import type { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { tokenBytes } from './tokenBytes';
import type { DecodeOptions } from './tokenizer';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Runs work of the library, within a limit of processor time if its regular expressions need one. */
export type Timed = <T>(work: () => T, characters?: number) => T;

/** Start tokens and their text. */
interface Start {
  readonly ids: readonly number[];
  readonly text: string;
}

export class TokenDecoder {
  readonly #start: Start;
  /** Decoded bytes by token id, with special tokens skipped and with special tokens spelled out. */
  readonly #skipping = new Map<number, Uint8Array>();
  readonly #spelling = new Map<number, Uint8Array>();

  /**
   * Chooses the first of `starts` with which the tokens of `probe` decode to the library's text. Throws an Error if
   * none does, because the text of a token then depends on its neighbours.
   */
  constructor(
    private readonly library: LibraryTokenizer,
    starts: readonly (readonly number[])[],
    probe: readonly number[],
    private readonly timed: Timed,
  ) {
    const start = starts.map((ids) => this.#startOf(ids)).find((candidate) => this.#agrees(candidate, probe));
    // The message completes "Expected a tokenizer that @huggingface/tokenizers can read in FILE, got ...".
    if (start === undefined)
      throw new Error('a decoder whose text of a token depends on the tokens around it');
    this.#start = start;
  }

  /** Returns the bytes of a token. */
  bytes(id: number, options: DecodeOptions = {}): Uint8Array {
    const cache = options.skipSpecialTokens ? this.#skipping : this.#spelling;
    const bytes = cache.get(id) ?? this.#bytesAfter(this.#start, id, options);
    cache.set(id, bytes);
    return bytes;
  }

  decode(ids: readonly number[], options?: DecodeOptions): string {
    return UTF8.decode(Buffer.concat(ids.map((id) => this.bytes(id, options))));
  }

  #startOf(ids: readonly number[]): Start {
    return { ids, text: this.#text(ids) };
  }

  /** Returns whether the bytes of single tokens after `start` give the library's text of the whole probe. */
  #agrees(start: Start, probe: readonly number[]): boolean {
    const libraryText = this.#text([...start.ids, ...probe]);
    const bytes = new Map([...new Set(probe)].map((id) => [id, this.#bytesAfter(start, id)]));
    const joined = UTF8.decode(Buffer.concat(probe.map((id) => bytes.get(id) ?? new Uint8Array())));
    return libraryText === start.text + joined;
  }

  #bytesAfter(start: Start, id: number, options?: DecodeOptions): Uint8Array {
    const spelling = this.library.id_to_token(id);
    // Rows of the embedding table beyond the vocabulary have no text, and the library throws on them.
    if (spelling === undefined) return new Uint8Array();
    const text = this.#text([...start.ids, id], options).slice(start.text.length);
    return (text.includes('\uFFFD') ? tokenBytes(spelling) : undefined) ?? Buffer.from(text);
  }

  #text(ids: readonly number[], { skipSpecialTokens = false }: DecodeOptions = {}): string {
    if (ids.length === 0) return '';
    // The library reads the texts of tokens from a list that BytePairs fills only when `id_to_token` is called.
    for (const id of ids) this.library.id_to_token(id);
    const options = { skip_special_tokens: skipSpecialTokens, clean_up_tokenization_spaces: false };
    return this.timed(() => this.library.decode([...ids], options));
  }
}
