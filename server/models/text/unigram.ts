// Unigram encoding as Hugging Face's Rust library does it. The model in @huggingface/tokenizers 0.2.0 has no byte
// fallback, so that line ends, tabs and emoji become unknown text.
import { Model } from '@huggingface/tokenizers';
import { quoted } from '../../rules/userError';
import type { ConfigFields } from '../checkpoint/configFields';
import { byteIds } from './tokenBytes';

/** Amount by which a character without a token scores below the worst token. */
const UNKNOWN_PENALTY = 10;

/** The best encoding of a text up to some position. */
interface Best {
  /** Position at which its last token begins. */
  readonly from: number;
  /** Id of its last token; undefined for a character without a token. */
  readonly id: number | undefined;
  /** Sum of the scores of all its tokens. */
  readonly score: number;
}

export class UnigramPieces extends Model {
  readonly #scores: number[] = [];
  readonly #longest: number;
  readonly #unknownScore: number;
  readonly #fallsBack: boolean;

  /** Reads a list of tokens with their scores. Throws UserError for anything else. */
  constructor(model: ConfigFields) {
    super({ type: 'Unigram', vocab: [], unk_id: 0 });
    const vocabulary = model.raw('vocab');
    if (!Array.isArray(vocabulary))
      throw model.refusal('a list of tokens and their scores', quoted(vocabulary));
    for (const [id, entry] of vocabulary.entries()) {
      if (!isPiece(entry)) throw model.refusal('tokens and their scores', quoted(entry));
      const [token, score] = entry;
      this.tokens_to_ids.set(token, id);
      this.vocab.push(token);
      this.#scores.push(score);
    }
    if (model.has('unk_id'))
      this.unk_token_id = model.integer('unk_id', { min: 0, max: this.vocab.length - 1 });
    const worst = this.#scores.reduce((lowest, score) => Math.min(lowest, score), Infinity);
    this.#unknownScore = worst - UNKNOWN_PENALTY;
    this.#longest = this.vocab.reduce((length, token) => Math.max(length, token.length), 0);
    this.#fallsBack = model.boolean('byte_fallback', false);
  }

  override encode(words: string[]): string[] {
    return words.flatMap((word) => this.#word(word)).map((id) => this.vocab[id] ?? '');
  }

  /** Encodes a word: the tokens of its best encoding, with bytes or the unknown token between them. */
  #word(word: string): number[] {
    const ids: number[] = [];
    let unknown = '';
    const flush = (): void => {
      const bytes = this.#fallsBack ? byteIds(unknown, this.tokens_to_ids) : undefined;
      if (bytes) ids.push(...bytes);
      else if (unknown !== '' && this.unk_token_id !== undefined) ids.push(this.unk_token_id);
      unknown = '';
    };
    // Consecutive characters without a token become one unknown token.
    for (const { from, id, to } of this.#path(word)) {
      if (id === undefined) unknown += word.slice(from, to);
      else {
        flush();
        ids.push(id);
      }
    }
    flush();
    return ids;
  }

  /** Returns the encoding with the highest score, in order: the Viterbi algorithm over positions of the word. */
  #path(word: string): (Best & { readonly to: number })[] {
    const best: (Best | undefined)[] = [{ from: 0, id: undefined, score: 0 }];
    const consider = (to: number, candidate: Best): void => {
      if (best[to] === undefined || candidate.score > best[to].score) best[to] = candidate;
    };
    for (let from = 0; from < word.length;) {
      const score = best[from]?.score ?? 0;
      const width = String.fromCodePoint(word.codePointAt(from) ?? 0).length;
      for (let to = from + 1; to <= Math.min(word.length, from + this.#longest); to++) {
        const id = this.tokens_to_ids.get(word.slice(from, to));
        const tokenScore = id === undefined ? undefined : this.#scores[id];
        if (tokenScore !== undefined) consider(to, { from, id, score: score + tokenScore });
      }
      const letterId = this.tokens_to_ids.get(word.slice(from, from + width));
      // Added tokens outside the vocabulary have no score.
      const isToken = letterId !== undefined && this.#scores[letterId] !== undefined;
      if (!isToken) consider(from + width, { from, id: undefined, score: score + this.#unknownScore });
      from += width;
    }
    const path: (Best & { readonly to: number })[] = [];
    for (let to = word.length; to > 0;) {
      const candidate = best[to] ?? { from: 0, id: undefined, score: 0 };
      path.push({ ...candidate, to });
      to = candidate.from;
    }
    return path.reverse();
  }
}

function isPiece(entry: unknown): entry is [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && Number.isFinite(entry[1]);
}
