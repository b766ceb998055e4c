// Text to token ids and back, with @huggingface/tokenizers. User text is never scanned for special tokens:
// a prompt is built from segments, and only its own segments may name them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer as HubTokenizer } from '@huggingface/tokenizers';
import { InputError } from '../inputError';
import { ConfigFields } from './configFields';

export interface Tokenizer {
  /** Special tokens written in `text` become those tokens, as in a prompt that a program wrote. */
  encodePrompt(text: string): number[];
  /** The same for a part of a prompt: nothing is put around it. */
  encodeSegment(text: string): number[];
  /** Everything in `text` is plain text, as in code that a person wrote. */
  encodeText(text: string): number[];
  /** Special tokens are left out. Incomplete characters at an edge become U+FFFD. */
  decode(ids: readonly number[]): string;
  /** The id of a special token, by its exact spelling. */
  specialTokenId(content: string): number | undefined;
}

/** Loads tokenizer.json of a model directory; undefined where there is none (token ids still work then). */
export function loadTokenizer(directory: string): Tokenizer | undefined {
  const file = join(directory, 'tokenizer.json');
  if (!existsSync(file)) return undefined;
  const tokenizer = ConfigFields.read(file);
  const configFile = join(directory, 'tokenizer_config.json');
  const config = existsSync(configFile) ? ConfigFields.read(configFile) : new ConfigFields(configFile, {});
  try {
    return new HuggingFaceTokenizer(new HubTokenizer(tokenizer.object, config.object));
  } catch (cause) {
    throw new InputError({
      expected: `a tokenizer that @huggingface/tokenizers can read in ${file}`,
      got: cause instanceof Error ? cause.message : String(cause),
      remedy: 'download the file again',
      cause,
    });
  }
}

const WORTH_KEEPING = 256;
const KEPT_TEXTS = 16;

class HuggingFaceTokenizer implements Tokenizer {
  /** Matches where the spelling of an added token begins; spellings may overlap. */
  readonly #addedTokens: RegExp | undefined;
  readonly #ids: ReadonlyMap<string, number>;
  /** Long texts that were encoded of late: while one is typed, those around it come again with every key. */
  readonly #recent = new Map<string, readonly number[]>();

  constructor(private readonly tokenizer: HubTokenizer) {
    const added = [...tokenizer.get_added_tokens_decoder()];
    this.#ids = new Map(added.map(([id, token]) => [token.content, id]));
    const spellings = [...this.#ids.keys()].map((content) => content.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    this.#addedTokens = spellings.length > 0 ? new RegExp(`(?=${spellings.join('|')})`, 'g') : undefined;
  }

  encodePrompt(text: string): number[] {
    return this.tokenizer.encode(text).ids;
  }

  encodeSegment(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  encodeText(text: string): number[] {
    const known = this.#recent.get(text);
    const ids =
      known ??
      this.#pieces(text).flatMap((piece) => this.tokenizer.encode(piece, { add_special_tokens: false }).ids);
    if (text.length >= WORTH_KEEPING) this.#keep(text, ids);
    return [...ids];
  }

  #keep(text: string, ids: readonly number[]): void {
    this.#recent.delete(text);
    this.#recent.set(text, ids);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > KEPT_TEXTS && oldest !== undefined) this.#recent.delete(oldest);
  }

  decode(ids: readonly number[]): string {
    // Rows of the embedding table beyond the vocabulary have no text; the library would throw on them.
    const known = ids.filter((id) => this.tokenizer.id_to_token(id) !== undefined);
    if (known.length === 0) return '';
    return this.tokenizer.decode(known, { skip_special_tokens: true, clean_up_tokenization_spaces: false });
  }

  specialTokenId(content: string): number | undefined {
    return this.#ids.get(content);
  }

  /** Cuts the spelling of an added token after its first character, so that it cannot be taken for the token. */
  #pieces(text: string): string[] {
    const cuts = [...(this.#addedTokens ? text.matchAll(this.#addedTokens) : [])].map(
      ({ index }) => index + 1,
    );
    return [0, ...cuts].map((from, i) => text.slice(from, cuts[i])).filter((piece) => piece.length > 0);
  }
}
