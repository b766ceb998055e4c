// Parses HTML for the tests of accepted suggestions: tags with parse5, scripts with TypeScript, and styles with
// esbuild.
import assert from 'node:assert/strict';
import esbuild from 'esbuild';
import { Tokenizer, TokenizerMode, type Token } from 'parse5';
import { filled, parses, scriptParser, type Endings, type Parser, type Source } from './parsedSources';
import { VOID_ELEMENTS, type TokenKind } from './typedByHand';

const HTML_ENDINGS: Endings = {
  words: ['', 'x', '>', ' />', '="x"', '="x">', '"', '">', ' x">', '-->', ' -->'],
  lineEnds: ['', '>', ' />', '">', '" />'],
};
interface Element {
  readonly name: string;
  readonly start: number;
  /** Offset after its start tag. */
  readonly contentStart: number;
}

/** The pieces of a document, and whether it is well-formed. */
class Markup {
  readonly units: [start: number, end: number][] = [];
  readonly kinds: [kind: TokenKind, start: number, end: number][] = [];
  isSound = true;
  readonly #open: Element[] = [];

  constructor(private readonly text: string) {
    const tokenizer: Tokenizer = new Tokenizer(
      { sourceCodeLocationInfo: true },
      {
        onStartTag: (tag) => {
          this.#startTag(tag);
          const { tagName, selfClosing } = tag;
          if (selfClosing) return;
          if (tagName === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA;
          if (tagName === 'style') tokenizer.state = TokenizerMode.RAWTEXT;
          tokenizer.lastStartTagName = tagName;
        },
        onEndTag: (tag) => {
          this.#endTag(tag);
        },
        onComment: ({ location }) => {
          if (location) this.kinds.push(['comment', location.startOffset + 4, location.endOffset]);
        },
        onParseError: () => {
          this.isSound = false;
        },
        onDoctype: () => undefined,
        onEof: () => undefined,
        onCharacter: () => undefined,
        onNullCharacter: () => undefined,
        onWhitespaceCharacter: () => undefined,
      },
    );
    tokenizer.write(text, true);
    this.isSound &&= this.#open.length === 0;
  }

  #startTag({ tagName, selfClosing, location }: Token.TagToken): void {
    const { startOffset, endOffset, attrs } = location ?? assert.fail();
    for (const { startOffset: from, endOffset: to } of Object.values(attrs ?? {})) {
      this.units.push([from, to]);
      const quote = this.text.slice(from, to).search(/["']/);
      if (quote >= 0) this.kinds.push(['string', from + quote + 1, to]);
    }
    if (selfClosing || VOID_ELEMENTS.has(tagName)) this.units.push([startOffset, endOffset]);
    else this.#open.push({ name: tagName, start: startOffset, contentStart: endOffset });
  }

  #endTag({ tagName, location }: Token.TagToken): void {
    const { startOffset, endOffset } = location ?? assert.fail();
    const element = this.#open.pop();
    if (element?.name !== tagName) {
      this.isSound = false;
      return;
    }
    this.units.push([element.start, endOffset]);
    const code = this.text.slice(element.contentStart, startOffset);
    if (tagName === 'script') this.isSound &&= isScript(code);
    if (tagName === 'style') this.isSound &&= isCss(code);
  }
}

function isScript(code: string): boolean {
  const [result] = scriptParser('a.js')([{ before: code, after: '' }]);
  return result === 'as it is';
}

export function htmlSource(path: string, text: string): Source {
  const { units, kinds } = new Markup(text);
  return { path, text, units, kinds: filled(text, kinds) };
}

export const htmlParser: Parser = (documents) =>
  documents.map((document) => parses(document, (text) => new Markup(text).isSound, HTML_ENDINGS));

function isCss(text: string): boolean {
  try {
    return esbuild.transformSync(text, { loader: 'css', logLevel: 'silent' }).warnings.length === 0;
  } catch {
    return false;
  }
}
