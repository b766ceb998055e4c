// A tokenizer with a vocabulary from the test: token i is piece i, which can be part of a character. It only decodes,
// since the engine never encodes.
import type { DecodeOptions, Tokenizer } from '../../server/models/text/tokenizer';

export class PieceTokenizer implements Tokenizer {
  readonly textStart = { ids: [], space: '' } as const;

  constructor(
    private readonly pieces: readonly (string | Uint8Array)[],
    /** `special` are the ids of special tokens. */
    private readonly options: { readonly special?: readonly number[] } = {},
  ) {}

  decode(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.bytes(id, { skipSpecialTokens: true }))).toString('utf8');
  }

  /** Equals `decode`: this vocabulary has no spellings of special tokens. */
  spell(ids: readonly number[]): string {
    return this.decode(ids);
  }

  bytes(id: number, { skipSpecialTokens = false }: DecodeOptions = {}): Uint8Array {
    const isSkipped = skipSpecialTokens && this.options.special?.includes(id);
    return Buffer.from(isSkipped ? '' : (this.pieces[id] ?? ''));
  }

  specialTokenId(): undefined {
    return undefined;
  }

  encodePrompt(text: string): number[] {
    return this.encodeText(text);
  }

  encodeParts(parts: readonly { readonly text: string }[]): number[] {
    return parts.flatMap(({ text }) => this.encodeText(text));
  }

  encodeText(text: string): number[] {
    throw new Error(`PieceTokenizer only decodes, but was asked to encode ${JSON.stringify(text)}`);
  }
}
