// The special tokens that control a model: finds their spellings in a text.

export interface AddedToken {
  readonly content: string;
  readonly special: boolean;
}

/**
 * White space and HTML tags, which Gemma vocabularies list among their added tokens although people write them and no
 * template does. Tags that are not HTML, such as <think>, belong to templates.
 */
const ORDINARY_TEXT = new RegExp(
  String.raw`^(\s+|</?(${[
    'a abbr address article aside audio b bbox bdi bdo blockquote body br button canvas caption center cite code col',
    'colgroup data datalist dd del details dfn dialog div dl dt em fieldset figcaption figure font footer form h[1-6]',
    'head header hgroup hr html i iframe img input ins kbd label legend li link main map mark menu meta meter nav',
    'noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script section select small',
    'source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr',
    'track tt u ul var video wbr',
  ]
    .join(' ')
    .replaceAll(' ', '|')}) ?/?>)$`,
);

export class ControlTokens {
  /** Matches the position at which a spelling begins; spellings can overlap. */
  readonly #begin: RegExp | undefined;
  /** Matches the position at which a spelling begins, ignoring case. */
  readonly #beginAnyCase: RegExp | undefined;
  /** Matches the longest spelling. */
  readonly #pattern: RegExp | undefined;
  /** Matches any first character of a spelling: trying thousands of spellings at each position is slow. */
  readonly #firstCharacter: RegExp | undefined;

  constructor(added: readonly AddedToken[]) {
    const spellings = added
      .filter(({ content, special }) => content !== '' && (special || !ORDINARY_TEXT.test(content)))
      .map(({ content }) => content)
      .sort((a, b) => b.length - a.length)
      .map((content) => content.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    if (spellings.length === 0) return;
    const firsts = new Set(spellings.map((spelling) => /^\\?./su.exec(spelling)?.[0]));
    this.#firstCharacter = new RegExp([...firsts].join('|'), 'i');
    this.#begin = new RegExp(`(?=${spellings.join('|')})`, 'g');
    this.#beginAnyCase = new RegExp(this.#begin, 'gi');
    this.#pattern = new RegExp(`(${spellings.join('|')})`);
  }

  /**
   * Cuts a text after the first character of every spelling, so that no spelling of several characters is encoded as
   * its token.
   */
  cut(text: string): string[] {
    const cuts = this.#begin ? firstCharacterEnds(text, this.#begin) : [];
    return [0, ...cuts].map((from, i) => text.slice(from, cuts[i])).filter((piece) => piece.length > 0);
  }

  /** Inserts a mark after the first character of every spelling, ignoring case. */
  mark(text: string, mark: string): string {
    if (!this.#beginAnyCase || !this.#firstCharacter?.test(text)) return text;
    const cuts = firstCharacterEnds(text, this.#beginAnyCase);
    return [0, ...cuts].map((from, i) => text.slice(from, cuts[i])).join(mark);
  }

  /** Splits a text into texts and spelled tokens alternately; it begins and ends with a text, which can be empty. */
  split(text: string): string[] {
    return this.#pattern ? text.split(this.#pattern) : [text];
  }
}

/** Returns the index after the first character of each spelling. `begin` matches where one begins. */
function firstCharacterEnds(text: string, begin: RegExp): number[] {
  return [...text.matchAll(begin)].map(
    ({ index }) => index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1),
  );
}
