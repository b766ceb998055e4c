// The tokenizer of a tokenizer.json, by @huggingface/tokenizers with the parts in tokenizerFile.ts.
import type { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { ControlTokens } from './controlTokens';
import { TextPieces } from './textPieces';
import { TokenDecoder, type Timed } from './tokenDecoder';
import type { DecodeOptions, LoadedTokenizer, PromptPart, TextStart } from './tokenizer';

/** Number of `Run`s to encode in one step; most prompts have fewer. */
const RUNS_AT_ONCE = 100;
/** Code-like text to test the decoder with. */
const PROBE =
  ' \tdef f(x):\n    return "é 語 👍🏽" + x[0]  # a, b. It\'s\r\n\n  if (a != b) { c.d(); }\n1 + 22 <i> end';
/** Texts whose tokens can precede a token to decode. */
const START_TEXTS = ['\n', 'a', '1', '.'];

/** A special token spelled by a template, and the text up to the next one. The first run has no token. */
interface Run {
  readonly token: string;
  text: string;
}

export class HuggingFaceTokenizer implements LoadedTokenizer {
  readonly #control: ControlTokens;
  readonly #ids: ReadonlyMap<string, number>;
  /**
   * Text encoded before each text in the middle of a prompt, so that the library adds no space between the two. The ids
   * of the lead are cut off again.
   */
  readonly #lead: { readonly text: string; readonly ids: readonly number[] };
  readonly #pieces: TextPieces;
  readonly #decoder: TokenDecoder;

  constructor(
    readonly directory: string,
    private readonly library: LibraryTokenizer,
    readonly textStart: TextStart,
    private readonly timed: { readonly encoding: Timed; readonly decoding: Timed },
  ) {
    const added = [...library.get_added_tokens_decoder()];
    this.#ids = new Map(added.map(([id, token]) => [token.content, id]));
    this.#control = new ControlTokens(added.map(([, token]) => token));
    const text = textStart.space === '' ? '' : '\n';
    const ids = this.#libraryIds(text);
    this.#lead = { text, ids };
    const startIds = START_TEXTS.map((start) => this.#libraryIds(start)).filter(({ length }) => length > 0);
    this.#decoder = new TokenDecoder(library, [ids, ...startIds], this.#libraryIds(PROBE), timed.decoding);
    const encode = (piece: string): number[] =>
      this.#control.cut(piece).flatMap((part) => this.#encodeInside(part));
    this.#pieces = new TextPieces(encode, library.model?.vocab ?? []);
  }

  uncachedPieces(text: string): string[] {
    return this.#pieces.split(text).filter((piece) => !this.#pieces.isCached(piece));
  }

  encodePrompt(text: string): number[] {
    const ids = this.encodeParts([{ text, from: 'template' }]);
    const { ids: start } = this.textStart;
    return startsWith(ids, start) ? ids : [...start, ...ids];
  }

  encodeParts(parts: readonly PromptPart[]): number[] {
    return ([] as number[]).concat(...this.encodeSteps(parts));
  }

  *encodeSteps(parts: readonly PromptPart[]): Generator<number[]> {
    const runs = this.#runs(parts);
    for (let i = 0; i < runs.length; i += RUNS_AT_ONCE) {
      const step = runs.slice(i, i + RUNS_AT_ONCE);
      const encode = (run: Run, j: number): number[] => this.#encodeRun(run, runs[i + j + 1]?.token ?? '');
      const characters = step.reduce((sum, { text }) => sum + text.length, 0);
      yield this.timed.encoding(() => ([] as number[]).concat(...step.map(encode)), characters);
    }
  }

  encodeText(text: string): number[] {
    const encode = (): number[] => this.#pieces.encode(text);
    return this.uncachedPieces(text).length === 0 ? encode() : this.timed.encoding(encode, text.length);
  }

  decode(ids: readonly number[]): string {
    return this.#decoder.decode(ids, { skipSpecialTokens: true });
  }

  spell(ids: readonly number[]): string {
    return this.#decoder.decode(ids);
  }

  bytes(id: number, options?: DecodeOptions): Uint8Array {
    return this.#decoder.bytes(id, options);
  }

  specialTokenId(content: string): number | undefined {
    return this.#ids.get(content);
  }

  mark(text: string, mark: string): string {
    return this.#control.mark(text, mark);
  }

  /** Encodes a text as the library does, so added tokens that it spells become tokens. */
  #libraryIds(text: string): number[] {
    return libraryIds(this.library, text);
  }

  /** Encodes a text in the middle of a prompt. */
  #encodeInside(text: string): number[] {
    const { text: lead, ids } = this.#lead;
    const all = this.#libraryIds(lead + text);
    return startsWith(all, ids) ? all.slice(ids.length) : this.#libraryIds(text);
  }

  #runs(parts: readonly PromptPart[]): readonly Run[] {
    let run: Run = { token: '', text: '' };
    const runs = [run];
    for (const { text, from } of parts) {
      // Texts and special tokens alternate; a message is a single text.
      for (const [i, piece] of (from === 'template' ? this.#control.split(text) : [text]).entries()) {
        if (i % 2 === 0) run.text += piece;
        else {
          run = { token: piece, text: '' };
          runs.push(run);
        }
      }
    }
    return runs;
  }

  /** Encodes a run, in pieces. */
  #encodeRun({ token, text }: Run, nextToken: string): number[] {
    const pieces = this.#pieces.split(text);
    let first = pieces.shift() ?? '';
    // A special token can absorb all white space after it.
    while (first.trim() === '' && pieces.length > 0) first += pieces.shift() ?? '';
    const last = pieces.pop();
    const ids = this.#tokenId(token);
    const begin = this.#encodeBesideTokens({ text: token, ids }, first, last === undefined ? nextToken : '');
    if (last === undefined) return ids.concat(begin);
    const between = pieces.flatMap((piece) => this.#pieces.encode(piece));
    return ids.concat(begin, between, this.#encodeBesideTokens(this.#lead, last, nextToken));
  }

  #tokenId(token: string): number[] {
    const id = this.#ids.get(token);
    return id === undefined ? [] : [id];
  }

  /** Encodes a text together with the special tokens around it, which can affect white space and the first word. */
  #encodeBesideTokens(
    before: { readonly text: string; readonly ids: readonly number[] },
    text: string,
    nextToken: string,
  ) {
    const [piece = '', ...rest] = this.#control.cut(text);
    const next = rest.length > 0 ? [] : this.#tokenId(nextToken);
    const withNext = this.#libraryIds(before.text + piece + (next.length > 0 ? nextToken : ''));
    const end = withNext.length - next.length;
    // After other text, the library encodes a normalized token of SentencePiece as text: it searches for the token's
    // normalized form, which begins with a space.
    const all = startsWith(withNext.slice(end), next)
      ? withNext.slice(0, end)
      : this.#libraryIds(before.text + piece);
    const first = startsWith(all, before.ids) ? all.slice(before.ids.length) : this.#encodeInside(piece);
    return first.concat(rest.flatMap((part) => this.#encodeInside(part)));
  }
}

/**
 * Encodes a text by the library. Leaves out characters that have no token if there is none for unknown text either.
 * `withSpecial` adds the tokens that tokenizer.json puts around every text.
 */
export function libraryIds(tokenizer: LibraryTokenizer, text: string, withSpecial = false): number[] {
  const ids: (number | undefined)[] = tokenizer.encode(text, { add_special_tokens: withSpecial }).ids;
  const isId = (id: number | undefined): id is number => id !== undefined;
  // Avoids copying lists of a million ids.
  return ids.every(isId) ? ids : ids.filter(isId);
}

function startsWith(ids: readonly number[], start: readonly number[]): boolean {
  return start.every((id, i) => ids[i] === id);
}
