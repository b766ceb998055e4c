// A tokenizer without words: each UTF-16 unit of plain text is one token, whose id is its code; special tokens have
// higher ids. So a test can read a prompt back, and count its tokens in characters.
import { FIM_TOKENS } from '../support/fimTokens';
import type { Tokenizer } from '../../server/completion/decoder';

const FIRST_SPECIAL = 0x10000;

export class WordlessTokenizer implements Tokenizer {
  /** Number of encoded characters, for tests of text that must not be encoded. */
  encodedCharacters = 0;

  constructor(
    private readonly specialTokens: readonly string[] = FIM_TOKENS,
    readonly textStart: Tokenizer['textStart'] = { ids: [], space: '' },
  ) {}

  encodeParts(parts: readonly { readonly text: string }[]): number[] {
    return parts.flatMap(({ text }) => this.encodeText(text));
  }

  encodeText(text: string): number[] {
    this.encodedCharacters += text.length;
    return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  }

  decode(ids: readonly number[]): string {
    return String.fromCharCode(...ids.filter((id) => id < FIRST_SPECIAL));
  }

  specialTokenId(content: string): number | undefined {
    const i = this.specialTokens.indexOf(content);
    return i < 0 ? undefined : FIRST_SPECIAL + i;
  }

  /** Returns a prompt with special tokens in braces, which distinguishes them from text that spells them. */
  spell(ids: readonly number[]): string {
    return ids
      .map((id) =>
        id < FIRST_SPECIAL ? String.fromCharCode(id) : `{${this.specialTokens[id - FIRST_SPECIAL] ?? ''}}`,
      )
      .join('');
  }
}
