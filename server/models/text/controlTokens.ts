// The tokens that steer a model, and how their spellings are found in a text. Knows spellings only, no ids.

export interface AddedToken {
  readonly content: string;
  readonly special: boolean;
}

/**
 * White space and tags of HTML, which Gemma vocabularies list among their added tokens: people write them, and no
 * template does. Names that HTML has not, such as <think>, belong to templates.
 */
const WRITTEN = new RegExp(
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
  /** Matches where a spelling begins; spellings may overlap. */
  readonly #begin: RegExp | undefined;
  /** The same in capitals or not. */
  readonly #beginAnyCase: RegExp | undefined;
  /** Matches a spelling, the longest one. */
  readonly #whole: RegExp | undefined;
  /** Matches what any of them begins with: to try thousands at each place of a text takes long. */
  readonly #firstLetter: RegExp | undefined;

  constructor(added: readonly AddedToken[]) {
    const spellings = added
      .filter(({ content, special }) => content !== '' && (special || !WRITTEN.test(content)))
      .map(({ content }) => content)
      .sort((a, b) => b.length - a.length)
      .map((content) => content.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    if (spellings.length === 0) return;
    const firsts = new Set(spellings.map((spelling) => /^\\?./su.exec(spelling)?.[0]));
    this.#firstLetter = new RegExp([...firsts].join('|'), 'i');
    this.#begin = new RegExp(`(?=${spellings.join('|')})`, 'g');
    this.#beginAnyCase = new RegExp(this.#begin, 'gi');
    this.#whole = new RegExp(`(${spellings.join('|')})`);
  }

  /** Cuts every spelling after its first character, so that it cannot be taken for the token. */
  cut(text: string): string[] {
    const cuts = [...(this.#begin ? text.matchAll(this.#begin) : [])].map(({ index }) => index + 1);
    return [0, ...cuts].map((from, i) => text.slice(from, cuts[i])).filter((piece) => piece.length > 0);
  }

  /** Puts a mark behind the first character of every spelling. */
  mark(text: string, mark: string): string {
    if (!this.#beginAnyCase || !this.#firstLetter?.test(text)) return text;
    const starts = [...text.matchAll(this.#beginAnyCase)].map(({ index }) => index + 1);
    return [0, ...starts].map((from, i) => text.slice(from, starts[i])).join(mark);
  }

  /** Text and spelled tokens alternately, beginning and ending with a text, which may be empty. */
  split(text: string): string[] {
    return this.#whole ? text.split(this.#whole) : [text];
  }
}
