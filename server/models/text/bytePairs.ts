// Byte-pair encoding as Hugging Face's Rust library does it. @huggingface/tokenizers 0.2.0 creates a string for every
// pair that it looks up: a million spaces take half a minute, and a text without a pre-tokenizer takes 200 ms per key
// press.
import { Model } from '@huggingface/tokenizers';
import { quoted } from '../../rules/userError';
import type { ConfigFields } from '../checkpoint/configFields';
import { byteIds } from './tokenBytes';
import { MergeTable } from './mergeTable';
import { JsonBytes } from './jsonBytes';
import { isTokenId, MAX_IDS, TokenTable, type PairLists } from './tokenTable';

/** Longest word to remember, in characters, and number of words to remember: the words of a text recur. */
const MAX_KEPT_LENGTH = 256;
const MAX_KEPT_WORDS = 20_000;

export class BytePairs extends Model {
  readonly #tokens: TokenTable;
  readonly #merges: MergeTable;
  readonly #words = new Map<string, readonly string[]>();
  readonly #unknown: number | undefined;
  readonly #fusesUnknown: boolean;
  readonly #fallsBack: boolean;
  readonly #ignoresMerges: boolean;

  /**
   * Reads `lists` from `model` if they are undefined. Throws UserError for unsupported options, and for invalid token
   * ids, because MLX does not check ids.
   */
  constructor(model: ConfigFields, lists: PairLists | undefined) {
    super({ type: 'BPE', vocab: {}, merges: [], ignore_merges: false });
    for (const name of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix'])
      if (model.isSet(name) && model.raw(name) !== '')
        throw model.refusal(`no ${name}`, quoted(model.raw(name)), 'use another model');
    const { tokens, merges } = lists ?? listsOf(model);
    this.tokens_to_ids = this.#tokens = tokens;
    // TextPieces needs the tokens with line ends at load; `token` stores the rest when they are looked up.
    for (const [token, id] of tokens.withLineEnds()) this.vocab[id] = token;
    this.#merges = new MergeTable(merges);
    this.#unknown = model.has('unk_token') ? this.tokens_to_ids.get(model.string('unk_token')) : undefined;
    if (this.#unknown !== undefined) this.unk_token_id = this.#unknown;
    this.#fusesUnknown = model.boolean('fuse_unk', false);
    this.#fallsBack = model.boolean('byte_fallback', false);
    this.#ignoresMerges = model.boolean('ignore_merges', false);
  }

  /** Returns the text of a token, and stores it in the list in which the library looks it up. */
  token(id: number): string | undefined {
    const token = this.vocab[id] ?? this.#tokens.token(id);
    if (token !== undefined) this.vocab[id] = token;
    return token;
  }

  override encode(words: string[]): string[] {
    const tokens: string[] = [];
    for (const word of words) for (const token of this.#word(word)) tokens.push(token);
    return tokens;
  }

  #word(word: string): readonly string[] {
    const cached = this.#words.get(word);
    if (cached) return cached;
    const isToken = this.#ignoresMerges && this.tokens_to_ids.has(word);
    const tokens = isToken
      ? [word]
      : this.#merges.apply(this.#letters(word)).map((id) => this.token(id) ?? '');
    if (word.length > MAX_KEPT_LENGTH) return tokens;
    if (this.#words.size >= MAX_KEPT_WORDS) this.#words.clear();
    this.#words.set(word, tokens);
    return tokens;
  }

  /** Returns the ids of a word before merges: those of its characters, of their bytes, or the id for unknown text. */
  #letters(word: string): number[] {
    const ids: number[] = [];
    for (const letter of word) {
      const id = this.tokens_to_ids.get(letter);
      const bytes = id === undefined && this.#fallsBack ? byteIds(letter, this.tokens_to_ids) : undefined;
      if (id !== undefined) ids.push(id);
      else if (bytes) ids.push(...bytes);
      else if (this.#unknown !== undefined && !(this.#fusesUnknown && ids.at(-1) === this.#unknown))
        ids.push(this.#unknown);
    }
    return ids;
  }
}

/** Reads the lists of a file with unusual or wrong JSON. Throws UserError where the Rust library fails too. */
function listsOf(model: ConfigFields): PairLists {
  const vocabulary = model.nested('vocab');
  const wrongId = Object.values(vocabulary.object).find((id) => !isTokenId(id));
  if (wrongId !== undefined)
    throw vocabulary.refusal(`whole numbers below ${String(MAX_IDS)} as the ids of tokens`, quoted(wrongId));
  const merges = model.raw('merges');
  if (!Array.isArray(merges)) throw model.refusal('a list of merges', quoted(merges));
  const tokens = TokenTable.read(jsonBytes(vocabulary.object));
  const isMerge = (merge: unknown): boolean => {
    try {
      return tokens.readMerges(jsonBytes([merge])).length > 0;
    } catch {
      return false;
    }
  };
  const wrong: unknown = merges.find((merge) => !isMerge(merge));
  if (wrong !== undefined) throw model.refusal('merges of tokens in the vocabulary', quoted(wrong));
  return { tokens, merges: tokens.readMerges(jsonBytes(merges)) };
}

function jsonBytes(value: object): JsonBytes {
  return new JsonBytes(Buffer.from(JSON.stringify(value)));
}
