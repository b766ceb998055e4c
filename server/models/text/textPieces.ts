// Splits a text into pieces whose ids together equal those of the whole, and remembers their ids, so that a key press
// costs the encoding of one line. Safe cuts depend on the vocabulary; they are tested when it is loaded.

/** A rule for cuts near line feeds. The offsets are in characters from the line feed. */
interface Cut {
  /** Pattern that must match at the offset `from`. */
  readonly pattern: RegExp;
  readonly from: number;
  /** Offset at which the next piece begins. */
  readonly to: number;
}

/**
 * Rules, the finest first. Vocabularies like that of GPT-4o merge slashes with the line end before them; those like
 * GPT-2's treat white space differently at the end of a text. U+0085 is white space for Hugging Face's Rust library,
 * but not for JavaScript. U+2581 is the space of SentencePiece vocabularies, in which some tokens contain both that
 * space and line ends.
 */
const CUTS: readonly Cut[] = [
  { pattern: /[ \t]*[^\s\x85▁]/y, from: 1, to: 1 },
  { pattern: /[ \t]+[^\s\x85▁]|[^\s\x85▁/]/y, from: 1, to: 1 },
  { pattern: /[^\s\x85▁/]/y, from: 1, to: 1 },
  { pattern: /[^\s\x85▁]\n/y, from: -1, to: 0 },
];

/** Ends of lines, gaps between lines and beginnings of lines. All combinations form the text that tests the cuts. */
const ENDS = ['a', '1', ';', '){', '語', '"', '//', ' '];
const GAPS = ['\n', '\n\n', '\n  \n', '\r\n\r\n', '\n\n\n\t\n'];
const BEGINNINGS = ['b', '2', '}', '//', '  c', '\td', '    ;', '\t/', '語', "'s", '<'];
const PROBE = ENDS.flatMap((end) => GAPS.flatMap((gap) => BEGINNINGS.map((begin) => end + gap + begin))).join(
  '',
);
/** Matches tokens with a line end inside, which a cut could split. */
const ACROSS = /\n[^\n]/;
/** Maximum number of such tokens to test the cuts with. */
const MAX_ACROSS = 200;

/** Characters of pieces to remember: more than a long conversation has. */
const KEPT_CHARACTERS = 2 ** 22;

export class TextPieces {
  /** The finest rule whose pieces encode as the whole text; undefined if there is none. */
  readonly #cut: Cut | undefined;
  /** Ids of encoded pieces, least recently used first. */
  readonly #cache = new Map<string, readonly number[]>();
  #characters = 0;

  constructor(
    private readonly encodePiece: (text: string) => readonly number[],
    vocabulary: readonly string[],
  ) {
    const across = vocabulary.filter((token) => ACROSS.test(token)).slice(0, MAX_ACROSS);
    // Tokens are probed with normal spaces, since hardly any text contains SentencePiece's own.
    const text = PROBE + across.map((token) => `x${token.replaceAll('▁', ' ')}y`).join('');
    const expected = encodePiece(text).join();
    this.#cut = CUTS.find(
      (cut) =>
        pieces(text, cut)
          .flatMap((piece) => [...encodePiece(piece)])
          .join() === expected,
    );
  }

  /** Splits a text at its safe cuts. */
  split(text: string): string[] {
    return pieces(text, this.#cut);
  }

  /** Returns whether the ids of a piece are in the cache. */
  isCached(piece: string): boolean {
    return this.#cache.has(piece);
  }

  /** Encodes a text, and remembers the ids of its pieces. */
  encode(text: string): number[] {
    const ids: number[] = [];
    for (const piece of this.split(text)) {
      const pieceIds = this.#cache.get(piece) ?? this.encodePiece(piece);
      this.#keep(piece, pieceIds);
      for (const id of pieceIds) ids.push(id);
    }
    return ids;
  }

  #keep(piece: string, ids: readonly number[]): void {
    if (!this.#cache.delete(piece)) this.#characters += piece.length;
    this.#cache.set(piece, ids);
    for (const [oldest] of this.#cache) {
      if (this.#characters <= KEPT_CHARACTERS) break;
      this.#cache.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}

function pieces(text: string, cut: Cut | undefined): string[] {
  const all: string[] = [];
  let begin = 0;
  for (let end = text.indexOf('\n'); cut && end >= 0; end = text.indexOf('\n', end + 1)) {
    cut.pattern.lastIndex = Math.max(0, end + cut.from);
    if (!cut.pattern.test(text)) continue;
    if (end + cut.to > begin) all.push(text.slice(begin, end + cut.to));
    begin = end + cut.to;
  }
  return [...all, text.slice(begin)].filter((piece) => piece !== '');
}
